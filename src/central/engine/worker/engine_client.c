/*
 * The engine as its callers see it: each call is a request to a worker and its reply.
 *
 * (1) Whatever the worker does, the caller gets a status: nothing that it sends is believed
 *     without looking, and no call waits longer than it was allowed to.
 * (2) After anything but a whole reply the worker is killed: no later reply can be taken for
 *     that of another request.
 * (3) What was received is wiped: a message when it was read, a result when it is freed.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "central/engine/engine.h"
#include "central/engine/worker/engine_client.h"
#include "central/engine/worker/process_limits.h"
#include "central/engine/worker/worker_find.h"
#include "central/engine/worker/worker_launch.h"
#include "central/engine/worker/worker_message.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

/* A program that is not a worker may say nothing at all. */
#define GREETING_TIME ((uint64_t)60 * 1000000000)

void sotto_worker_reply_release(struct sotto_worker_reply *r)
{
	if (r->message)
		sotto_wipe(r->message, r->size);
	free(r->message);
	*r = (struct sotto_worker_reply){0};
}

/* ---- time -------------------------------------------------------------------------- */

static uint64_t now(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void sotto_engine_allow(struct sotto_engine *e, uint64_t time)
{
	uint64_t start = now();

	e->deadline = time < UINT64_MAX - start ? start + time : UINT64_MAX;
	e->work_end = UINT64_MAX;
}

uint64_t sotto_engine_work(const struct sotto_engine *e)
{
	struct timespec t;
	clockid_t clock;

	if (e->worker.pid == 0 || clock_getcpuclockid(e->worker.pid, &clock) != 0 ||
	    clock_gettime(clock, &t) != 0)
		return UINT64_MAX;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void sotto_engine_allow_work(struct sotto_engine *e, uint64_t work, uint64_t time)
{
	uint64_t start = sotto_engine_work(e);

	sotto_engine_allow(e, time);
	e->work_end = work < UINT64_MAX - start ? start + work : UINT64_MAX;
}

static bool is_out_of_time(const struct sotto_engine *e)
{
	return (e->deadline != UINT64_MAX && now() >= e->deadline) ||
	       (e->work_end != UINT64_MAX && sotto_engine_work(e) >= e->work_end);
}

/* How long to wait at a time: up to the deadline; where work is limited it is looked at now and then. */
static bool next_wait(const struct sotto_engine *e, struct timespec *out)
{
	const uint64_t now_and_then = 10000000;
	uint64_t at = now(), wait = at < e->deadline ? e->deadline - at : 0;

	if (e->deadline == UINT64_MAX && e->work_end == UINT64_MAX)
		return false;
	if (e->work_end != UINT64_MAX && wait > now_and_then)
		wait = now_and_then;
	*out = (struct timespec){.tv_sec = (time_t)(wait / 1000000000),
				 .tv_nsec = (long)(wait % 1000000000)};
	return true;
}

/* Until the socket can be read or written, or the time is over. */
static enum sotto_status await(struct sotto_engine *e, short events)
{
	struct pollfd p = {.fd = e->worker.socket, .events = events};
	struct timespec wait;
	int n;

	do
		n = ppoll(&p, 1, next_wait(e, &wait) ? &wait : NULL, NULL);
	while ((n < 0 && errno == EINTR) || (n == 0 && !is_out_of_time(e)));
	return n > 0 ? SOTTO_OK : SOTTO_EIO;
}

/* ---- one request and its reply -------------------------------------------------------- */

static enum sotto_status send_all(struct sotto_engine *e, const void *bytes, size_t n)
{
	const char *next = bytes;

	while (n > 0) {
		ssize_t sent = send(e->worker.socket, next, n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent > 0) {
			next += sent;
			n -= (size_t)sent;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			SOTTO_TRY(await(e, POLLOUT));
		} else if (errno != EINTR) {
			return SOTTO_EIO;
		}
	}
	return SOTTO_OK;
}

static enum sotto_status receive_all(struct sotto_engine *e, void *bytes, size_t n)
{
	char *next = bytes;

	while (n > 0) {
		ssize_t got;

		SOTTO_TRY(await(e, POLLIN));
		got = recv(e->worker.socket, next, n, MSG_DONTWAIT);
		if (got == 0)
			return SOTTO_EIO;
		if (got > 0) {
			next += got;
			n -= (size_t)got;
		} else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
			return SOTTO_EIO;
		}
	}
	return SOTTO_OK;
}

static enum sotto_status
send_request(struct sotto_engine *e, enum sotto_worker_type type, const struct sotto_buffer *b)
{
	const struct sotto_worker_header header = {.type = type, .length = b->length};
	uint8_t bytes[SOTTO_WORKER_HEADER];

	sotto_worker_header_write(&header, bytes);
	SOTTO_TRY(send_all(e, bytes, sizeof bytes));
	return send_all(e, b->bytes, b->length);
}

static enum sotto_status receive_reply(struct sotto_engine *e, enum sotto_worker_type type,
				       struct sotto_worker_reply *out)
{
	struct sotto_worker_header header;
	uint8_t bytes[SOTTO_WORKER_HEADER];

	SOTTO_TRY(receive_all(e, bytes, sizeof bytes));
	if (!sotto_worker_header_read(bytes, e->memory, &header) || header.type != type)
		return SOTTO_ECORRUPT;
	out->size = (size_t)header.length;
	out->message = malloc(out->size + 1);
	if (!out->message)
		return SOTTO_ENOMEM;
	SOTTO_TRY(receive_all(e, out->message, out->size));
	out->rest.next = out->message;
	out->rest.end = out->rest.next + out->size;
	return sotto_worker_take_outcome(&out->rest, &out->outcome) ? SOTTO_OK : SOTTO_ECORRUPT;
}

void sotto_engine_lose(struct sotto_engine *e, enum sotto_status why)
{
	char how[SOTTO_WORKER_DETAIL] = "the engine's process was ended";
	const char *reason = is_out_of_time(e)       ? "out of time"
			     : why == SOTTO_ECORRUPT ? "not understood"
						     : "no reply";

	sotto_worker_end(&e->worker, how, sizeof how);
	(void)snprintf(e->detail, sizeof e->detail, "%s; %.1900s", reason, how);
	sotto_wipe(how, sizeof how);
}

/* SOTTO_OK: there is a reply, whatever it says.  The caller releases it. */
static enum sotto_status exchange(struct sotto_engine *e, enum sotto_worker_type type,
				  const struct sotto_buffer *request,
				  struct sotto_worker_reply *out)
{
	enum sotto_status st;

	*out = (struct sotto_worker_reply){0};
	if (sotto_engine_is_lost(e))
		return SOTTO_EIO;
	st = send_request(e, type, request);
	if (st == SOTTO_OK)
		st = receive_reply(e, type, out);
	if (st == SOTTO_OK)
		return SOTTO_OK;
	sotto_worker_reply_release(out);
	sotto_engine_lose(e, st);
	return st == SOTTO_ENOMEM ? st : SOTTO_EIO;
}

enum sotto_status sotto_engine_call(struct sotto_engine *e, enum sotto_worker_type type,
				    const struct sotto_buffer *request,
				    struct sotto_worker_reply *out)
{
	SOTTO_TRY(exchange(e, type, request, out));
	(void)snprintf(e->detail, sizeof e->detail, "%s", out->outcome.detail);
	return out->outcome.status;
}

/* ---- starting and stopping ------------------------------------------------------------ */

static enum sotto_status
put_hello(struct sotto_buffer *b, const struct sotto_engine_limits *limits)
{
	SOTTO_TRY(sotto_worker_put_u32(b, SOTTO_WORKER_PROTOCOL));
	SOTTO_TRY(sotto_worker_put_text(b, sotto_worker_build));
	SOTTO_TRY(sotto_worker_put_u32(b, limits->threads));
	SOTTO_TRY(sotto_worker_put_u64(b, limits->memory));
	return sotto_worker_put_u64(b, limits->processor);
}

/* The reply names its own version, whatever else it says. */
static enum sotto_status
check_version(struct sotto_engine *e, struct sotto_worker_reply *reply, struct sotto_error *err)
{
	const char *version = "?";
	uint32_t protocol = 0;

	if (!sotto_worker_take_u32(&reply->rest, &protocol) ||
	    !sotto_worker_take_text(&reply->rest, &version) ||
	    protocol != SOTTO_WORKER_PROTOCOL || strcmp(version, sotto_worker_build) != 0)
		return sotto_fail(err, SOTTO_ESTATE,
				  "the engine's program %.200s is sotto %.40s, this is sotto "
				  "%s; let SOTTO_WORKER name the program of this version",
				  e->worker.program, version, sotto_worker_build);
	return SOTTO_OK;
}

static enum sotto_status
greet(struct sotto_engine *e, const struct sotto_engine_limits *limits, struct sotto_error *err)
{
	struct sotto_buffer b;
	struct sotto_worker_reply reply = {0};
	enum sotto_status st;

	e->memory = limits->memory;
	sotto_buffer_init(&b, 4096);
	st = put_hello(&b, limits);
	if (st == SOTTO_OK && (st = exchange(e, SOTTO_WORKER_HELLO, &b, &reply)) != SOTTO_OK)
		st = sotto_fail(err, st,
				"the engine's process (%.200s) did not start: no memory or "
				"processes may be left, its limits may be too small, or it is "
				"another program; set SOTTO_WORKER to the right one",
				e->worker.program);
	if (st == SOTTO_OK)
		st = check_version(e, &reply, err);
	if (st == SOTTO_OK && reply.outcome.status != SOTTO_OK)
		st = sotto_fail(err, reply.outcome.status, "%s", reply.outcome.sentence);
	sotto_worker_reply_release(&reply);
	sotto_buffer_release(&b);
	return st;
}

static enum sotto_status start_from(struct sotto_engine *e, const char *program,
				    const struct sotto_engine_limits *limits,
				    struct sotto_error *err)
{
	enum sotto_status st = sotto_worker_start(&e->worker, program, err);

	sotto_engine_allow(e, GREETING_TIME);
	if (st == SOTTO_OK)
		st = greet(e, limits, err);
	sotto_engine_allow(e, UINT64_MAX);
	if (st != SOTTO_OK)
		sotto_worker_end(&e->worker, NULL, 0);
	return st;
}

/*
 * While programs are replaced, the small one may be of another build for a moment, or half written.
 * Whatever is wrong with it, this program can do the same; limits that it cannot hold, neither can.
 */
static enum sotto_status
start(struct sotto_engine *e, const struct sotto_engine_limits *limits, struct sotto_error *err)
{
	char program[SOTTO_WORKER_PATH], small[SOTTO_WORKER_PATH];
	enum sotto_status st;

	SOTTO_TRY(sotto_worker_find(program, sizeof program, err));
	if (sotto_worker_find_small(program, small, sizeof small)) {
		st = start_from(e, small, limits, err);
		if (st == SOTTO_OK || st == SOTTO_ERANGE)
			return st;
	}
	return start_from(e, program, limits, err);
}

enum sotto_status sotto_engine_open_within(const struct sotto_engine_limits *limits,
					   struct sotto_engine **out, struct sotto_error *err)
{
	struct sotto_engine_limits within = {0};
	struct sotto_engine *e;
	enum sotto_status st;

	if (limits)
		within = *limits;
	SOTTO_TRY(sotto_machine_limit(&within, err));
	e = calloc(1, sizeof *e);
	if (!e)
		return SOTTO_ENOMEM;
	st = start(e, &within, err);
	if (st != SOTTO_OK) {
		sotto_engine_close(e);
		return st;
	}
	*out = e;
	return SOTTO_OK;
}

void sotto_engine_close(struct sotto_engine *e)
{
	if (!e)
		return;
	sotto_worker_end(&e->worker, NULL, 0);
	sotto_wipe(e, sizeof *e);
	free(e);
}

bool sotto_engine_is_lost(struct sotto_engine *e)
{
	struct pollfd p = {.fd = e->worker.socket, .events = POLLIN | POLLRDHUP};

	/* Between requests nothing is to be read: whatever is there is an end, or no worker. */
	if (e->worker.pid != 0 && poll(&p, 1, 0) > 0)
		sotto_engine_lose(e, SOTTO_EIO);
	return e->worker.pid == 0;
}

const char *sotto_engine_detail(const struct sotto_engine *e)
{
	return e->detail;
}
