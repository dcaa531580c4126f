/*
 * serve_client.h - a server in a folder of its own, and a client that keeps its connection
 */
#ifndef SOTTO_BENCH_SERVE_CLIENT_H
#define SOTTO_BENCH_SERVE_CLIENT_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { REPLY_MAX = 1 << 20 };

static char folder[64] = "/tmp/bench-serve-XXXXXX", root[4096], key[128], owner[128];
static unsigned short http_port, wire_port;
static pid_t server;

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void need(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "bench_serve: %s\n", what);
	if (server > 0)
		(void)kill(server, SIGKILL);
	exit(1);
}

static void shell(const char *format, const char *text)
{
	char command[8192];

	(void)snprintf(command, sizeof command, format, text, text);
	need(system(command) == 0, command);
}

/* ---- the server ------------------------------------------------------------------------------- */

static void prepare(void)
{
	FILE *f;

	need(getcwd(root, sizeof root) && mkdtemp(folder) && chdir(folder) == 0, "no folder");
	shell("cp %s/examples/hospital/small/*.csv .", root);
	shell("%s/build/sotto local plan --n 10000 --d 512 --eps 2 --protocol oue "
	      "--emit-params "
	      "> oue",
	      root);
	f = fopen("sotto.yaml", "w");
	need(f != NULL, "no policy");
	fputs("name: bench\n"
	      "budget: { epsilon: 4000, delta: 1e-6 }\n"
	      "time: { pad: 10ms }\n"
	      "collections: { c0: { params: oue, store: c0 }, c1: { params: oue, store: c1 }, "
	      "c2: { params: oue, store: c2 } }\n"
	      "tables:\n"
	      "  patients: { source: patients.csv, unit: patient_id, columns: { age: { bounds: "
	      "[0, "
	      "110] }, smoker: { keys: [true, false] } } }\n",
	      f);
	(void)fclose(f);
	shell("%s/build/sotto seal > /dev/null && %s/build/sotto ledger create > /dev/null",
	      root);
	shell("%s/build/sotto user add alice > key 2> /dev/null", root);
	f = fopen("key", "r");
	need(f && fscanf(f, "%127s", key) == 1, "no key");
	(void)fclose(f);
}

static void start(void)
{
	char line[1024], program[5000];
	int ends[2];
	FILE *out;

	need(pipe(ends) == 0, "no pipe");
	server = fork();
	if (server == 0) {
		(void)dup2(ends[1], 1);
		(void)close(ends[0]);
		(void)snprintf(program, sizeof program, "%s/build/sotto", root);
		execl(program, "sotto", "serve", "--http", "127.0.0.1:0", "--pg", "127.0.0.1:0",
		      (char *)NULL);
		_exit(127);
	}
	(void)close(ends[1]);
	out = fdopen(ends[0], "r");
	while (out && fgets(line, sizeof line, out) && strncmp(line, "stop with", 9) != 0) {
		(void)sscanf(line, "console and API http://127.0.0.1:%hu", &http_port);
		(void)sscanf(line, "PostgreSQL 127.0.0.1:%hu", &wire_port);
		(void)sscanf(line, "owner's key %127s", owner);
	}
	need(http_port && wire_port, "the server did not start");
}

/* Seconds of processor time that the server has used. */
static double processor(void)
{
	char path[64];
	unsigned long user = 0, system = 0;
	FILE *f;

	(void)snprintf(path, sizeof path, "/proc/%d/stat", (int)server);
	f = fopen(path, "r");
	if (f) {
		(void)!fscanf(f, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			      &user, &system);
		(void)fclose(f);
	}
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static long resident(void)
{
	char path[64], line[256];
	long kilobytes = 0;
	FILE *f;

	(void)snprintf(path, sizeof path, "/proc/%d/status", (int)server);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		(void)sscanf(line, "VmRSS: %ld", &kilobytes);
	if (f)
		(void)fclose(f);
	return kilobytes;
}

/* ---- a client ----------------------------------------------------------------------------------- */

static int connect_to(unsigned short port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
	int on = 1, s = socket(AF_INET, SOCK_STREAM, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	need(s >= 0 && connect(s, (struct sockaddr *)&a, sizeof a) == 0, "no connection");
	(void)setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return s;
}

static void send_all(int s, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(s, bytes, n, MSG_NOSIGNAL);

		need(sent > 0, "a request could not be sent");
		bytes += sent;
		n -= (size_t)sent;
	}
}

static __thread char reply_text[REPLY_MAX];

/* The status of one whole reply; reply_text has all of it. */
static int reply(int s)
{
	char *text = reply_text;
	size_t have = 0, want = 0;

	for (;;) {
		ssize_t got = recv(s, text + have, REPLY_MAX - 1 - have, 0);
		const char *end, *length;

		need(got > 0, "a connection ended");
		have += (size_t)got;
		text[have] = '\0';
		end = strstr(text, "\r\n\r\n");
		length = strcasestr(text, "content-length:");
		if (end && length)
			want = (size_t)(end - text) + 4 + strtoul(length + 15, NULL, 10);
		if (want && have >= want)
			return atoi(text + 9);
	}
}

static int
ask(int s, const char *method, const char *path, const char *who, const char *body, size_t n)
{
	char head[512];
	int used = snprintf(head, sizeof head,
			    "%s /v1/%s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
			    "%s\r\nContent-Length: %zu\r\n\r\n",
			    method, path, who, n);

	send_all(s, head, (size_t)used);
	send_all(s, body, n);
	return reply(s);
}

#endif
