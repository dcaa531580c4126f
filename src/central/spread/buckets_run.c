/*
 * The coordinator: starts workers, hands out jobs, takes in partials, and waits for all.
 * Every process that was started is ended and waited for.
 */
#include "central/spread/buckets_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "central/engine/worker/process_limits.h"
#include "central/spread/channel/spread_socket.h"
#include "central/spread/coordinator.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

enum {
	LINKS_SPARE = 64, /* connections beside those of the buckets, for strangers */
	SCHEDULER_PATIENCE = 5000, /* milliseconds */
	SECOND = 1000000000,
};

static uint64_t now(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* ---- all of them -------------------------------------------------------------------- */

static bool is_stranger(const struct sotto_link *l)
{
	return l->state < SOTTO_LINK_JOB && l->process.pid == 0;
}

/* Whoever has connected and shows no token makes room for others, the first to come first. */
static bool send_stranger_away(struct sotto_coordinator *r)
{
	struct sotto_link *first = NULL;

	for (size_t i = 0; i < r->link_count; i++)
		if (is_stranger(&r->links[i]) &&
		    (!first || r->links[i].arrival < first->arrival))
			first = &r->links[i];
	if (!first)
		return false;
	sotto_link_release(first);
	r->account->strangers++;
	return true;
}

/* If no file can be opened for one more, the listener waits until something has happened. */
static void accept_worker(struct sotto_coordinator *r)
{
	int fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct sotto_link *l;

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE)
			r->is_full = !send_stranger_away(r);
		return;
	}
	l = sotto_coordinator_new_link(r);
	if (!l && send_stranger_away(r))
		l = sotto_coordinator_new_link(r);
	if (!l) {
		(void)close(fd);
		return;
	}
	l->socket = fd;
	l->arrival = ++r->arrivals;
}

/*
 * For poll(): the scheduler's words and end, the listener, then what each link has.  No link
 * that is free stands there: poll() takes no more than there may be open files.
 */
static size_t gather(struct sotto_coordinator *r, struct pollfd *p)
{
	size_t n = 0;

	p[n++] = (struct pollfd){.fd = r->scheduler.words, .events = POLLIN};
	p[n++] = (struct pollfd){.fd = r->scheduler.pidfd, .events = POLLIN};
	p[n++] = (struct pollfd){.fd = r->is_full ? -1 : r->listener, .events = POLLIN};
	for (size_t i = 0; i < r->link_count; i++) {
		struct sotto_link *l = &r->links[i];
		bool waits = l->out_at < l->out.length;

		if (sotto_link_is_free(l))
			continue;
		l->polled = n;
		p[n++] = (struct pollfd){.fd = l->socket,
					 .events = (short)(POLLIN | (waits ? POLLOUT : 0))};
		if (l->process.words >= 0)
			p[n++] = (struct pollfd){.fd = l->process.words, .events = POLLIN};
	}
	return n;
}

static enum sotto_status
serve_link(struct sotto_coordinator *r, struct sotto_link *l, const struct pollfd *p)
{
	if (l->process.words >= 0 && p[l->polled + 1].revents)
		sotto_spread_process_hear(&l->process);
	return p[l->polled].revents ? sotto_coordinator_serve(r, l) : SOTTO_OK;
}

static enum sotto_status wait_once(struct sotto_coordinator *r, struct pollfd *p)
{
	uint64_t at = now(), left = at < r->deadline ? r->deadline - at : 0;
	uint64_t milliseconds = left / 1000000 + 1;

	if (left == 0)
		return sotto_coordinator_fail(r, SOTTO_EIO, "out of time", "");
	if (poll(p, gather(r, p), milliseconds < 60000 ? (int)milliseconds : 60000) < 0)
		return errno == EINTR ? SOTTO_OK
				      : sotto_coordinator_fail(
						r, SOTTO_EIO, "could not wait for workers", "");
	r->is_full = false;
	if (p[0].revents)
		sotto_spread_process_hear(&r->scheduler);
	for (size_t i = 0; i < r->link_count; i++)
		if (!sotto_link_is_free(&r->links[i]))
			SOTTO_TRY(serve_link(r, &r->links[i], p));
	if (p[2].revents)
		accept_worker(r);
	if (p[1].revents && sotto_merge_missing(r->merge) > 0) {
		sotto_spread_process_hear(&r->scheduler);
		return sotto_coordinator_fail(
			r, SOTTO_EIO, "the scheduler ended before all buckets were done",
			r->scheduler.last);
	}
	return SOTTO_OK;
}

