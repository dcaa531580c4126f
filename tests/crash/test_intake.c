/*
 * Batches over HTTP, from peers that are many, silent, broken or gone: each batch is
 * answered once it is durable, counted once, and no address keeps the others out.
 */
#include "sotto/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "crash/store.h"

#define BATCHES BATCHES_MAX
enum { LOOPBACK = 0x7f000001, PER_ADDRESS = 1024 };

static struct {
	unsigned syncs;
	bool is_broken; /* every sync fails */
} * disk; /* shared with the process that listens */

int fdatasync(int fd)
{
	__atomic_fetch_add(&disk->syncs, 1, __ATOMIC_SEQ_CST);
	if (disk->is_broken) {
		errno = ENOSPC;
		return -1;
	}
	return (int)syscall(SYS_fdatasync, fd);
}

struct server {
	pid_t pid;
	uint16_t port;
};

/* The listening process: says its port, ends at SIGTERM, exits 2 if the store failed. */
static void listen_in_child(int out)
{
	struct sotto_intake_options options = {.http = "127.0.0.1:0"};
	const struct timespec moment = {0, 20000000};
	struct sotto_intake *intake = NULL;
	enum sotto_status st = SOTTO_OK;
	unsigned port = 0;
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	if (sotto_local_collector_open(dir, &params, &options.store, NULL) != SOTTO_OK ||
	    sotto_intake_start(&options, &intake, NULL) != SOTTO_OK ||
	    sscanf(sotto_intake_url(intake), "http://127.0.0.1:%u/reports", &port) != 1 ||
	    dprintf(out, "%u\n", port) < 0)
		_exit(1);
	while (st == SOTTO_OK && sigtimedwait(&ends, NULL, &moment) < 0)
		st = sotto_intake_health(intake, NULL);
	sotto_intake_stop(intake);
	sotto_local_collector_close(options.store);
	_exit(st == SOTTO_OK ? 0 : 2);
}

static struct server start(void)
{
	struct server s = {0};
	unsigned port = 0;
	int pipes[2];
	FILE *f;

	disk->syncs = 0;
	disk->is_broken = false;
	if (pipe(pipes) != 0)
		return s;
	s.pid = fork();
	if (s.pid == 0) {
		close(pipes[0]);
		listen_in_child(pipes[1]);
	}
	close(pipes[1]);
	f = fdopen(pipes[0], "r");
	CHECK(f && fscanf(f, "%u", &port) == 1);
	if (f)
		fclose(f);
	s.port = (uint16_t)port;
	return s;
}

static int end_of(struct server s)
{
	int status = 0;

	waitpid(s.pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void stop(struct server s)
{
	kill(s.pid, SIGTERM);
	CHECK_INT(end_of(s), 0);
}

/* A connection from an address of this machine; 127.0.0.0/8 has many. */
static int dial_from(struct server s, uint32_t address)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons(s.port),
				 .sin_addr = {htonl(LOOPBACK)}},
			   from = {.sin_family = AF_INET, .sin_addr = {htonl(address)}};
	struct timeval patience = {.tv_sec = 60};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&from, sizeof from) != 0 ||
	    connect(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0) {
		CHECK_STR("could not connect", "");
		return -1;
	}
	return fd;
}

static int dial(struct server s)
{
	return dial_from(s, LOOPBACK);
}

static bool put(int fd, const void *bytes, size_t n)
{
	return send(fd, bytes, n, MSG_NOSIGNAL) == (ssize_t)n;
}

static bool post(int fd, const void *body, size_t n)
{
	char head[160];
	int m = snprintf(head, sizeof head,
			 "POST /reports HTTP/1.1\r\nHost: here\r\nContent-Length: %zu\r\n\r\n",
			 n);

	return put(fd, head, (size_t)m) && put(fd, body, n);
}

static char reply[4096]; /* the last one, whole */

/* The status of the next reply; 0 if the connection ended, -1 if nothing came in time. */
static int status_of(int fd)
{
	const char *body, *field;
	size_t n = 0;

	for (;;) {
		ssize_t got = recv(fd, reply + n, 1, 0);

		if (got <= 0)
			return got < 0 && errno != ECONNRESET ? -1 : 0;
		reply[n += (size_t)got] = 0;
		body = strstr(reply, "\r\n\r\n");
		field = body ? strstr(reply, "Content-Length: ") : NULL;
		if (field && n == (size_t)(body + 4 - reply) + strtoul(field + 16, NULL, 10))
			return (int)strtol(reply + 9, NULL, 10);
		if (n + 1 == sizeof reply)
			return -1;
	}
}

static void counted_once(unsigned n)
{
	struct sotto_local_collector *c = reopen(SOTTO_OK);

	REQUIRE(c != NULL);
	CHECK(holds_first(c, n));
	sotto_local_collector_close(c);
}

static void many_peers_are_answered_and_share_syncs(void)
{
	enum { PEERS = 120, EACH = 3 };
	struct server s = start();
	unsigned accepted = 0, known = 0;
	int fd[PEERS];

	for (unsigned i = 0; i < PEERS; i++)
		fd[i] = dial(s);
	for (unsigned j = 0; j < EACH; j++)
		for (unsigned i = 0; i < PEERS; i++)
			CHECK(post(fd[i], batch[(i * EACH + j * 7) % BATCHES],
				   length[(i * EACH + j * 7) % BATCHES]));
	for (unsigned i = 0; i < PEERS; i++)
		for (unsigned j = 0; j < EACH; j++) {
			int status = status_of(fd[i]);

			accepted += status == 202;
			known += status == 200;
		}
	CHECK_INT(accepted, BATCHES);
	CHECK_INT(accepted + known, PEERS * EACH);
	CHECK(disk->syncs <= PEERS * EACH);
	for (unsigned i = 0; i < PEERS; i++)
		close(fd[i]);
	stop(s);
	counted_once(BATCHES);
}

