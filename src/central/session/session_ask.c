/*
 * The coordinator.
 *
 * (1) A charge is durable before the first private row is read.
 * (2) A query is charged as a whole, however many parts it has, or not at all.
 * (3) Nothing that fails after the charge says why: one fixed sentence (session_limits.c).
 * (4) Exact values live in the engine's result only, which is wiped.
 */
#include <stdlib.h>
#include <string.h>

#include "central/relation/free_guard.h"
#include "central/session/answer/answer_inside.h"
#include "central/session/answer/answer_loss.h"
#include "central/session/answer/answer_table.h"
#include "central/session/release/releases.h"
#include "central/session/session.h"
#include "central/session/session_auto.h"
#include "core/base/failure.h"

/* ---- what costs nothing --------------------------------------------------------------------- */

/* Only public keys were asked for, or only public tables: no ledger, no noise. */
static enum sotto_status answer_free(struct sotto_session *s, const struct sotto_plan *plan,
				     struct sotto_answer_owned *o, struct sotto_error *err)
{
	struct sotto_engine_result *rows = NULL;
	struct sotto_release release;
	int64_t text = 0;
	enum sotto_status st;

	SOTTO_TRY(sotto_plan_guard(plan, err));
	SOTTO_TRY(sotto_session_ready(s, err));
	SOTTO_TRY(sotto_session_check(s, plan, &text, err));
	if (plan->part_count == 0)
		SOTTO_TRY(sotto_session_prepare(s, plan, err));
	if (sotto_engine_run(s->engine, plan->engine_sql, &rows) != SOTTO_OK ||
	    !sotto_plan_has_shape(plan, rows)) {
		sotto_engine_result_free(rows);
		sotto_session_log(s, "public query", sotto_engine_detail(s->engine));
		return sotto_fail(err, SOTTO_EIO, "the engine could not answer the query");
	}
	sotto_release_init(&release);
	if (plan->owner) {
		st = sotto_release_publish(&release, plan, rows, s->rng);
		if (st == SOTTO_OK)
			st = sotto_answer_fill(o, plan, &release);
	} else {
		st = sotto_answer_fill_public(o, plan, rows);
	}
	sotto_release_release(&release);
	sotto_engine_result_free(rows);
	return st;
}

/* ---- what is paid for ------------------------------------------------------------------------ */

/* The releases: an earlier answer, or one charge for all of them. */
static enum sotto_status get_releases(struct sotto_session *s, const struct sotto_question *q,
				      const struct sotto_plan *plan, struct sotto_releases *r,
				      struct sotto_error *err)
{
	if (!q->fresh && !s->is_made_up)
		SOTTO_TRY(sotto_releases_find(r, s, sotto_question_analyst(q), false, err));
	if (r->repeated)
		return SOTTO_OK;
	SOTTO_TRY(sotto_session_ready(s, err));
	SOTTO_TRY(sotto_session_check_parts(s, plan, err));
	SOTTO_TRY(sotto_session_prepare(s, plan, err));
	if (s->is_made_up)
		return sotto_releases_run_made_up(r, s);
	return sotto_releases_charge_and_run(r, s, q, plan, err);
}

static enum sotto_status answer_plan(struct sotto_session *s, const struct sotto_plan *plan,
				     const struct sotto_releases *r,
				     struct sotto_answer_owned *o, struct sotto_error *err)
{
	const struct sotto_release *release = sotto_releases_of(r, plan);

	return release ? sotto_answer_fill(o, plan, release) : answer_free(s, plan, o, err);
}

/* ---- finished queries as tables -------------------------------------------------------------- */

