/*
 * The coordinator.
 *
 * (1) A charge is durable before the first private row is read.
 * (2) Nothing that fails after the charge says why: one fixed sentence.
 * (3) Exact values live in the engine's result only, which is wiped.
 */
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "query/answer.h"
#include "query/part.h"
#include "query/release.h"
#include "query/session.h"

static enum sotto_status
after_charge(struct sotto_session *s, enum sotto_status st, struct sotto_error *err)
{
	sotto_session_log(s, sotto_status_name(st),
			  s->engine ? sotto_engine_detail(s->engine) : "");
	return sotto_fail(err, st,
			  "the query was charged but could not be answered; nothing about "
			  "the data follows from this");
}

/* ---- a release that was charged ---------------------------------------------------------- */

static enum sotto_status
run(struct sotto_session *s, const struct sotto_plan *plan, struct sotto_release *release)
{
	struct sotto_engine_result *exact = NULL;
	enum sotto_status st = sotto_engine_run(s->engine, plan->engine_sql, &exact);

	if (st == SOTTO_OK)
		st = sotto_release_publish(release, plan, exact, s->rng);
	sotto_engine_result_free(exact);
	return st;
}

static enum sotto_status
store(struct sotto_session *s, uint64_t entry, const struct sotto_release *release)
{
	char *text = NULL;
	enum sotto_status st = sotto_release_write(release, &text);

	if (st == SOTTO_OK)
		st = sotto_ledger_answer(s->ledger, entry, text, NULL);
	free(text);
	return st;
}

static enum sotto_status charge_and_run(struct sotto_session *s, const struct sotto_question *q,
					const struct sotto_plan *plan, const char *key,
					struct sotto_release *release, struct sotto_error *err)
{
	const struct sotto_ledger_release charge = {.analyst = sotto_question_analyst(q),
						    .query = q->sql,
						    .key = key,
						    .cost = &plan->cost};
	enum sotto_status st;
	uint64_t entry = 0;

	SOTTO_TRY(sotto_session_ready(s, err));
	SOTTO_TRY(sotto_session_check(s, plan, err));
	SOTTO_TRY(sotto_session_prepare(s, plan, err));
	SOTTO_TRY(sotto_ledger_charge(s->ledger, &charge, &entry, err));
	st = run(s, plan, release);
	if (st == SOTTO_OK)
		st = store(s, entry, release);
	return st == SOTTO_OK ? SOTTO_OK : after_charge(s, st, err);
}

static enum sotto_status find_earlier(struct sotto_session *s, const struct sotto_plan *plan,
				      const char *key, struct sotto_release *release,
				      bool *found, struct sotto_error *err)
{
	char *text = NULL;
	enum sotto_status st;

	*found = false;
	SOTTO_TRY(sotto_ledger_find(s->ledger, key, &text, err));
	if (!text)
		return SOTTO_OK;
	st = sotto_release_read(release, plan, text);
	free(text);
	if (st != SOTTO_OK)
		return sotto_fail(err, st,
				  "the stored answer cannot be read; ask again with --fresh");
	*found = true;
	return SOTTO_OK;
}

static enum sotto_status get_release(struct sotto_session *s, const struct sotto_question *q,
				     const struct sotto_plan *plan,
				     struct sotto_release *release, bool *repeated,
				     struct sotto_error *err)
{
	char key[SOTTO_RELEASE_KEY_SIZE];
	struct sotto_ledger *ledger;

	*repeated = false;
	SOTTO_TRY(sotto_session_ledger(s, &ledger, err));
	SOTTO_TRY(sotto_release_key(plan, key));
	if (!q->fresh)
		SOTTO_TRY(find_earlier(s, plan, key, release, repeated, err));
	return *repeated ? SOTTO_OK : charge_and_run(s, q, plan, key, release, err);
}

static enum sotto_status answer_private(struct sotto_session *s, const struct sotto_question *q,
					const struct sotto_plan *plan,
					struct sotto_answer_owned *o, struct sotto_error *err)
{
	struct sotto_answer *a = &o->answer;
	struct sotto_release release;
	enum sotto_status st;

	sotto_release_init(&release);
	st = get_release(s, q, plan, &release, &a->repeated, err);
	if (st == SOTTO_OK)
		st = sotto_answer_fill(o, plan, &release);
	if (st == SOTTO_OK && !a->repeated) {
		sotto_rational_set(&a->epsilon, &plan->cost.epsilon);
		sotto_rational_set(&a->delta, &plan->cost.delta);
	}
	if (st == SOTTO_OK)
		st = sotto_session_left(s, q->analyst, &a->epsilon_left, &a->delta_left, err);
	sotto_release_free(&release);
	return st;
}

/* ---- what costs nothing --------------------------------------------------------------------- */

/* Only public keys were asked for, or only public tables: no ledger, no noise. */
static enum sotto_status answer_free(struct sotto_session *s, const struct sotto_question *q,
				     const struct sotto_plan *plan,
				     struct sotto_answer_owned *o, struct sotto_error *err)
{
	struct sotto_engine_result *rows = NULL;
	struct sotto_release release;
	enum sotto_status st;

