/*
 * The coordinator: starts workers, hands out jobs, takes in partials.
 *
 * (1) A partial is taken only from a worker that holds the token of this question, for the
 *     bucket that it was given.
 * (2) What ends the query ends it at once: a final refusal, a forged frame, two partials of a
 *     bucket that differ.  What only loses a worker starts another, a few times.
 * (3) Every process that was started is ended and waited for.
 */
#include "central/engine/spread/buckets_run.h"

#include <fcntl.h>
#include <poll.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "central/engine/spread/refusal.h"
#include "central/engine/spread/spread_link.h"
#include "central/engine/spread/spread_socket.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

enum {
	ATTEMPTS_MAX = 4, /* of one bucket */
	LINKS_SPARE = 64, /* connections beside those of the buckets, for strangers */
	SCHEDULER_PATIENCE = 5000, /* milliseconds */
	SECOND = 1000000000,
};

struct run {
	const struct sotto_spread_work *work;
	const struct sotto_spread_settings *settings;
	struct sotto_spread_account *account;
	struct sotto_merge *merge;
	struct sotto_key_pair keys;
	struct sotto_ticket ticket; /* for bucket 0 */
	struct sotto_arena arena; /* of commands */
	struct sotto_link *links;
	size_t link_count, link_most;
	unsigned *attempts; /* of each bucket */
	bool *running;
	struct sotto_spread_process scheduler;
	int listener; /* or -1 */
	uint64_t deadline;
};

