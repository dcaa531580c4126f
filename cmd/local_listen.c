/*
 * Batches over loopback: one thread, poll, group commit.
 *
 * (1) Nothing is answered before it is durable.
 * (2) No peer makes the others wait: nothing blocks, and one that does not finish a
 *     batch, or does not take its answers, in time is dropped.  A byte now and then
 *     buys no time.
 * (3) Memory has a limit, whatever peers claim to be sending.
 * (4) No number of peers keeps another out: whoever has been longest without a whole
 *     batch gives way to a newcomer.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "complaint.h"
#include "local_collect.h"
#include "memory.h"

enum { CONNECTIONS_MAX = 256, ANSWER_MAX = 64, WELCOMES = 64 /* in a round */ };

struct connection {
	int fd;
	struct batch_stream stream;
	char *answers; /* the first `durable` bytes may go out */
	size_t answer_used, answer_room, durable;
	int64_t opened; /* when it came, in ms */
	int64_t began; /* since when it owes a whole batch, or to take its answers */
	bool proven; /* it has sent a whole batch */
	bool closing; /* no more batches; close once the answers are out */
};

struct listener {
	struct sotto_local_collector *collector;
	struct listen_limits limits;
	int socket, signals;
	struct connection connections[CONNECTIONS_MAX];
	size_t count;
	unsigned waiting; /* batches since the last commit */
	int64_t since; /* when the first of them came, in ms */
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void answer(struct connection *c, const char *word, const char *reason)
{
	int n;

	while (c->answer_used + ANSWER_MAX > c->answer_room) {
		c->answer_room = c->answer_room ? 2 * c->answer_room : 1024;
		c->answers = memory_resize(c->answers, c->answer_room, 1);
	}
	n = snprintf(c->answers + c->answer_used, ANSWER_MAX, "%s%s%s\n", word,
		     reason ? " " : "", reason ? reason : "");
	c->answer_used += (size_t)n;
}

static enum sotto_status take(struct listener *l, struct connection *c, size_t length)
{
	static const char *const words[] = {"accepted", "duplicate", "rejected"};
	enum sotto_local_verdict verdict;
	enum sotto_local_reason reason;
	enum sotto_status st = sotto_local_collector_take(l->collector, c->stream.bytes, length,
							  &verdict, &reason);

	if (st != SOTTO_OK)
		return st;
	answer(c, words[verdict],
	       verdict == SOTTO_LOCAL_REJECTED ? sotto_local_reason_name(reason) : NULL);
	batch_stream_drop(&c->stream, length);
	c->began = now_ms();
	c->proven |= verdict != SOTTO_LOCAL_REJECTED;
	if (l->waiting++ == 0)
		l->since = c->began;
	return SOTTO_OK;
}

/* Bytes of unfinished batches, of all connections. */
static size_t held(const struct listener *l)
{
	size_t sum = 0;

	for (size_t i = 0; i < l->count; i++)
		sum += l->connections[i].stream.used;
	return sum;
}

/* Says no, and hears no more from it. */
static void turn_away(struct listener *l, struct connection *c, const char *reason)
{
	answer(c, "rejected", reason);
	batch_stream_release(&c->stream);
	c->closing = true;
	if (l->waiting++ == 0)
		l->since = now_ms();
}

/* Whether a has less right to its place than b. */
static bool gives_way(const struct connection *a, const struct connection *b)
{
	return a->proven != b->proven ? b->proven : a->began < b->began;
}

/* Who gives way first, of those that hold bytes of a batch; somebody does. */
static struct connection *first_to_lose_bytes(struct listener *l)
{
	struct connection *worst = NULL;

	for (size_t i = 0; i < l->count; i++) {
		struct connection *c = &l->connections[i];

		if (c->stream.used > 0 && (!worst || gives_way(c, worst)))
			worst = c;
	}
	return worst;
}

/* Takes the batches that are whole; a stream that is broken or asks too much is ended. */
static enum sotto_status take_whole(struct listener *l, struct connection *c)
{
	enum batch_stream_state state;
	enum sotto_status st = SOTTO_OK;
	size_t length = 0;

	while (st == SOTTO_OK &&
	       (state = batch_stream_next(&c->stream, &length)) != BATCH_NONE) {
		c->closing |= state == BATCH_BROKEN;
		st = take(l, c, state == BATCH_WHOLE ? length : c->stream.used);
		length = 0;
	}
	if (st != SOTTO_OK || c->closing)
		return st;
	if (length > l->limits.batch_bytes)
		turn_away(l, c, "size");
	while (held(l) > 4 * l->limits.batch_bytes)
		turn_away(l, first_to_lose_bytes(l), "busy");
	return SOTTO_OK;
}

/* Reads what is there; at the end of the stream an unfinished batch is a bad one. */
static enum sotto_status serve(struct listener *l, struct connection *c)
{
	static uint8_t piece[65536];
	ssize_t got = read(c->fd, piece, sizeof piece);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return SOTTO_OK;
	if (got <= 0) {
		c->closing = true;
		return c->stream.used ? take(l, c, c->stream.used) : SOTTO_OK;
	}
	batch_stream_add(&c->stream, piece, (size_t)got);
	return take_whole(l, c);
}

static void send_answers(struct connection *c)
{
	size_t done = 0;

	while (done < c->durable) {
		ssize_t put = send(c->fd, c->answers + done, c->durable - done, MSG_NOSIGNAL);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break; /* it will be told when it reads */
		if (put <= 0) {
			c->closing = true;
			c->answer_used = c->durable = 0;
			return;
		}
		done += (size_t)put;
	}
	if (done > 0 && done == c->durable)
		c->began = now_ms();
	if (done == 0)
		return;
	memmove(c->answers, c->answers + done, c->answer_used - done);
	c->answer_used -= done;
	c->durable -= done;
}

static void drop(struct listener *l, size_t i)
{
	struct connection *c = &l->connections[i];

	close(c->fd);
	batch_stream_release(&c->stream);
	free(c->answers);
	*c = l->connections[--l->count];
}

static enum sotto_status commit(struct listener *l, struct sotto_error *err)
{
	enum sotto_status st = sotto_local_collector_commit(l->collector, err);

