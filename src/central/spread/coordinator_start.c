/*
 * Starting workers: one process for each bucket, which gets its ticket on its standard input,
 * or a scheduler that starts them all.
 */
#include <stdio.h>
#include <sys/socket.h>

#include "central/spread/buckets_run.h"
#include "central/spread/coordinator.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

enum sotto_status sotto_coordinator_fail(struct sotto_coordinator *r, enum sotto_status st,
					 const char *what, const char *detail)
{
	if (!r->account->detail[0])
		(void)snprintf(r->account->detail, sizeof r->account->detail, "%s%s%.1500s",
			       what, *detail ? ": " : "", detail);
	return st;
}

struct sotto_link *sotto_coordinator_new_link(struct sotto_coordinator *r)
{
	for (size_t i = 0; i < r->link_count; i++)
		if (sotto_link_is_free(&r->links[i])) {
			sotto_link_init(&r->links[i], r->partial_most);
			return &r->links[i];
		}
	if (r->link_count == r->link_most)
		return NULL;
	sotto_link_init(&r->links[r->link_count], r->partial_most);
	return &r->links[r->link_count++];
}

static enum sotto_status
put_ticket(const struct sotto_coordinator *r, uint32_t bucket, struct sotto_buffer *b)
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

/* The command of a launcher; if there is none, the owner is told why. */
static enum sotto_status
make_command(struct sotto_coordinator *r, uint32_t bucket, const char *const **words)
{
	const struct sotto_spread_settings *s = r->settings;
	struct sotto_error err = {""};
	enum sotto_status st =
		s->launcher->command(&r->arena, s, bucket, r->attempts[bucket], words, &err);

	return st == SOTTO_OK ? st
			      : sotto_coordinator_fail(r, st, "workers could not be started",
						       err.text);
}

/* If no more processes can be started beside those that run, there are fewer at a time. */
static enum sotto_status
start_worker(struct sotto_coordinator *r, uint32_t bucket, unsigned running)
{
	const struct sotto_spread_settings *s = r->settings;
	struct sotto_link *l = sotto_coordinator_new_link(r);
	const char *const *words;

	if (!l)
		return SOTTO_ENOMEM;
	l->state = SOTTO_LINK_ENDED;
	SOTTO_TRY(make_command(r, bucket, &words));
	if (sotto_spread_process_open(&l->process, words, true,
				      s->launcher->is_remote || s->keeps_environment) !=
	    SOTTO_OK) {
		r->parallel = running;
		if (running > 0)
			return SOTTO_OK;
		return sotto_coordinator_fail(r, SOTTO_EIO, "a worker could not be started",
					      words[0]);
	}
	l->state = SOTTO_LINK_OPENING;
	l->socket = l->process.socket;
	l->bucket = bucket;
	r->attempts[bucket]++;
	r->running[bucket] = true;
	r->account->started++;
	return put_ticket(r, bucket, &l->out);
}

enum sotto_status sotto_coordinator_start_workers(struct sotto_coordinator *r)
{
	unsigned running = 0;

	if (r->settings->launcher->is_scheduler)
		return SOTTO_OK;
	for (size_t i = 0; i < r->link_count; i++)
		running += !sotto_link_is_free(&r->links[i]);
	for (uint32_t b = 0; b < r->settings->buckets && running < r->parallel; b++) {
		if (r->running[b] || sotto_merge_has(r->merge, b))
			continue;
		if (r->attempts[b] >= SOTTO_BUCKET_ATTEMPTS)
			return sotto_coordinator_fail(
				r, SOTTO_EIO, "the worker of a bucket was lost again and again",
				"");
		SOTTO_TRY(start_worker(r, b, running));
		running++;
	}
	return SOTTO_OK;
}

/* All that it reads is a ticket: the process makes one for each of its workers. */
enum sotto_status sotto_coordinator_start_scheduler(struct sotto_coordinator *r)
{
	const char *const *words;
	struct sotto_buffer b;
	enum sotto_status st;

	SOTTO_TRY(make_command(r, 0, &words));
	if (sotto_spread_process_open(&r->scheduler, words, false, true) != SOTTO_OK)
		return sotto_coordinator_fail(r, SOTTO_EIO,
					      "the scheduler could not be started", words[0]);
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
