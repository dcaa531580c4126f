/*
 * bench_serve - a server on this machine: small requests, explanations, repeated answers, idle
 * and slow connections, reports of devices
 *
 * Starts build/sotto serve on the sample tables of examples/hospital/small in a folder of its own.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { IDLE = 1000, SLOW = 300, CLIENTS = 4, REPLY_MAX = 1 << 20, BATCHES = 8 };

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
	shell("%s/build/sotto local plan --n 10000 --d 8 --eps 2 --protocol oue --emit-params "
	      "> oue",
	      root);
	f = fopen("sotto.yaml", "w");
	need(f != NULL, "no policy");
	fputs("budget: { epsilon: 4000, delta: 1e-6 }\n"
	      "time: { pad: 10ms }\n"
	      "collections: { c: { params: oue, store: c } }\n"
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

/* The status of one whole reply. */
static int reply(int s)
{
	static __thread char text[REPLY_MAX];
	size_t have = 0, want = 0;

	for (;;) {
		ssize_t got = recv(s, text + have, sizeof text - 1 - have, 0);
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

/* ---- figures ------------------------------------------------------------------------------------ */

struct rate {
	const char *path;
	double until;
	long count;
};

static void *client(void *context)
{
	struct rate *r = context;
	int s = connect_to(http_port);

	while (now() < r->until) {
		need(ask(s, "GET", r->path, key, "", 0) == 200, r->path);
		r->count++;
	}
	(void)close(s);
	return NULL;
}

static void requests_per_second(const char *path)
{
	struct rate rates[CLIENTS];
	pthread_t threads[CLIENTS];
	double begin = now();
	long all = 0;

	for (int i = 0; i < CLIENTS; i++) {
		rates[i] = (struct rate){.path = path, .until = begin + 3};
		need(pthread_create(&threads[i], NULL, client, &rates[i]) == 0, "no thread");
	}
	for (int i = 0; i < CLIENTS; i++) {
		(void)pthread_join(threads[i], NULL);
		all += rates[i].count;
	}
	printf("%-34s %10.0f requests/s\n", path, (double)all / (now() - begin));
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static void latency(const char *name, const char *path, const char *body, int n)
{
	double *times = calloc((size_t)n, sizeof *times);
	int s = connect_to(http_port);

	need(times != NULL, "no memory");
	(void)ask(s, "POST", path, key, body, strlen(body));
	for (int i = 0; i < n; i++) {
		double begin = now();

		need(ask(s, "POST", path, key, body, strlen(body)) == 200, path);
		times[i] = now() - begin;
	}
	qsort(times, (size_t)n, sizeof *times, compare);
	printf("%-34s %10.2f ms, p99 %.2f ms\n", name, 1e3 * times[n / 2],
	       1e3 * times[n * 99 / 100]);
	(void)close(s);
	free(times);
}

static void idle_connections(void)
{
	static int sockets[IDLE];
	long before = resident();

	for (int i = 0; i < IDLE; i++) {
		sockets[i] = connect_to(http_port);
		need(ask(sockets[i], "GET", "healthz", key, "", 0) == 200, "healthz");
	}
	printf("%-34s %10.1f MiB more\n", "1000 idle connections",
	       (double)(resident() - before) / 1024);
	for (int i = 0; i < IDLE; i++)
		(void)close(sockets[i]);
}

/* A start-up message and a header that never end. */
static void slow_connections(void)
{
	static int sockets[2 * SLOW];
	char command[512];
	double begin;
	int s;

	for (int i = 0; i < 2 * SLOW; i++) {
		sockets[i] = connect_to(i < SLOW ? http_port : wire_port);
		send_all(sockets[i], i < SLOW ? "GET /v1/he" : "\0\0\0\x64\0\3\0\0u", 9);
	}
	begin = now();
	s = connect_to(http_port);
	need(ask(s, "GET", "budget", key, "", 0) == 200, "budget");
	(void)close(s);
	printf("%-34s %10.2f ms\n", "HTTP beside 300 that drip", 1e3 * (now() - begin));
	(void)snprintf(command, sizeof command,
		       "PGPASSWORD=%s psql -X -q -A -t -c 'SHOW sotto.budget' 'host=127.0.0.1 "
		       "port=%hu user=alice dbname=alice' > /dev/null",
		       key, wire_port);
	begin = now();
	need(system(command) == 0, "psql");
	printf("%-34s %10.2f ms\n", "psql beside 300 that drip", 1e3 * (now() - begin));
	for (int i = 0; i < 2 * SLOW; i++)
		(void)close(sockets[i]);
}

static void intake(void)
{
	double begin, file, http;
	size_t bytes = 0;
	int s;

	for (int i = 0; i < BATCHES; i++) {
		char command[8192];

		(void)snprintf(
			command, sizeof command,
			"yes %d | head -n 100000 | %s/build/sotto local encode --params oue "
			"--each-device --out batch > batch%d",
			i % 8, root, i);
		need(system(command) == 0, "encode");
	}
	begin = now();
	shell("%s/build/sotto local collect --store other --params oue batch? > /dev/null",
	      root);
	file = now() - begin;
	begin = now();
	s = connect_to(http_port);
	for (int i = 0; i < BATCHES; i++) {
		char name[16];
		FILE *f;
		char *batch = malloc(64 << 20);
		size_t n;

		(void)snprintf(name, sizeof name, "batch%d", i);
		f = fopen(name, "r");
		need(f && batch, "no batch");
		n = fread(batch, 1, 64 << 20, f);
		(void)fclose(f);
		need(ask(s, "POST", "collections/c/reports", owner, batch, n) == 202,
		     "reports");
		bytes += n;
		free(batch);
	}
	http = now() - begin;
	(void)close(s);
	printf("%-34s %10.0f reports/s, %.0f %% of sotto local collect from files (%zu "
	       "bytes)\n",
	       "intake", BATCHES * 1e5 / http, 100 * file / http, bytes);
}

int main(void)
{
	const char *asked =
		"{\"sql\": \"SELECT smoker, COUNT(*) FROM patients GROUP BY smoker\", "
		"\"epsilon\": 0.1}";

	prepare();
	start();
	requests_per_second("healthz");
	requests_per_second("budget");
	latency("explain", "explain", asked, 500);
	latency("a repeated answer", "query", asked, 500);
	idle_connections();
	slow_connections();
	intake();
	(void)kill(server, SIGTERM);
	(void)waitpid(server, NULL, 0);
	shell("rm -rf %s", folder);
	return 0;
}
