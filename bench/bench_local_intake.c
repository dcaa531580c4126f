/*
 * Local privacy, taking reports over HTTP: `sotto local collect --http` against the same
 * program with the same batches in a file, each with a store on disk and every batch durable.
 *
 * A promise is about the processor time of the collector, all threads together, so that what
 * other programs take is not counted; the notes are of the clock on the wall, with the devices
 * that send on the same machine.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sotto/collect.h"
#include "sotto/decode.h"
#include "testlib/fixture/local.h"
#include "timing.h"

enum { CONNECTIONS = 64, ROUNDS = 3 };

/* Seconds that a collector took. */
struct took {
	double wall, processor;
};

struct load {
	const char *name;
	size_t count, reports; /* batches, and reports in each */
	double floor; /* 0: no promise */
	uint8_t **batch;
	size_t length;
};

static const char collection[] = "protocol rappor\nwidth 128\nhashes 2\ngroups 64\n"
				 "f 0.5\np 0.25\nq 0.75\n";
static char work[] = "/var/tmp/sotto-bench-XXXXXX";

static void need(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

static double wall(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time of the children that have ended, in seconds. */
static double children(void)
{
	struct rusage u;

	(void)getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static struct took take_since(struct took begin)
{
	return (struct took){wall() - begin.wall, children() - begin.processor};
}

static struct took mark(void)
{
	return (struct took){wall(), children()};
}

static void shell(const char *format, const char *a, const char *b)
{
	char command[512];

	(void)snprintf(command, sizeof command, format, a, b);
	need(system(command) == 0, command);
}

static void make_load(struct load *l)
{
	struct sotto_client_params params;
	char path[128];
	uint64_t seed = 1;
	size_t stride;
	uint8_t *r;
	FILE *f;

	need(sotto_local_params_parse(collection, sizeof collection - 1, &params, NULL) ==
		     SOTTO_OK,
	     "the parameters");
	stride = sotto_client_report_bytes(&params);
	r = malloc(l->reports * stride);
	(void)snprintf(path, sizeof path, "%s/batches", work);
	f = fopen(path, "wb");
	l->batch = calloc(l->count, sizeof *l->batch);
	need(f && r && l->batch, "no memory or no disk");
	for (size_t i = 0; i < l->count; i++) {
		struct sotto_local_batch head = {.params = params, .reports = l->reports};

		local_fill(&seed, r, l->reports * stride);
		local_fill(&seed, head.id, sizeof head.id);
		for (size_t j = 0; j < l->reports; j++)
			r[j * stride] &= 63;
		need(sotto_local_batch_make(&head, r, &l->batch[i], &l->length) == SOTTO_OK &&
			     fwrite(l->batch[i], 1, l->length, f) == l->length,
		     "a batch");
	}
	need(fclose(f) == 0, "no disk");
	free(r);
}

/* Starting the program with an empty store is not collecting: that time is taken off. */
static struct took from_file(void)
{
	struct took begin, start, all;

	shell("rm -rf %s/store", work, "");
	begin = mark();
	shell("cd %s && $SOTTO local collect --store store --params params > said", work, "");
	start = take_since(begin);
	begin = mark();
	shell("cd %s && $SOTTO local collect --store store batches > said", work, "");
	all = take_since(begin);
	return (struct took){all.wall - start.wall, all.processor - start.processor};
}

/* ---- devices ---- */

struct sender {
	int fd;
	char *request; /* with its head */
	size_t length, sent, next;
	char reply[2048];
	size_t got;
};

static void next_request(struct sender *s, const struct load *l)
{
	int head = snprintf(s->request, 128,
			    "POST /reports HTTP/1.1\r\nHost: h\r\nContent-Length: %zu\r\n\r\n",
			    l->length);

	memcpy(s->request + head, l->batch[s->next], l->length);
	s->length = (size_t)head + l->length;
	s->sent = s->got = 0;
	s->next += CONNECTIONS;
}

static bool has_reply(struct sender *s)
{
	ssize_t n = recv(s->fd, s->reply + s->got, sizeof s->reply - 1 - s->got, 0);
	const char *end;

	need(n > 0, "the collector hung up");
	s->got += (size_t)n;
	s->reply[s->got] = 0;
	end = strstr(s->reply, "\r\n\r\n");
	if (!end || !strchr(end, '}'))
		return false;
	need(strncmp(s->reply, "HTTP/1.1 202", 12) == 0, "a batch was not accepted");
	return true;
}

static void send_all(const struct load *l, uint16_t port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};
	static struct sender senders[CONNECTIONS];
	struct pollfd fds[CONNECTIONS];
	size_t open = 0;
	int on = 1;

	for (size_t i = 0; i < CONNECTIONS && i < l->count; i++, open++) {
		struct sender *s = &senders[i];

		*s = (struct sender){.fd = socket(AF_INET, SOCK_STREAM, 0),
				     .request = malloc(l->length + 128),
				     .next = i};
		need(s->fd >= 0 && s->request &&
			     connect(s->fd, (struct sockaddr *)&at, sizeof at) == 0,
		     "no connection");
		(void)setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		next_request(s, l);
		fds[i] = (struct pollfd){s->fd, POLLOUT, 0};
	}
	for (size_t all = open; open > 0;) {
		need(poll(fds, all, 60000) > 0, "the collector is silent");
		for (size_t i = 0; i < all; i++) {
			struct sender *s = &senders[i];

			if (fds[i].revents && fds[i].events == POLLOUT) {
				ssize_t n = send(s->fd, s->request + s->sent,
						 s->length - s->sent, MSG_DONTWAIT);

				s->sent += n > 0 ? (size_t)n : 0;
				if (s->sent == s->length)
					fds[i].events = POLLIN;
			} else if (fds[i].revents && has_reply(s)) {
				fds[i].events = POLLOUT;
				if (s->next < l->count) {
					next_request(s, l);
					continue;
				}
				(void)close(s->fd);
				free(s->request);
				fds[i].fd = -1;
				open--;
			}
		}
	}
}

static struct took over_http(const struct load *l)
{
	unsigned port = 0;
	struct took begin, took;
	int pipes[2], status;
	FILE *f;
	pid_t pid;

	shell("rm -rf %s/store", work, "");
	need(pipe(pipes) == 0, "pipe");
	pid = fork();
	if (pid == 0) {
		char store[128], params[128];

		(void)snprintf(store, sizeof store, "%s/store", work);
		(void)snprintf(params, sizeof params, "%s/params", work);
		(void)dup2(pipes[1], 1);
		(void)execl("build/sotto", "sotto", "local", "collect", "--store", store,
			    "--params", params, "--http", "127.0.0.1:0", (char *)NULL);
		_exit(1);
	}
	(void)close(pipes[1]);
	f = fdopen(pipes[0], "r");
	need(pid > 0 && f && fscanf(f, "listening at http://127.0.0.1:%u", &port) == 1,
	     "the collector did not start");
	begin = mark();
	send_all(l, (uint16_t)port);
	took = take_since(begin);
	(void)kill(pid, SIGTERM);
	need(waitpid(pid, &status, 0) == pid && status == 0, "the collector failed");
	(void)fclose(f);
	took.processor = take_since(begin).processor;
	return took;
}

static void bench_load(struct load *l)
{
	double unit = 1e9 / (double)(l->count * l->reports);
	struct took file = {INFINITY, INFINITY}, http = file;

	make_load(l);
	for (int i = 0; i < ROUNDS; i++) {
		struct took a = from_file(), b = over_http(l);

		file = (struct took){fmin(file.wall, a.wall),
				     fmin(file.processor, a.processor)};
		http = (struct took){fmin(http.wall, b.wall),
				     fmin(http.processor, b.processor)};
	}
	if (l->floor > 0)
		bench_row(l->name, unit * http.processor, "from a file", unit * file.processor,
			  BENCH_FASTER, l->floor, l->floor);
	else
		bench_note(l->name, unit * http.processor, "from a file",
			   unit * file.processor);
	bench_note("    on the wall", unit * http.wall, "from a file", unit * file.wall);
	for (size_t i = 0; i < l->count; i++)
		free(l->batch[i]);
	free(l->batch);
}

int main(void)
{
	struct load loads[] = {
		{.name = "HTTP intake, RAPPOR, a report, 4096 a batch",
		 .count = 2000,
		 .reports = 4096,
		 .floor = .5},
		{.name = "the same, 65536 a batch",
		 .count = 125,
		 .reports = 65536,
		 .floor = .5},
		{.name = "the same, 16 a batch", .count = 20000, .reports = 16},
	};
	char cwd[2048], sotto[2100], path[128];
	cpu_set_t cores;
	FILE *f;

	need(mkdtemp(work) != NULL && getcwd(cwd, sizeof cwd) != NULL, "a folder");
	(void)snprintf(sotto, sizeof sotto, "%s/build/sotto", cwd);
	(void)setenv("SOTTO", sotto, 1);
	(void)snprintf(path, sizeof path, "%s/params", work);
	f = fopen(path, "w");
	need(f && fputs(collection, f) >= 0 && fclose(f) == 0, "the parameters");
	(void)signal(SIGPIPE, SIG_IGN);
	(void)sched_getaffinity(0, sizeof cores, &cores);
	bench_open("reports over HTTP");
	(void)sched_setaffinity(0, sizeof cores, &cores); /* two processes: not on one core */
	for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++)
		bench_load(&loads[i]);
	shell("rm -rf %s", work, "");
	return bench_close();
}