static void what_is_refused_says_why(void)
{
	static const struct {
		const char *request;
		int status;
		const char *says;
	} wrong[] = {
		{"POST /reports HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\njunk", 400,
		 "it is not a batch of reports"},
		{"POST /reports HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 400,
		 "it is shorter or longer than its header says"},
		{"POST /reports HTTP/1.1\r\nHost: h\r\nContent-Length: 67108865\r\n"
		 "Expect: 100-continue\r\n\r\n",
		 413, "too large"},
		{"GET /reports HTTP/1.1\r\nHost: h\r\n\r\n", 405, "does not take that method"},
		{"GET /v1/query HTTP/1.1\r\nHost: h\r\n\r\n", 404, "nothing here"},
		{"GET / HTTP/1.1\r\nHost: h\r\n\r\n", 404, "nothing here"},
		{"OPTIONS /reports HTTP/1.1\r\nHost: h\r\nOrigin: https://a.example\r\n\r\n",
		 200, "Access-Control-Allow-Origin: *"},
	};
	struct server s = start();
	uint8_t damaged[4096];
	int fd;

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		fd = dial(s);
		CHECK(put(fd, wrong[i].request, strlen(wrong[i].request)));
		CHECK_INT(status_of(fd), wrong[i].status);
		CHECK(strstr(reply, wrong[i].says) != NULL);
		close(fd);
	}
	fd = dial(s);
	memcpy(damaged, batch[0], length[0]);
	damaged[length[0] - 1] ^= 1;
	CHECK(post(fd, damaged, length[0]));
	CHECK_INT(status_of(fd), 400);
	CHECK(strstr(reply, "a checksum differs") != NULL);
	CHECK(post(fd, batch[0], length[0])); /* the connection lives on */
	CHECK_INT(status_of(fd), 202);
	close(fd);
	stop(s);
	counted_once(1);
}

/* Of 1024 silent connections, all that one address has, the longest idle makes room for a new one; other addresses are served too. */
static void one_address_keeps_nobody_else_out(void)
{
	static int fd[PER_ADDRESS];
	struct server s = start();
	int late, other;

	for (unsigned i = 0; i < PER_ADDRESS; i++) {
		fd[i] = dial(s);
		CHECK(put(fd[i], "POST", 4));
	}
	late = dial(s);
	CHECK(post(late, batch[0], length[0]));
	CHECK_INT(status_of(late), 202);
	other = dial_from(s, LOOPBACK + 1);
	CHECK(post(other, batch[1], length[1]));
	CHECK_INT(status_of(other), 202);
	close(late);
	close(other);
	for (unsigned i = 0; i < PER_ADDRESS; i++)
		close(fd[i]);
	stop(s);
	counted_once(2);
}

static void the_end_answers_what_has_arrived(void)
{
	struct server s = start();
	int fd = dial(s);

	for (unsigned i = 0; i < 3; i++) {
		CHECK(post(fd, batch[i], length[i]));
		CHECK_INT(status_of(fd), 202);
	}
	CHECK(put(fd, "POST /reports HTTP/1.1\r\n", 24)); /* and no more */
	stop(s);
	CHECK_INT(status_of(fd), 0);
	close(fd);
	counted_once(3);
}

static void a_full_disk_is_answered_and_ends_the_intake(void)
{
	struct server s = start();
	int fd = dial(s);

	CHECK(post(fd, batch[0], length[0]));
	CHECK_INT(status_of(fd), 202);
	disk->is_broken = true;
	CHECK(post(fd, batch[1], length[1]));
	CHECK_INT(status_of(fd), 500);
	CHECK(strstr(reply, "send it again later") != NULL);
	CHECK_INT(end_of(s), 2);
	disk->is_broken = false;
	close(fd);
	s = start(); /* what was not acknowledged may come again */
	fd = dial(s);
	CHECK(post(fd, batch[1], length[1]));
	CHECK(status_of(fd) / 100 == 2);
	close(fd);
	stop(s);
	counted_once(2);
}

static void what_was_answered_survives_kill_9(void)
{
	for (unsigned round = 0; round < 12; round++) {
		struct sotto_local_collector *c;
		struct server s;
		unsigned answered = 0;
		int fd;

		clear_dir();
		s = start();
		fd = dial(s);
		for (; answered < 1 + round; answered++) {
			CHECK(post(fd, batch[answered], length[answered]));
			CHECK_INT(status_of(fd), 202);
		}
		CHECK(post(fd, batch[answered], length[answered]));
		usleep(round * 300);
		kill(s.pid, SIGKILL);
		(void)end_of(s);
		close(fd);
		c = reopen(SOTTO_OK);
		REQUIRE(c != NULL);
		CHECK(holds_first(c, answered) || holds_first(c, answered + 1));
		sotto_local_collector_close(c);
	}
}

int main(void)
{
	disk = mmap(NULL, sizeof *disk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		    0);
	if (disk == MAP_FAILED)
		return 1;
	open_folder("intake");
	make_batches(SOTTO_CLIENT_OUE, BATCHES);
	RUN(many_peers_are_answered_and_share_syncs);
	clear_dir();
	RUN(what_is_refused_says_why);
	clear_dir();
	RUN(one_address_keeps_nobody_else_out);
	clear_dir();
	RUN(the_end_answers_what_has_arrived);
	clear_dir();
	RUN(a_full_disk_is_answered_and_ends_the_intake);
	RUN(what_was_answered_survives_kill_9);
	close_folder();
	return tap_done();
}