	SOTTO_TRY(sotto_session_ready(s, err));
	SOTTO_TRY(sotto_session_check(s, plan, err));
	if (plan->part_count == 0)
		SOTTO_TRY(sotto_session_prepare(s, plan, err));
	if (sotto_engine_run(s->engine, plan->engine_sql, &rows) != SOTTO_OK) {
		sotto_session_log(s, "public query", sotto_engine_detail(s->engine));
		return sotto_fail(err, SOTTO_EIO, "the engine could not answer the query");
	}
	sotto_release_init(&release);
	if (plan->owner) {
		st = sotto_release_publish(&release, plan, rows, s->rng);
		if (st == SOTTO_OK)
			st = sotto_answer_fill(o, plan, &release);
	} else {
		st = sotto_answer_fill_public(o, rows);
	}
	sotto_release_free(&release);
	sotto_engine_result_free(rows);
	return st == SOTTO_OK ? sotto_session_left(s, q->analyst, &o->answer.epsilon_left,
						   &o->answer.delta_left, err)
			      : st;
}

/* ---- finished queries as tables -------------------------------------------------------------- */

static enum sotto_status answer_plan(struct sotto_session *s, const struct sotto_question *q,
				     const struct sotto_plan *plan,
				     struct sotto_answer_owned *o, struct sotto_error *err)
{
	return plan->noise == SOTTO_NOISE_NONE ? answer_free(s, q, plan, o, err)
					       : answer_private(s, q, plan, o, err);
}

/* One part is a query like any other: charged, answered, repeated by itself. */
static enum sotto_status answer_part(struct sotto_session *s, const struct sotto_question *q,
				     const struct sotto_plan *plan, size_t i,
				     struct sotto_answer *whole, struct sotto_error *err)
{
	const struct sotto_plan *part = plan->parts[i];
	struct sotto_answer_owned *o = NULL;
	enum sotto_status st = sotto_answer_new(part, &o);

	if (st == SOTTO_OK)
		st = answer_plan(s, q, part, o, err);
	if (st == SOTTO_OK)
		st = sotto_session_ready(s, err);
	if (st == SOTTO_OK) {
		sotto_rational_add(&whole->epsilon, &whole->epsilon, &o->answer.epsilon);
		sotto_rational_add(&whole->delta, &whole->delta, &o->answer.delta);
		whole->repeated = whole->repeated && o->answer.repeated;
		st = sotto_part_write(s->engine, part, i, &o->answer);
		if (st != SOTTO_OK)
			st = after_charge(s, st, err);
	}
	sotto_answer_free(o ? &o->answer : NULL);
	return st;
}

/* All parts are affordable together before the first is charged. */
static enum sotto_status check_cost(struct sotto_session *s, const struct sotto_question *q,
				    const struct sotto_plan *plan, struct sotto_error *err)
{
	struct sotto_ledger *ledger;

	if (sotto_plan_is_free(plan))
		return SOTTO_OK;
	SOTTO_TRY(sotto_session_ready(s, err));
	SOTTO_TRY(sotto_session_check(s, plan, err));
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(sotto_session_check(s, plan->parts[i], err));
	SOTTO_TRY(sotto_session_ledger(s, &ledger, err));
	if (plan->part_count < 2)
		return SOTTO_OK;
	return sotto_ledger_check(ledger, sotto_question_analyst(q), &plan->cost, err);
}

static enum sotto_status answer_parts(struct sotto_session *s, const struct sotto_question *q,
				      const struct sotto_plan *plan,
				      struct sotto_answer_owned *o, struct sotto_error *err)
{
	enum sotto_status st;

	o->answer.repeated = true;
	st = check_cost(s, q, plan, err);
	if (st == SOTTO_OK)
		st = sotto_session_ready(s, err);
	if (st == SOTTO_OK)
		st = sotto_session_prepare(s, plan, err);
	for (size_t i = 0; st == SOTTO_OK && i < plan->part_count; i++)
		st = answer_part(s, q, plan, i, &o->answer, err);
	if (st == SOTTO_OK)
		st = answer_free(s, q, plan, o, err);
	for (size_t i = 0; s->engine && i < plan->part_count; i++)
		sotto_part_drop(s->engine, i);
	return st;
}

enum sotto_status sotto_session_query(struct sotto_session *s, const struct sotto_question *q,
				      struct sotto_answer **out, struct sotto_error *err)
{
	struct sotto_answer_owned *o = NULL;
	struct sotto_plan plan;
	enum sotto_status st;

	SOTTO_TRY(sotto_session_check_analyst(s, q->analyst, err));
	SOTTO_TRY(sotto_session_plan(s, q, &plan, err));
	st = sotto_answer_new(&plan, &o);
	if (st == SOTTO_OK)
		st = plan.part_count ? answer_parts(s, q, &plan, o, err)
				     : answer_plan(s, q, &plan, o, err);
	sotto_plan_release(&plan);
	if (s->engine)
		sotto_engine_finish(s->engine);
	if (st != SOTTO_OK) {
		sotto_answer_free(o ? &o->answer : NULL);
		return st;
	}
	*out = &o->answer;
	return SOTTO_OK;
}