enum sotto_status
sotto_session_write_part(struct sotto_session *s, const struct sotto_plan *plan, size_t i,
			 const struct sotto_releases *r, struct sotto_error *err)
{
	const struct sotto_plan *part = plan->parts[i];
	const struct sotto_release *release = sotto_releases_of(r, part);
	size_t groups = plan->part_count * (release ? release->rows : 1);
	struct sotto_answer_owned *o = NULL;
	enum sotto_status st = sotto_answer_new(part, &o);

	if (st == SOTTO_OK)
		st = answer_plan(s, part, r, o, err);
	if (st == SOTTO_OK)
		st = sotto_session_ready(s, err);
	if (st == SOTTO_OK)
		st = sotto_answer_table_write(s->engine, part, i, groups, &o->answer,
					      s->buckets > 0 && plan->owner ? &s->parts : NULL);
	sotto_answer_free(o ? &o->answer : NULL);
	return st;
}

static enum sotto_status answer_parts(struct sotto_session *s, const struct sotto_plan *plan,
				      const struct sotto_releases *r,
				      struct sotto_answer_owned *o, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; st == SOTTO_OK && i < plan->part_count; i++)
		st = sotto_session_write_part(s, plan, i, r, err);
	if (st == SOTTO_OK)
		st = answer_free(s, plan, o, err);
	for (size_t i = 0; s->engine && i < plan->part_count; i++)
		sotto_answer_table_drop(s->engine, i);
	return st;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* By the rule that admits them, and as they would be charged. */
static enum sotto_status count_more(struct sotto_session *s, const struct sotto_question *q,
				    const struct sotto_plan *plan, struct sotto_answer *a,
				    struct sotto_error *err)
{
	struct sotto_ledger_forecast f;
	struct sotto_ledger *ledger;
	enum sotto_status st;

	SOTTO_TRY(sotto_session_book(s, &ledger, err));
	sotto_ledger_forecast_init(&f);
	st = sotto_ledger_forecast(ledger, sotto_question_analyst(q), &plan->cost, &f, err);
	a->fits = f.fits;
	sotto_ledger_forecast_release(&f);
	return st;
}

static enum sotto_status tell_price(struct sotto_session *s, const struct sotto_question *q,
				    const struct sotto_plan *plan,
				    const struct sotto_releases *r,
				    struct sotto_answer_owned *o, struct sotto_error *err)
{
	struct sotto_answer *a = &o->answer;

	a->repeated = r->repeated;
	a->data_changed = r->data_changed;
	a->made_up = s->is_made_up;
	if (r->charged) {
		sotto_rational_set(&a->epsilon, &plan->cost.epsilon);
		sotto_rational_set(&a->delta, &plan->cost.delta);
	}
	SOTTO_TRY(sotto_answer_note_charge(o, r));
	SOTTO_TRY(sotto_session_left(s, q->analyst, &a->epsilon_left, &a->delta_left, err));
	return count_more(s, q, plan, a, err);
}

static enum sotto_status answer(struct sotto_session *s, const struct sotto_question *q,
				const struct sotto_plan *plan, struct sotto_releases *r,
				struct sotto_answer_owned *o, struct sotto_error *err)
{
	if (r->count > 0)
		SOTTO_TRY(r->paid ? sotto_releases_run(r, s, &r->paid->ticket, err)
				  : get_releases(s, q, plan, r, err));
	SOTTO_TRY(plan->part_count && !plan->owner ? answer_parts(s, plan, r, o, err)
						   : answer_plan(s, plan, r, o, err));
	SOTTO_TRY(sotto_answer_add_losses(o, r));
	SOTTO_TRY(sotto_answer_note_empty(o, plan, r));
	SOTTO_TRY(sotto_answer_note_open(o));
	return tell_price(s, q, plan, r, o, err);
}

static enum sotto_status
answer_priced(struct sotto_session *s, const struct sotto_question *q,
	      const struct sotto_plan *plan, const struct sotto_prepaid *paid,
	      struct sotto_answer_owned *o, bool *rivalled, struct sotto_error *err)
{
	struct sotto_releases releases;
	enum sotto_status st;

	SOTTO_TRY(sotto_releases_init(&releases, plan));
	releases.paid = paid->is_paid ? paid : NULL;
	st = answer(s, q, plan, &releases, o, err);
	*rivalled = releases.rivalled;
	sotto_releases_release(&releases);
	return st;
}