	if (st != SOTTO_OK)
		return st;
	l->waiting = 0;
	for (size_t i = 0; i < l->count; i++) {
		l->connections[i].durable = l->connections[i].answer_used;
		send_answers(&l->connections[i]);
	}
	return SOTTO_OK;
}

/* Those that are done, and those whose time is over. */
static void drop_finished(struct listener *l)
{
	int64_t now = now_ms();

	for (size_t i = l->count; i-- > 0;) {
		struct connection *c = &l->connections[i];
		bool late = now - c->began >= l->limits.batch_ms;

		if (now - c->opened >= l->limits.connection_ms && c->stream.used == 0)
			c->closing = true;
		if ((c->closing && c->answer_used == 0) ||
		    (late && c->answer_used == c->durable))
			drop(l, i);
	}
}

/* Who waits for an answer keeps its place. */
static bool make_place(struct listener *l)
{
	size_t worst = l->count;

	for (size_t i = 0; i < l->count; i++) {
		const struct connection *c = &l->connections[i];

		if (c->answer_used == 0 &&
		    (worst == l->count || gives_way(c, &l->connections[worst])))
			worst = i;
	}
	if (worst == l->count)
		return false;
	drop(l, worst);
	return true;
}

/* Takes in who waits at the door; false if nobody does. */
static bool welcome(struct listener *l)
{
	int fd = accept4(l->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int64_t now = now_ms();

	if (fd < 0)
		return false;
	if (l->count == CONNECTIONS_MAX && !make_place(l))
		close(fd);
	else
		l->connections[l->count++] =
			(struct connection){.fd = fd, .opened = now, .began = now};
	return true;
}

/* A connection is read from once it has taken the answers it was sent. */
static struct pollfd interest(const struct connection *c)
{
	short events = c->durable > 0 ? POLLOUT : POLLIN;

	return (struct pollfd){c->closing && c->durable == 0 ? -1 : c->fd, events, 0};
}

static enum sotto_status serve_all(struct listener *l, const struct pollfd *fds, size_t count)
{
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; i < count && st == SOTTO_OK; i++) {
		struct connection *c = &l->connections[i];

		if (fds[i].revents && c->durable > 0)
			send_answers(c);
		else if (fds[i].revents)
			st = serve(l, c);
	}
	return st;
}

/* One round; *stop when a signal came. */
static enum sotto_status round_of(struct listener *l, bool *stop, struct sotto_error *err)
{
	struct pollfd fds[CONNECTIONS_MAX + 2] = {{l->signals, POLLIN, 0},
						  {l->socket, POLLIN, 0}};
	size_t count = l->count;
	int64_t left = l->waiting ? l->since + COMMIT_MILLISECONDS - now_ms() : 1000;
	enum sotto_status st;

	left = left < l->limits.batch_ms ? left : l->limits.batch_ms;
	left = left < l->limits.connection_ms ? left : l->limits.connection_ms;
	for (size_t i = 0; i < count; i++)
		fds[2 + i] = interest(&l->connections[i]);
	if (poll(fds, count + 2, left > 0 ? (int)left : 0) < 0)
		return errno == EINTR ? SOTTO_OK : SOTTO_EIO;
	st = serve_all(l, fds + 2, count);
	*stop = fds[0].revents != 0;
	for (int i = 0; i < WELCOMES && st == SOTTO_OK && fds[1].revents && welcome(l); i++)
		;
	if (st == SOTTO_OK && (*stop || l->waiting >= COMMIT_BATCHES ||
			       (l->waiting && now_ms() - l->since >= COMMIT_MILLISECONDS)))
		st = commit(l, err);
	drop_finished(l);
	return st;
}

static enum outcome
open_socket(struct listener *l, uint16_t port, FILE *out, struct sotto_error *err)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof at;
	sigset_t signals;
	int on = 1;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	l->signals = signalfd(-1, &signals, SFD_CLOEXEC);
	l->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->signals < 0 || l->socket < 0 ||
	    setsockopt(l->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
	    bind(l->socket, (struct sockaddr *)&at, sizeof at) != 0 ||
	    listen(l->socket, CONNECTIONS_MAX) != 0 ||
	    getsockname(l->socket, (struct sockaddr *)&at, &size) != 0)
		return complaint_refuse(err, "could not listen on port %u of 127.0.0.1", port);
	fprintf(out, "listening on 127.0.0.1:%u\n", ntohs(at.sin_port));
	fflush(out);
	return OUTCOME_DONE;
}

enum outcome local_listen(struct sotto_local_collector *c, uint16_t port,
			  const struct listen_limits *limits, FILE *out,
			  struct sotto_error *err)
{
	struct listener *l = memory_new(1, sizeof *l);
	enum sotto_status st = SOTTO_OK;
	enum outcome outcome;
	bool stop = false;

	l->collector = c;
	l->limits = *limits;
	l->socket = l->signals = -1;
	outcome = open_socket(l, port, out, err);
	while (outcome == OUTCOME_DONE && !stop && st == SOTTO_OK)
		st = round_of(l, &stop, err);
	while (l->count > 0)
		drop(l, l->count - 1);
	if (l->socket >= 0)
		close(l->socket);
	if (l->signals >= 0)
		close(l->signals);
	free(l);
	return outcome != OUTCOME_DONE || st == SOTTO_OK ? outcome : local_failed(st, err);
}
