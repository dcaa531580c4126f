/*
 * Handles what one worker sends.
 *
 * (1) A partial is taken only from a worker that holds the token of this question, for the
 *     bucket that it was given.
 * (2) What ends the question ends it at once: a final refusal, a forged frame, two partials of
 *     a bucket that differ.  What only loses a worker starts another, a few times.
 */
#include <stdio.h>
#include <string.h>

#include "central/spread/buckets_run.h"
#include "central/spread/coordinator.h"
#include "central/spread/refusal.h"
#include "core/base/failure.h"

/* The end of what it said, in one line. */
static void keep_words(struct sotto_coordinator *r, const char *said)
{
	char *words = r->account->words;
	size_t n = strlen(said), most = sizeof r->account->words - 1;

	if (n == 0)
		return;
	(void)snprintf(words, most + 1, "%s", n > most ? said + n - most : said);
	for (size_t i = strlen(words); i > 0 && (words[i - 1] == '\n' || words[i - 1] == '\r');
	     i--)
		words[i - 1] = '\0';
	for (char *c = words; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
}

static void lose(struct sotto_coordinator *r, struct sotto_link *l)
{
	sotto_spread_process_hear(&l->process);
	keep_words(r, l->process.last);
	if (l->state != SOTTO_LINK_OPENING || l->process.pid != 0)
		r->running[l->bucket] = false;
	r->account->lost++;
	sotto_link_release(l);
}

static enum sotto_status send_job(struct sotto_coordinator *r, struct sotto_link *l)
{
	struct sotto_bucket_job job;
	struct sotto_buffer b;
	enum sotto_status st;

	SOTTO_TRY(r->work->job(r->work->job_context, l->bucket, &job));
	sotto_buffer_init(&b, SOTTO_JOB_MAX);
	st = sotto_bucket_job_put(&b, &job);
	if (st == SOTTO_OK)
		st = sotto_channel_seal(&l->channel, SOTTO_FRAME_JOB, sotto_buffer_text(&b),
					b.length, &l->out);
	sotto_buffer_release(&b);
	l->state = SOTTO_LINK_JOB;
	return st;
}

/*
 * Each worker makes a key pair of its own.  One that comes with the key of another replays what
 * that one sent.
 */
static enum sotto_status know_opening(struct sotto_coordinator *r, const struct sotto_link *l)
{
	const char *bytes = (const char *)l->opening;

	if (sotto_partial_keys_find(&r->openings, bytes, sizeof l->opening) != SOTTO_NO_KEY)
		return SOTTO_ECORRUPT;
	return sotto_partial_keys_add(&r->openings, bytes, sizeof l->opening);
}

/* A worker that a process of ours is has the bucket that it was started for. */
static enum sotto_status
take_hello(struct sotto_coordinator *r, struct sotto_link *l, const uint8_t *bytes, size_t n)
{
	struct sotto_worker_fields f = {bytes, bytes + n};
	const char *version;
	uint32_t bucket;

	if (!sotto_worker_take_u32(&f, &bucket) || !sotto_worker_take_text(&f, &version) ||
	    bucket >= r->settings->buckets || (l->process.pid != 0 && bucket != l->bucket))
		return sotto_coordinator_fail(r, SOTTO_ECORRUPT,
					      "a worker did not say which bucket it has", "");
	SOTTO_TRY(know_opening(r, l));
	if (strcmp(version, SOTTO_VERSION) != 0)
		return sotto_coordinator_fail(
			r, SOTTO_ESTATE, sotto_refusal_text(SOTTO_REFUSAL_VERSION), version);
	l->bucket = bucket;
	r->running[bucket] = true;
	if (l->process.pid == 0)
		r->account->started++;
	return send_job(r, l);
}

static enum sotto_status
take_partial(struct sotto_coordinator *r, struct sotto_link *l, const uint8_t *bytes, size_t n)
{
	bool repeated = sotto_merge_has(r->merge, l->bucket);
	uint32_t missing = sotto_merge_missing(r->merge) - (repeated ? 0 : 1);
	enum sotto_status st = sotto_merge_add(r->merge, bytes, n);

	if (st == SOTTO_ESTATE)
		return sotto_coordinator_fail(
			r, st, "two workers found different things in one bucket", "");
	if (st != SOTTO_OK || !sotto_merge_has(r->merge, l->bucket) ||
	    sotto_merge_missing(r->merge) != missing)
		return sotto_coordinator_fail(
			r, st == SOTTO_OK ? SOTTO_ECORRUPT : st,
			"a worker sent something that is not a partial of its bucket", "");
	r->account->repeated += repeated;
	r->account->bytes += n;
	r->account->strays += repeated ? 0 : l->strays;
	r->running[l->bucket] = false;
	l->state = SOTTO_LINK_ENDED;
	if (!repeated && r->work->done)
		r->work->done(r->work->done_context,
			      r->settings->buckets - sotto_merge_missing(r->merge),
			      r->settings->buckets);
	return SOTTO_OK;
}

static enum sotto_status
take_refusal(struct sotto_coordinator *r, struct sotto_link *l, const uint8_t *bytes, size_t n)
{
	enum sotto_refusal why;
	const char *detail;

	if (!sotto_refusal_take(bytes, n, &why, &detail))
		return sotto_coordinator_fail(r, SOTTO_ECORRUPT,
					      "a worker sent a refusal that is none", "");
	if (!sotto_refusal_is_final(why) && r->attempts[l->bucket] < SOTTO_BUCKET_ATTEMPTS) {
		keep_words(r, detail);
		return SOTTO_EIO;
	}
	if (!r->account->detail[0]) { /* the first failure is the one that is told */
		r->account->is_refused = true;
		r->account->refusal = why;
	}
	return sotto_coordinator_fail(r, SOTTO_ESTATE, sotto_refusal_text(why), detail);
}

static enum sotto_status
take_strays(struct sotto_coordinator *r, struct sotto_link *l, const uint8_t *bytes, size_t n)
{
	struct sotto_worker_fields f = {bytes, bytes + n};

	if (!sotto_worker_take_u64(&f, &l->strays) || f.next != f.end)
		return sotto_coordinator_fail(r, SOTTO_ECORRUPT,
					      "a worker sent a number that is none", "");
	return SOTTO_OK;
}

static enum sotto_status take_frame(struct sotto_coordinator *r, struct sotto_link *l,
				    enum sotto_frame_type type, const uint8_t *bytes, size_t n)
{
	if (l->state == SOTTO_LINK_HELLO && type == SOTTO_FRAME_HELLO)
		return take_hello(r, l, bytes, n);
	if (l->state == SOTTO_LINK_JOB && type == SOTTO_FRAME_PARTIAL)
		return take_partial(r, l, bytes, n);
	if (l->state == SOTTO_LINK_JOB && type == SOTTO_FRAME_STRAYS)
		return take_strays(r, l, bytes, n);
	if (l->state == SOTTO_LINK_JOB && type == SOTTO_FRAME_REFUSAL)
		return take_refusal(r, l, bytes, n);
	return sotto_coordinator_fail(r, SOTTO_ECORRUPT, "a worker sent what was not asked for",
				      "");
}

/* What a process of ours sends first is its greeting, unless a shell has said something. */
static enum sotto_status take_opening(struct sotto_coordinator *r, struct sotto_link *l)
{
	enum sotto_status st;

	if (l->state != SOTTO_LINK_OPENING || l->in.length < SOTTO_CHANNEL_OPENING)
		return SOTTO_OK;
	st = sotto_channel_accept(&l->channel, &r->keys, r->ticket.token,
				  (const uint8_t *)l->in.bytes);
	if (st != SOTTO_OK && l->process.pid != 0)
		keep_words(r, "something else before its greeting; the shell that starts it "
			      "must print nothing");
	SOTTO_TRY(st);
	memcpy(l->opening, l->in.bytes, sizeof l->opening);
	sotto_link_drop(l, SOTTO_CHANNEL_OPENING);
	l->state = SOTTO_LINK_HELLO;
	return SOTTO_OK;
}

/*
 * Whoever has not shown that it holds the token is a stranger: it is sent away, and cannot end
 * the query.  After that whatever is not right does.
 */
static enum sotto_status read_frames(struct sotto_coordinator *r, struct sotto_link *l)
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
				       ? sotto_coordinator_fail(
						 r, st, "a worker sent a forged frame", "")
				       : st;
		st = take_frame(r, l, type, bytes, n);
		sotto_link_drop(l, length);
		SOTTO_TRY(st);
	}
	return SOTTO_OK;
}

/* What a worker sent before it ended counts. */
enum sotto_status sotto_coordinator_serve(struct sotto_coordinator *r, struct sotto_link *l)
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
	if ((read != SOTTO_OK || st == SOTTO_ERANGE) && state != SOTTO_LINK_JOB &&
	    l->process.pid == 0)
		r->account->strangers++;
	if (read != SOTTO_OK || st != SOTTO_OK)
		lose(r, l);
	return SOTTO_OK;
}