/* *rivalled: the same was asked meanwhile with other noise, and nothing was done. */
static enum sotto_status ask_once(struct sotto_session *s, const struct sotto_question *q,
				  struct sotto_answer **out, bool *rivalled,
				  struct sotto_error *err)
{
	struct sotto_answer_owned *o = NULL;
	struct sotto_prepaid paid;
	struct sotto_plan plan;
	enum sotto_status st;

	SOTTO_TRY(sotto_session_plan(s, q, &plan, err));
	sotto_prepaid_init(&paid);
	st = sotto_plan_is_pending(&plan) ? sotto_session_settle_limits(s, q, &plan, &paid, err)
					  : SOTTO_OK;
	*rivalled = paid.ticket.deed == SOTTO_LEDGER_RIVALLED;
	if (st == SOTTO_OK)
		st = sotto_answer_new(&plan, &o);
	if (st == SOTTO_OK)
		st = answer_priced(s, q, &plan, &paid, o, rivalled, err);
	sotto_prepaid_release(&paid);
	sotto_plan_release(&plan);
	if (s->engine && s->policy.server)
		sotto_engine_finish(s->engine);
	if (st != SOTTO_OK) {
		sotto_answer_free(o ? &o->answer : NULL);
		return st;
	}
	*out = &o->answer;
	return SOTTO_OK;
}

static enum sotto_status ask(struct sotto_session *s, const struct sotto_question *q,
			     struct sotto_answer **out, struct sotto_error *err)
{
	bool rivalled = true;
	enum sotto_status st = SOTTO_OK;

	SOTTO_TRY(sotto_question_check(q, err));
	SOTTO_TRY(sotto_session_check_analyst(s, q->analyst, err));
	while (rivalled) {
		rivalled = false;
		st = ask_once(s, q, out, &rivalled, err);
	}
	return st;
}

enum sotto_status sotto_session_ask(struct sotto_session *s, const struct sotto_question *q,
				    struct sotto_answer **out, uint64_t *moment,
				    struct sotto_error *err)
{
	struct sotto_answer *made = NULL;
	enum sotto_status st = ask(s, q, &made, err);

	st = sotto_session_finish(s, q, st, moment, err);
	if (st == SOTTO_OK)
		*out = made;
	return st;
}

/*
 * Waits, and tells the ledger.  What could not be stored was paid for all the same: it is given, and
 * says that it cannot be had again.
 */
static enum sotto_status depart(struct sotto_session *s, struct sotto_answer *made,
				enum sotto_status st, uint64_t moment, struct sotto_error *err)
{
	enum sotto_status told = sotto_session_tell(s, moment);

	if (st != SOTTO_OK || told == SOTTO_OK)
		return st;
	sotto_session_log(s, sotto_status_name(told), "an answer could not be stored");
	if (sotto_answer_note_unstored((struct sotto_answer_owned *)made) == SOTTO_OK)
		return SOTTO_OK;
	return sotto_fail(err, SOTTO_EIO, "%s", SOTTO_CHARGED_SENTENCE);
}

/*
 * The lock is held while it waits: another thread of the session would see the answer, or find the
 * session free, as soon as private rows were read.
 */
enum sotto_status sotto_session_query(struct sotto_session *s, const struct sotto_question *q,
				      struct sotto_answer **out, struct sotto_error *err)
{
	struct sotto_answer *made = NULL;
	uint64_t moment = 0;
	enum sotto_status st;

	if (!q || !q->sql || !out)
		return sotto_fail(err, SOTTO_EINVAL,
				  "a query needs SQL and a place for its answer");
	SOTTO_TRY(sotto_session_enter(s, err));
	st = sotto_session_ask(s, q, &made, &moment, err);
	st = depart(s, made, st, moment, err);
	sotto_session_leave(s);
	if (st == SOTTO_OK)
		*out = made;
	else
		sotto_answer_free(made);
	return st;
}