static uint64_t now(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* The first reason is the one that is told. */
static enum sotto_status
fail(struct run *r, enum sotto_status st, const char *what, const char *detail)
{
	if (!r->account->detail[0])
		(void)snprintf(r->account->detail, sizeof r->account->detail, "%s%s%.1500s",
			       what, *detail ? ": " : "", detail);
	return st;
}

/* ---- starting workers --------------------------------------------------------------- */

static bool is_free(const struct sotto_link *l)
{
	return l->state == SOTTO_LINK_ENDED;
}

static struct sotto_link *new_link(struct run *r)
{
	for (size_t i = 0; i < r->link_count; i++)
		if (is_free(&r->links[i])) {
			sotto_link_init(&r->links[i]);
			return &r->links[i];
		}
	if (r->link_count == r->link_most)
		return NULL;
	sotto_link_init(&r->links[r->link_count]);
	return &r->links[r->link_count++];
}

static enum sotto_status
put_ticket(const struct run *r, uint32_t bucket, struct sotto_buffer *b)
{
	struct sotto_ticket ticket = r->ticket;
	char line[SOTTO_TICKET_MAX];
	enum sotto_status st;

	ticket.bucket = bucket;
	sotto_ticket_write(&ticket, line, sizeof line);
	st = sotto_buffer_append_text(b, line);
	sotto_wipe(line, sizeof line);
	sotto_wipe(&ticket, sizeof ticket);
	return st;
}

static enum sotto_status start_worker(struct run *r, uint32_t bucket)
{
	const struct sotto_spread_settings *s = r->settings;
	struct sotto_link *l = new_link(r);
	const char *const *words;

	if (!l)
		return SOTTO_ENOMEM;
	l->state = SOTTO_LINK_ENDED;
	SOTTO_TRY(
		s->launcher->command(&r->arena, s, bucket, r->attempts[bucket], &words, NULL));
	if (sotto_spread_process_open(&l->process, words, true,
				      s->launcher->is_remote || s->keeps_environment) !=
	    SOTTO_OK)
		return fail(r, SOTTO_EIO, "a worker could not be started", words[0]);
	l->state = SOTTO_LINK_OPENING;
	l->socket = l->process.socket;
	l->bucket = bucket;
	r->attempts[bucket]++;
	r->running[bucket] = true;
	r->account->started++;
	return put_ticket(r, bucket, &l->out);
}

static enum sotto_status start_workers(struct run *r)
{
	unsigned running = 0;

	if (r->settings->launcher->is_scheduler)
		return SOTTO_OK;
	for (size_t i = 0; i < r->link_count; i++)
		running += !is_free(&r->links[i]);
	for (uint32_t b = 0; b < r->settings->buckets && running < r->settings->parallel; b++) {
		if (r->running[b] || sotto_merge_has(r->merge, b))
			continue;
		if (r->attempts[b] >= ATTEMPTS_MAX)
			return fail(r, SOTTO_EIO,
				    "the worker of a bucket was lost again and again", "");
		SOTTO_TRY(start_worker(r, b));
		running++;
	}
	return SOTTO_OK;
}

/* All that it reads is a ticket: the process makes one for each of its workers. */
static enum sotto_status start_scheduler(struct run *r)
{
	const struct sotto_spread_settings *s = r->settings;
	const char *const *words;
	struct sotto_buffer b;
	enum sotto_status st;

	SOTTO_TRY(s->launcher->command(&r->arena, s, 0, 0, &words, NULL));
	if (sotto_spread_process_open(&r->scheduler, words, false, true) != SOTTO_OK)
		return fail(r, SOTTO_EIO, "the scheduler could not be started", words[0]);
	sotto_buffer_init(&b, 4096);
	st = put_ticket(r, 0, &b);
	if (st == SOTTO_OK &&
	    send(r->scheduler.socket, b.bytes, b.length, MSG_NOSIGNAL) != (ssize_t)b.length)
		st = SOTTO_EIO;
	if (b.bytes)
		sotto_wipe(b.bytes, b.length);
	sotto_buffer_release(&b);
	return st;
}

/* ---- one worker --------------------------------------------------------------------- */

static void lose(struct run *r, struct sotto_link *l)
{
	sotto_spread_process_hear(&l->process);
	if (l->state != SOTTO_LINK_OPENING || l->process.pid != 0)
		r->running[l->bucket] = false;
	r->account->lost++;
	sotto_link_release(l);
}

static enum sotto_status send_job(struct run *r, struct sotto_link *l)
{
	struct sotto_bucket_job job;
	struct sotto_buffer b;
	enum sotto_status st;

	SOTTO_TRY(r->work->job(r->work->job_context, l->bucket, &job));
	sotto_buffer_init(&b, SOTTO_WORKER_REQUEST_MAX);
	st = sotto_bucket_job_put(&b, &job);
	if (st == SOTTO_OK)
		st = sotto_channel_seal(&l->channel, SOTTO_FRAME_JOB, sotto_buffer_text(&b),
					b.length, &l->out);
	sotto_buffer_release(&b);
	l->state = SOTTO_LINK_JOB;
	return st;
}

/* A worker that a process of ours is has the bucket that it was started for. */
static enum sotto_status
take_hello(struct run *r, struct sotto_link *l, const uint8_t *bytes, size_t n)
{
	struct sotto_worker_fields f = {bytes, bytes + n};
	const char *version;
	uint32_t bucket;

	if (!sotto_worker_take_u32(&f, &bucket) || !sotto_worker_take_text(&f, &version) ||
	    bucket >= r->settings->buckets || (l->process.pid != 0 && bucket != l->bucket))
		return fail(r, SOTTO_ECORRUPT, "a worker did not say which bucket it has", "");
	if (strcmp(version, SOTTO_VERSION) != 0)
		return fail(r, SOTTO_ESTATE, sotto_refusal_text(SOTTO_REFUSAL_VERSION),
			    version);
	l->bucket = bucket;
	r->running[bucket] = true;
	if (l->process.pid == 0)
		r->account->started++;
	return send_job(r, l);
}

static enum sotto_status
take_partial(struct run *r, struct sotto_link *l, const uint8_t *bytes, size_t n)
{
	bool repeated = sotto_merge_has(r->merge, l->bucket);
	enum sotto_status st;

	st = sotto_merge_add(r->merge, bytes, n);
	if (st == SOTTO_ESTATE)
		return fail(r, st, "two workers found different things in one bucket", "");
	if (st != SOTTO_OK || !sotto_merge_has(r->merge, l->bucket))
		return fail(r, st == SOTTO_OK ? SOTTO_ECORRUPT : st,
			    "a worker sent something that is no partial of its bucket", "");
	r->account->repeated += repeated;
	r->account->bytes += n;
	r->running[l->bucket] = false;
	l->state = SOTTO_LINK_ENDED;
	if (!repeated && r->work->done)
		r->work->done(r->work->done_context,
			      r->settings->buckets - sotto_merge_missing(r->merge),
			      r->settings->buckets);
	return SOTTO_OK;
}

static enum sotto_status
take_refusal(struct run *r, struct sotto_link *l, const uint8_t *bytes, size_t n)
{
	enum sotto_refusal why;
	const char *detail;

	if (!sotto_refusal_take(bytes, n, &why, &detail))
		return fail(r, SOTTO_ECORRUPT, "a worker sent a refusal that is none", "");
	if (sotto_refusal_is_final(why) || r->attempts[l->bucket] >= ATTEMPTS_MAX)
		return fail(r, SOTTO_ESTATE, sotto_refusal_text(why), detail);
	return SOTTO_EIO;
}

static enum sotto_status take_frame(struct run *r, struct sotto_link *l,
				    enum sotto_frame_type type, const uint8_t *bytes, size_t n)
{
	if (l->state == SOTTO_LINK_HELLO && type == SOTTO_FRAME_HELLO)
		return take_hello(r, l, bytes, n);
	if (l->state == SOTTO_LINK_JOB && type == SOTTO_FRAME_PARTIAL)
		return take_partial(r, l, bytes, n);
	if (l->state == SOTTO_LINK_JOB && type == SOTTO_FRAME_REFUSAL)
		return take_refusal(r, l, bytes, n);
	return fail(r, SOTTO_ECORRUPT, "a worker sent what was not asked for", "");
}

static enum sotto_status take_opening(struct run *r, struct sotto_link *l)
{
	if (l->state != SOTTO_LINK_OPENING || l->in.length < SOTTO_CHANNEL_OPENING)
		return SOTTO_OK;
	SOTTO_TRY(sotto_channel_accept(&l->channel, &r->keys, r->ticket.token,
				       (const uint8_t *)l->in.bytes));
	sotto_link_drop(l, SOTTO_CHANNEL_OPENING);
	l->state = SOTTO_LINK_HELLO;
	return SOTTO_OK;
}

/*
 * Who has not shown that it holds the token is a stranger: it is sent away, and cannot end
 * the query.  After that whatever is not right does.
 */
static enum sotto_status read_frames(struct run *r, struct sotto_link *l)
{
	enum sotto_frame_type type;
	size_t n, length;
	uint8_t *bytes;

	SOTTO_TRY(take_opening(r, l));
	while (l->state == SOTTO_LINK_HELLO || l->state == SOTTO_LINK_JOB) {
		enum sotto_status st = sotto_link_next(l, &type, &bytes, &n, &length);

		if (st == SOTTO_OK && type == SOTTO_FRAME_NONE)
			return SOTTO_OK;
		if (st != SOTTO_OK)
			return l->state == SOTTO_LINK_JOB
				       ? fail(r, st, "a worker sent a forged frame", "")
				       : st;
		st = take_frame(r, l, type, bytes, n);
		sotto_link_drop(l, length);
		SOTTO_TRY(st);
	}
	return SOTTO_OK;
}

/* What a worker sent before it ended counts. */
static enum sotto_status serve(struct run *r, struct sotto_link *l)
{
	enum sotto_link_state state = l->state;
	enum sotto_status st = sotto_link_send(l), read;

	if (st == SOTTO_OK)
		st = sotto_link_receive(l);
	state = l->state;
	read = read_frames(r, l);
	if (l->state == SOTTO_LINK_ENDED) {
		sotto_link_release(l);
		return SOTTO_OK;
	}
	if (read != SOTTO_OK && r->account->detail[0])
		return read;
	if (read != SOTTO_OK && state != SOTTO_LINK_JOB && l->process.pid == 0)
		r->account->strangers++;
	if (read != SOTTO_OK || st != SOTTO_OK)
		lose(r, l);
	return SOTTO_OK;
}

/* ---- all of them -------------------------------------------------------------------- */

/* Whoever has connected and says nothing makes room for others, the first of them first. */
static void send_stranger_away(struct run *r)
{
	for (size_t i = 0; i < r->link_count; i++)
		if (r->links[i].state == SOTTO_LINK_OPENING && r->links[i].process.pid == 0) {
			sotto_link_release(&r->links[i]);
			r->account->strangers++;
			return;
		}
}

static void accept_worker(struct run *r)
{
	int fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct sotto_link *l = fd >= 0 ? new_link(r) : NULL;

	if (fd >= 0 && !l) {
		send_stranger_away(r);
		l = new_link(r);
	}

	if (l) {
		l->socket = fd;
		return;
	}
	if (fd >= 0)
		(void)close(fd);
}

/* For poll(): the scheduler's words and end, the listener, then two for each link. */
static size_t gather(const struct run *r, struct pollfd *p)
{
	size_t n = 0;

	p[n++] = (struct pollfd){.fd = r->scheduler.words, .events = POLLIN};
	p[n++] = (struct pollfd){.fd = r->scheduler.pidfd, .events = POLLIN};
	p[n++] = (struct pollfd){.fd = r->listener, .events = POLLIN};
	for (size_t i = 0; i < r->link_count; i++) {
		const struct sotto_link *l = &r->links[i];
		bool waits = l->out_at < l->out.length;

		p[n++] = (struct pollfd){.fd = is_free(l) ? -1 : l->socket,
					 .events = (short)(POLLIN | (waits ? POLLOUT : 0))};
		p[n++] = (struct pollfd){.fd = is_free(l) ? -1 : l->process.words,
					 .events = POLLIN};
	}
	return n;
}

static enum sotto_status wait_once(struct run *r, struct pollfd *p)
{
	uint64_t at = now(), left = at < r->deadline ? r->deadline - at : 0;
	uint64_t milliseconds = left / 1000000 + 1;
	size_t links = r->link_count;

	if (left == 0)
		return fail(r, SOTTO_EIO, "out of time", "");
	if (poll(p, gather(r, p), milliseconds < 60000 ? (int)milliseconds : 60000) < 0)
		return SOTTO_OK;
	if (p[0].revents)
		sotto_spread_process_hear(&r->scheduler);
	for (size_t i = 0; i < links; i++) {
		if (p[4 + 2 * i].revents)
			sotto_spread_process_hear(&r->links[i].process);
		if (p[3 + 2 * i].revents && !is_free(&r->links[i]))
			SOTTO_TRY(serve(r, &r->links[i]));
	}
	if (p[2].revents)
		accept_worker(r);
	if (p[1].revents && sotto_merge_missing(r->merge) > 0) {
		sotto_spread_process_hear(&r->scheduler);
		return fail(r, SOTTO_EIO, "the scheduler ended before all buckets were done",
			    r->scheduler.last);
	}
	return SOTTO_OK;
}

static enum sotto_status wait_for_all(struct run *r)
{
	struct pollfd *p = calloc(2 * r->link_most + 3, sizeof *p);
	enum sotto_status st = p ? SOTTO_OK : SOTTO_ENOMEM;

	while (st == SOTTO_OK && sotto_merge_missing(r->merge) > 0) {
		st = start_workers(r);
		if (st == SOTTO_OK)
			st = wait_once(r, p);
	}
	free(p);
	return st;
}

/* ---- beginning and end -------------------------------------------------------------- */

static enum sotto_status open_listener(struct run *r)
{
	const struct sotto_spread_settings *s = r->settings;
	const char *host;

	(void)snprintf(r->ticket.address, sizeof r->ticket.address, "-");
	if (!s->launcher->is_scheduler)
		return SOTTO_OK;
	host = s->listen ? s->listen : s->launcher->listen(&r->arena, s);
	if (!host || sotto_socket_listen(host, &r->listener, r->ticket.address,
					 sizeof r->ticket.address) != SOTTO_OK)
		return fail(r, SOTTO_EIO, "no socket could be opened for workers at",
			    host ? host : "this host's address");
	(void)fcntl(r->listener, F_SETFL, O_NONBLOCK);
	return SOTTO_OK;
}

static enum sotto_status begin(struct run *r)
{
	uint8_t digest[SOTTO_JOB_DIGEST];
	struct sotto_bucket_job job;

	SOTTO_TRY(sotto_key_pair_make(&r->keys));
	if (RAND_bytes(r->ticket.token, sizeof r->ticket.token) != 1)
		return SOTTO_EENTROPY;
	memcpy(r->ticket.coordinator, r->keys.open, sizeof r->ticket.coordinator);
	SOTTO_TRY(r->work->job(r->work->job_context, 0, &job));
	SOTTO_TRY(sotto_bucket_job_digest(&job, digest));
	r->merge = sotto_merge_new(r->work->shape, r->settings->buckets, digest);
	r->attempts = calloc(r->settings->buckets + 1, sizeof *r->attempts);
	r->running = calloc(r->settings->buckets + 1, sizeof *r->running);
	r->link_most = r->settings->launcher->is_scheduler
			       ? 2 * (size_t)r->settings->buckets + LINKS_SPARE
			       : r->settings->parallel + 1;
	r->links = calloc(r->link_most, sizeof *r->links);
	if (!r->merge || !r->attempts || !r->running || !r->links)
		return SOTTO_ENOMEM;
	SOTTO_TRY(open_listener(r));
	return r->settings->launcher->is_scheduler ? start_scheduler(r) : SOTTO_OK;
}

static void end(struct run *r)
{
	for (size_t i = 0; i < r->link_count; i++)
		if (!is_free(&r->links[i]))
			sotto_link_release(&r->links[i]);
	if (r->listener >= 0)
		(void)close(r->listener);
	sotto_spread_process_close(&r->scheduler, SCHEDULER_PATIENCE);
	sotto_merge_free(r->merge);
	sotto_arena_release(&r->arena);
	free(r->attempts);
	free(r->running);
	free(r->links);
	sotto_wipe(r, sizeof *r);
}

enum sotto_status sotto_buckets_run(const struct sotto_spread_work *work,
				    struct sotto_engine_result **out,
				    struct sotto_spread_account *account)
{
	struct run r = {.work = work,
			.settings = work->settings,
			.account = account,
			.listener = -1,
			.scheduler = {.pidfd = -1, .socket = -1, .words = -1}};
	uint64_t start = now();
	enum sotto_status st;

	*account = (struct sotto_spread_account){0};
	r.deadline = work->time < UINT64_MAX - start ? start + work->time : UINT64_MAX;
	sotto_arena_init(&r.arena, (size_t)64 << 20);
	st = begin(&r);
	if (st == SOTTO_OK)
		st = wait_for_all(&r);
	if (st == SOTTO_OK)
		st = sotto_merge_finish(r.merge, out);
	end(&r);
	return st;
}
