/*
 * Batches over loopback, from peers that are many, slow, silent, greedy, broken or
 * gone: each batch is answered once it is durable, counted once, and no peer keeps
 * the others waiting.
 */
#include "local_collect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "client/bytes.h"
#include "crash/store.h"
#include "local/crc32c.h"

#define BATCHES BATCHES_MAX

static const struct listen_limits usual = {1 << 20, 10000, 600000};

static unsigned *syncs; /* shared with the listening process */

int fdatasync(int fd)
{
	__atomic_fetch_add(syncs, 1, __ATOMIC_SEQ_CST);
	return (int)syscall(SYS_fdatasync, fd);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct server {
	pid_t pid;
	uint16_t port;
};

/* The listening process; it ends when it gets a signal. */
static void listen_in_child(int out, const struct listen_limits *limits)
{
	struct sotto_local_collector *c = NULL;
	FILE *f = fdopen(out, "w");
	struct sotto_error err;

	if (!f || sotto_local_collector_open(dir, &params, &c, &err) != SOTTO_OK ||
	    local_listen(c, 0, limits, f, &err) != OUTCOME_DONE)
		_exit(1);
	sotto_local_collector_close(c);
	_exit(0);
}

static struct server start(const struct listen_limits *limits)
{
	struct server s = {0};
	unsigned port = 0;
	int pipes[2];
	FILE *f;

	*syncs = 0;
	if (pipe(pipes) != 0)
		return s;
	s.pid = fork();
	if (s.pid == 0) {
		close(pipes[0]);
		listen_in_child(pipes[1], limits);
	}
	close(pipes[1]);
	f = fdopen(pipes[0], "r");
	CHECK(f && fscanf(f, "listening on 127.0.0.1:%u", &port) == 1);
	if (f)
		fclose(f);
	s.port = (uint16_t)port;
	return s;
}

static void stop(struct server s, int signal)
{
	int status = 0;

	kill(s.pid, signal);
	waitpid(s.pid, &status, 0);
	CHECK(signal == SIGKILL || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

/* Waits at most so long for an answer. */
static int dial(struct server s, unsigned patience_seconds)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons(s.port),
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct timeval patience = {.tv_sec = patience_seconds};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0) {
		CHECK_STR("could not connect", "");
		return -1;
	}
	return fd;
}

static bool put(int fd, const void *bytes, size_t n)
{
	return send(fd, bytes, n, MSG_NOSIGNAL) == (ssize_t)n;
}

/* One line without its end; "" at the end of the stream, "?" if nothing came in time. */
static const char *line(int fd)
{
	static char text[64];
	size_t n = 0;
	ssize_t got;

	while (n + 1 < sizeof text && (got = recv(fd, text + n, 1, 0)) == 1 && text[n] != '\n')
		n++;
	if (n == 0 && got < 0)
		return errno == ECONNRESET ? "" : "?";
	text[n] = 0;
	return text;
}

static void counted_once(unsigned n)
{
	struct sotto_local_collector *c = reopen(SOTTO_OK);

	REQUIRE(c != NULL);
	CHECK(holds_first(c, n));
	sotto_local_collector_close(c);
}

static void many_peers_are_answered_and_syncs_are_few(void)
{
	enum { PEERS = 120, EACH = 3 };
	struct server s = start(&usual);
	unsigned accepted = 0, duplicate = 0;
	double begun = seconds(), windows;
	int fd[PEERS];

	for (unsigned i = 0; i < PEERS; i++)
		fd[i] = dial(s, 10);
	for (unsigned j = 0; j < EACH; j++)
		for (unsigned i = 0; i < PEERS; i++)
			CHECK(put(fd[i], batch[(i * EACH + j * 7) % BATCHES],
				  length[(i * EACH + j * 7) % BATCHES]));
	for (unsigned i = 0; i < PEERS; i++)
		for (unsigned j = 0; j < EACH; j++) {
			const char *said = line(fd[i]);

			accepted += strcmp(said, "accepted") == 0;
			duplicate += strcmp(said, "duplicate") == 0;
		}
	windows = (seconds() - begun) * 1000 / COMMIT_MILLISECONDS;
	CHECK_INT(accepted + duplicate, PEERS * EACH);
	CHECK(*syncs <= PEERS * EACH / COMMIT_BATCHES + windows + 1);
	for (unsigned i = 0; i < PEERS; i++)
		close(fd[i]);
	stop(s, SIGTERM);
	CHECK_INT(accepted, BATCHES);
	counted_once(BATCHES);
}

static void a_half_closed_peer_gets_its_answers(void)
{
	struct server s = start(&usual);
	int fd = dial(s, 5), cut = dial(s, 5), web = dial(s, 5);

	for (unsigned i = 0; i < 3; i++)
		CHECK(put(fd, batch[i], length[i]));
	shutdown(fd, SHUT_WR);
	for (unsigned i = 0; i < 3; i++)
		CHECK_STR(line(fd), "accepted");
	CHECK_STR(line(fd), "");
	CHECK(put(cut, batch[3], length[3] - 1)); /* and no more */
	shutdown(cut, SHUT_WR);
	CHECK_STR(line(cut), "rejected short");
	CHECK_STR(line(cut), "");
	CHECK(put(web, "GET / HTTP/1.1\r\n\r\n", 18));
	CHECK_STR(line(web), "rejected magic");
	CHECK_STR(line(web), "");
	close(fd);
	close(cut);
	close(web);
	stop(s, SIGTERM);
	counted_once(3);
}

static void a_silent_peer_is_dropped_and_others_do_not_notice(void)
{
	const struct listen_limits brief = {1 << 20, 700, 600000};
	struct server s = start(&brief);
	int silent = dial(s, 10), busy = dial(s, 10);
	double begun = seconds();

	CHECK(put(silent, batch[0], 100)); /* a part of a header */
	for (unsigned i = 0; i < 4; i++) {
		CHECK(put(busy, batch[i], length[i]));
		CHECK_STR(line(busy), "accepted");
	}
	CHECK_STR(line(silent), "");
	CHECK(seconds() - begun < 5);
	close(silent);
	close(busy);
	stop(s, SIGTERM);
	counted_once(4);
}

/* A header that says 2^24 reports will follow. */
static void a_batch_past_the_limit_is_refused_at_its_header(void)
{
	struct server s = start(&usual);
	uint8_t header[SOTTO_LOCAL_BATCH_HEADER];
	int fd = dial(s, 5);

	memcpy(header, batch[0], sizeof header);
	store_le(header + 152, SOTTO_LOCAL_BATCH_REPORTS_MAX, 8);
	store_le(header + 168, sotto_crc32c(header, 168), 4);
	CHECK(put(fd, batch[1], length[1]));
	CHECK(put(fd, header, sizeof header));
	CHECK_STR(line(fd), "accepted");
	CHECK_STR(line(fd), "rejected size");
	CHECK_STR(line(fd), "");
	close(fd);
	stop(s, SIGTERM);
}

/* It sends and does not read, until nothing more fits anywhere. */
static unsigned stuff(int fd)
{
	unsigned whole = 0;
	size_t at = 0;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (double until = seconds() + 3; seconds() < until && whole < 400000;) {
		ssize_t n = send(fd, batch[0] + at, length[0] - at, MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN && whole > 1000)
			usleep(1000);
		at += n > 0 ? (size_t)n : 0;
		whole += at == length[0];
		at %= length[0];
	}
	fcntl(fd, F_SETFL, 0);
	if (at && send(fd, batch[0] + at, length[0] - at, MSG_NOSIGNAL | MSG_DONTWAIT) ==
			  (ssize_t)(length[0] - at))
		whole++;
	return whole;
}

static void a_peer_that_never_reads_blocks_nobody(void)
{
	struct server s = start(&usual);
	int deaf = dial(s, 10), other = dial(s, 5), small = 4096;
	unsigned sent;

	setsockopt(deaf, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
	sent = stuff(deaf);
	CHECK(sent > 1000);
	CHECK(put(other, batch[1], length[1]));
	CHECK_STR(line(other), "accepted");
	/* when it reads at last, its answers are there */
	for (unsigned i = 0; i < 1000; i++)
		CHECK_STR(line(deaf), i ? "duplicate" : "accepted");
	close(deaf);
	CHECK(put(other, batch[1], length[1]));
	CHECK_STR(line(other), "duplicate");
	close(other);
	stop(s, SIGTERM);
	counted_once(2);
}

static void more_peers_than_places_take_turns(void)
{
	enum { PEERS = 300 };
	struct server s = start(&usual);
	unsigned kept = 0;
	int fd[PEERS], late;

	for (unsigned i = 0; i < PEERS; i++)
		fd[i] = dial(s, 5);
	for (unsigned i = 0; i < PEERS; i++)
		(void)put(fd[i], batch[i % 4], length[i % 4]);
	for (unsigned i = 0; i < PEERS; i++)
		kept += line(fd[i])[0] != 0;
	CHECK(kept >= 256);
	for (unsigned i = 0; i < PEERS; i++)
		close(fd[i]);
	usleep(400000);
	late = dial(s, 5);
	CHECK(put(late, batch[0], length[0]));
	CHECK_STR(line(late), "duplicate");
	close(late);
	stop(s, SIGTERM);
	counted_once(4);
}

/* Each has sent the beginning of a batch and sends on, a byte at a time. */
static void drip(const int *fd, unsigned peers, size_t first, size_t bytes)
{
	for (size_t at = 0; at < bytes; at++)
		for (unsigned i = 0; i < peers; i++)
			(void)put(fd[i], batch[0] + first + at, 1);
}

static void dripping_peers_keep_nobody_out(void)
{
	enum { PEERS = 300, SENDERS = 3 };
	const struct listen_limits patient = {1 << 20, 600000, 600000};
	struct server s = start(&patient);
	int fd[PEERS], regular = dial(s, 20);

	CHECK(put(regular, batch[3], length[3]));
	CHECK_STR(line(regular), "accepted");
	for (unsigned i = 0; i < PEERS; i++) {
		fd[i] = dial(s, 20);
		CHECK(put(fd[i], batch[0], 10));
	}
	for (unsigned i = 0; i < SENDERS; i++) {
		int honest = dial(s, 20);

		drip(fd, PEERS, 10 + 2 * i, 2);
		CHECK(put(honest, batch[i], length[i]));
		CHECK_STR(line(honest), "accepted");
		close(honest);
	}
	/* nor do they take the place of one that was there before and has sent a batch */
	CHECK(put(regular, batch[3], length[3]));
	CHECK_STR(line(regular), "duplicate");
	close(regular);
	for (unsigned i = 0; i < PEERS; i++)
		close(fd[i]);
	stop(s, SIGTERM);
	counted_once(4);
}

/* Memory is shared too: unfinished batches that fill it leave room for another. */
static void unfinished_batches_leave_room_for_whole_ones(void)
{
	enum { PEERS = 16 };
	const struct listen_limits small = {4096, 600000, 600000};
	static uint8_t part[4000];
	struct server s = start(&small);
	int fd[PEERS], honest;

	memcpy(part, batch[0], SOTTO_LOCAL_BATCH_HEADER);
	store_le(part + 152, 3000 / sotto_client_report_bytes(&params), 8);
	store_le(part + 168, sotto_crc32c(part, 168), 4);
	for (unsigned i = 0; i < PEERS; i++) {
		fd[i] = dial(s, 20);
		(void)put(fd[i], part, 1020); /* 16 of them fill 4 * 4096 bytes but for 64 */
	}
	honest = dial(s, 20);
	usleep(300000); /* so that they are read before what follows, in two pieces */
	CHECK(put(honest, batch[0], 180));
	usleep(100000);
	CHECK(put(honest, batch[0] + 180, length[0] - 180));
	CHECK_STR(line(honest), "accepted");
	close(honest);
	for (unsigned i = 0; i < PEERS; i++)
		close(fd[i]);
	stop(s, SIGTERM);
}

/* It sends a byte every few milliseconds and is dropped all the same. */
static void a_byte_now_and_then_buys_no_time(void)
{
	const struct listen_limits brief = {1 << 20, 300, 600000};
	struct server s = start(&brief);
	int fd = dial(s, 1);
	size_t sent = 0;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (sent < length[0] - 1 && sent < 20000) {
		char byte;
		ssize_t got = recv(fd, &byte, 1, 0);

		if (got == 0 || (got < 0 && errno != EAGAIN) || !put(fd, batch[0] + sent, 1))
			break;
		sent++;
		usleep(5000);
	}
	CHECK(sent > 0 && sent < length[0] - 1 && sent < 20000);
	close(fd);
	stop(s, SIGTERM);
}

/* One that sends batch after batch has its answers, and then has to connect anew. */
static void a_connection_ends_after_its_time(void)
{
	const struct listen_limits brief = {1 << 20, 600000, 400};
	struct server s = start(&brief);
	int fd = dial(s, 20), again;
	unsigned answered = 0;
	bool ended = false;

	while (answered < 100000 && !ended) {
		ended = !put(fd, batch[0], length[0]) || line(fd)[0] == 0;
		answered += !ended;
	}
	CHECK(ended && answered > 0);
	again = dial(s, 20);
	CHECK(put(again, batch[0], length[0]));
	CHECK_STR(line(again), "duplicate");
	close(fd);
	close(again);
	stop(s, SIGTERM);
	counted_once(1);
}

static void what_was_answered_survives_kill_9(void)
{
	for (unsigned round = 0; round < 6; round++) {
		struct sotto_local_collector *c;
		struct server s;
		unsigned answered = 0;
		int fd;

		clear_dir();
		s = start(&usual);
		fd = dial(s, 5);
		for (; answered < 1 + round; answered++) {
			CHECK(put(fd, batch[answered], length[answered]));
			CHECK_STR(line(fd), "accepted");
		}
		CHECK(put(fd, batch[answered], length[answered]));
		usleep(round * 60000);
		stop(s, SIGKILL);
		close(fd);
		c = reopen(SOTTO_OK);
		REQUIRE(c != NULL);
		CHECK(holds_first(c, answered) || holds_first(c, answered + 1));
		sotto_local_collector_close(c);
	}
}

int main(void)
{
	syncs = mmap(NULL, sizeof *syncs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (syncs == MAP_FAILED)
		return 1;
	open_folder("listen");
	make_batches(SOTTO_CLIENT_OUE, BATCHES);
	RUN(many_peers_are_answered_and_syncs_are_few);
	clear_dir();
	RUN(a_half_closed_peer_gets_its_answers);
	clear_dir();
	RUN(a_silent_peer_is_dropped_and_others_do_not_notice);
	clear_dir();
	RUN(a_batch_past_the_limit_is_refused_at_its_header);
	clear_dir();
	RUN(a_peer_that_never_reads_blocks_nobody);
	clear_dir();
	RUN(more_peers_than_places_take_turns);
	clear_dir();
	RUN(dripping_peers_keep_nobody_out);
	clear_dir();
	RUN(unfinished_batches_leave_room_for_whole_ones);
	clear_dir();
	RUN(a_byte_now_and_then_buys_no_time);
	clear_dir();
	RUN(a_connection_ends_after_its_time);
	clear_dir();
	RUN(what_was_answered_survives_kill_9);
	close_folder();
	return tap_done();
}