static enum sotto_status wait_for_all(struct sotto_coordinator *r)
{
	struct pollfd *p = calloc(2 * r->link_most + 3, sizeof *p);
	enum sotto_status st = p ? SOTTO_OK : SOTTO_ENOMEM;

	while (st == SOTTO_OK && sotto_merge_missing(r->merge) > 0) {
		st = sotto_coordinator_start_workers(r);
		if (st == SOTTO_OK)
			st = wait_once(r, p);
	}
	free(p);
	return st;
}

/* ---- beginning and end -------------------------------------------------------------- */

static enum sotto_status open_listener(struct sotto_coordinator *r)
{
	const struct sotto_spread_settings *s = r->settings;
	const char *host;

	(void)snprintf(r->ticket.address, sizeof r->ticket.address, "-");
	if (!s->launcher->is_scheduler)
		return SOTTO_OK;
	host = s->listen ? s->listen : s->launcher->listen(&r->arena, s);
	if (!host || sotto_socket_listen(host, &r->listener, r->ticket.address,
					 sizeof r->ticket.address) != SOTTO_OK)
		return sotto_coordinator_fail(r, SOTTO_EIO,
					      "no socket could be opened for workers at",
					      host ? host : "this host's address");
	(void)fcntl(r->listener, F_SETFL, O_NONBLOCK);
	return SOTTO_OK;
}

/*
 * No partial is longer than the memory of the worker that makes it.  There is no other limit: how
 * many groups and values there are may depend on one unit, and a limit of our own would tell.
 */
static uint64_t longest_partial(const struct sotto_bucket_job *job)
{
	struct sotto_engine_limits limits = {.memory = job->memory};

	if (job->memory > 0)
		return job->memory;
	return sotto_machine_limit(&limits, NULL) == SOTTO_OK ? limits.memory : 0;
}

static enum sotto_status begin(struct sotto_coordinator *r)
{
	uint8_t digest[SOTTO_JOB_DIGEST];
	struct sotto_bucket_job job;

	SOTTO_TRY(sotto_key_pair_make(&r->keys));
	if (RAND_bytes(r->ticket.token, sizeof r->ticket.token) != 1)
		return SOTTO_EENTROPY;
	memcpy(r->ticket.coordinator, r->keys.open, sizeof r->ticket.coordinator);
	SOTTO_TRY(r->work->job(r->work->job_context, 0, &job));
	SOTTO_TRY(sotto_bucket_job_digest(&job, digest));
	r->partial_most = longest_partial(&job);
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
	return r->settings->launcher->is_scheduler ? sotto_coordinator_start_scheduler(r)
						   : SOTTO_OK;
}

static void end(struct sotto_coordinator *r)
{
	for (size_t i = 0; i < r->link_count; i++)
		if (!sotto_link_is_free(&r->links[i]))
			sotto_link_release(&r->links[i]);
	if (r->listener >= 0)
		(void)close(r->listener);
	sotto_spread_process_close(&r->scheduler, SCHEDULER_PATIENCE);
	sotto_merge_free(r->merge);
	sotto_arena_release(&r->arena);
	sotto_partial_keys_release(&r->openings);
	free(r->attempts);
	free(r->running);
	free(r->links);
	sotto_wipe(r, sizeof *r);
}

enum sotto_status sotto_buckets_run(const struct sotto_spread_work *work,
				    struct sotto_engine_result **out,
				    struct sotto_spread_account *account)
{
	struct sotto_coordinator r = {.work = work,
				      .settings = work->settings,
				      .parallel = work->settings->parallel,
				      .account = account,
				      .listener = -1,
				      .scheduler = {.pidfd = -1, .socket = -1, .words = -1}};
	uint64_t start = now();
	enum sotto_status st;

	*account = (struct sotto_spread_account){0};
	r.deadline = work->time < UINT64_MAX - start ? start + work->time : UINT64_MAX;
	sotto_arena_init(&r.arena, (size_t)64 << 20);
	sotto_partial_keys_init(&r.openings);
	st = begin(&r);
	if (st == SOTTO_OK)
		st = wait_for_all(&r);
	if (st == SOTTO_OK)
		st = sotto_merge_finish(r.merge, out);
	end(&r);
	return st;
}
