/*
 * What a question may use, and when its answer is sent.
 *
 * (1) The engine has the policy's memory and time, and no more; a question that took more
 *     fails alone, and the next one has a new engine.
 * (2) Whatever follows from private rows, an answer or a failure, leaves at a multiple of
 *     the policy's pad after the charge.
 * (3) Everything that fails after the charge fails with one sentence.
 * (4) The ledger learns what came of a charge at that moment, not before it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "central/session/session.h"
#include "core/base/failure.h"

enum { SECOND = 1000000000 };

/* Processor time of the engine for a preview: with the explanation it stays within a second. */
enum { PREVIEW = 400000000 };

/* ---- the engine -------------------------------------------------------------------- */

/* What the engine was told goes with it: sources are opened again for the next. */
static void forget_engine(struct sotto_session *s)
{
	sotto_engine_close(s->engine);
	s->engine = NULL;
	s->locked = false;
	if (s->schemas)
		memset(s->schemas, 0, s->policy.table_count * sizeof(*s->schemas));
	sotto_arena_release(&s->arena);
	sotto_arena_init(&s->arena, SOTTO_SESSION_ARENA);
}

uint64_t sotto_session_limit(const struct sotto_session *s)
{
	return s->buckets > 0 && !s->policy.has_limit ? SOTTO_SPREAD_LIMIT : s->policy.limit;
}

enum sotto_status sotto_session_engine(struct sotto_session *s, struct sotto_error *err)
{
	const struct sotto_engine_limits limits = {.threads = s->threads,
						   .memory = s->policy.memory,
						   .processor = s->is_made_up ? PREVIEW : 0};
	enum sotto_status st = SOTTO_OK;

	if (s->engine)
		return SOTTO_OK;
	SOTTO_TRY(sotto_engine_open_within(&limits, &s->engine, err));
	if (sotto_session_limit(s) > 0) /* a policy that is being started has none yet */
		sotto_engine_allow(s->engine, sotto_session_limit(s));
	if (s->policy.server == SOTTO_SERVER_POSTGRES)
		st = sotto_engine_use_postgres(s->engine, s->policy.dsn, err);
	if (s->policy.server == SOTTO_SERVER_ADBC)
		st = sotto_engine_use_adbc(s->engine, s->policy.driver, s->policy.uri,
					   &s->shares_moment, err);
	if (st != SOTTO_OK) {
		sotto_engine_close(s->engine);
		s->engine = NULL;
	}
	return st;
}

void sotto_session_begin(struct sotto_session *s)
{
	s->is_charged = false;
	s->buckets = s->processes = 0;
	if (!s->engine)
		return;
	if (sotto_engine_is_lost(s->engine))
		forget_engine(s);
	else
		sotto_engine_allow(s->engine, sotto_session_limit(s));
}

/* ---- the run ----------------------------------------------------------------------- */

void sotto_run_begin(struct sotto_session *s)
{
	if (!s->is_charged)
		s->started = s->clock->now(s->clock->context);
}

static uint64_t passed(const struct sotto_session *s)
{
	return s->clock->now(s->clock->context) - s->started;
}

uint64_t sotto_run_left(const struct sotto_session *s)
{
	uint64_t time = passed(s), limit = sotto_session_limit(s);

	return time < limit ? limit - time : 0;
}

void sotto_run_charged(struct sotto_session *s)
{
	s->is_charged = true;
	sotto_engine_allow(s->engine, sotto_run_left(s));
}

enum sotto_status sotto_run_in_time(const struct sotto_session *s)
{
	return passed(s) <= sotto_session_limit(s) ? SOTTO_OK : SOTTO_EIO;
}

/* ---- leaving ------------------------------------------------------------------------ */

/*
 * An analyst can wait longer, in steps of the owner's pad: with steps of another size, what
 * several questions took would be known more finely than the owner wants.
 */
static uint64_t pad_of(const struct sotto_session *s, const struct sotto_question *q)
{
	uint64_t pad = s->policy.has_pad ? s->policy.pad : s->options.pad;
	uint64_t wish = q->pad < SOTTO_PAD_MAX ? q->pad : SOTTO_PAD_MAX;

	if (pad == 0)
		return wish;
	return wish > pad ? (wish + pad - 1) / pad * pad : pad;
}

uint64_t sotto_run_longest(const struct sotto_session *s, const struct sotto_question *q)
{
	return sotto_session_limit(s) + pad_of(s, q);
}

static uint64_t leaving_moment(const struct sotto_session *s, const struct sotto_question *q)
{
	uint64_t pad = pad_of(s, q);

	return pad > 0 ? s->started + (passed(s) + pad - 1) / pad * pad : 0;
}

static enum sotto_status
fail_charged(struct sotto_session *s, enum sotto_status st, struct sotto_error *err)
{
	sotto_session_log(s, sotto_status_name(st),
			  s->engine ? sotto_engine_detail(s->engine) : "");
	return sotto_fail(err, st == SOTTO_EENTROPY ? st : SOTTO_EIO, "%s",
			  SOTTO_CHARGED_SENTENCE);
}

enum sotto_status
sotto_session_lost(struct sotto_session *s, enum sotto_status st, struct sotto_error *err)
{
	uint64_t limit = sotto_session_limit(s);

	if (!s->engine || !sotto_engine_is_lost(s->engine))
		return st;
	sotto_session_log(s, "lost", sotto_engine_detail(s->engine));
	if (s->is_made_up)
		return sotto_fail(err, SOTTO_EIO,
				  "a preview of this question would take too long; explain "
				  "without --preview shows its errors");
	if (s->looking < UINT64_MAX)
		return sotto_fail(err, SOTTO_EIO,
				  "what this question needs to know of public tables takes too "
				  "long to look up for an explanation; ask for less at once");
	return sotto_fail(err, SOTTO_EIO,
			  "the engine ended before anything was charged: it may have needed "
			  "more than its memory or its %" PRIu64 "%s; the policy's memory: and "
			  "time: say how much it has",
			  limit % SECOND ? limit / 1000000 : limit / SECOND,
			  limit % SECOND ? "ms" : "s");
}

/*
 * After a failure the next question has a new engine too: what the failed one has left
 * behind, like memory in pieces, would be felt there.
 */
enum sotto_status sotto_session_finish(struct sotto_session *s, const struct sotto_question *q,
				       enum sotto_status st, uint64_t *moment,
				       struct sotto_error *err)
{
	*moment = 0;
	if (!s->is_charged)
		return st == SOTTO_OK ? st : sotto_session_lost(s, st, err);
	if (st != SOTTO_OK)
		st = fail_charged(s, st, err);
	if (st != SOTTO_OK || s->options.one_question)
		forget_engine(s);
	*moment = leaving_moment(s, q);
	s->is_charged = false;
	return st;
}

enum sotto_status sotto_session_tell(struct sotto_session *s, uint64_t moment)
{
	if (moment > 0)
		s->clock->sleep_until(s->clock->context, moment);
	return sotto_kept_tell(&s->kept, s->ledger);
}

enum sotto_status sotto_session_depart(struct sotto_session *s, enum sotto_status st,
				       uint64_t moment, struct sotto_error *err)
{
	enum sotto_status told = sotto_session_tell(s, moment);

	return st == SOTTO_OK && told != SOTTO_OK ? fail_charged(s, told, err) : st;
}
