/*
 * What a query would do, in words: everything that can be known without a row.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/failure.h"
#include "number/nearest.h"
#include "plan/domain.h"
#include "query/session.h"
#include "sotto/filter.h"

struct explanation {
	struct sotto_explanation public;
	struct sotto_arena arena;
};

/* Copies the name: the plan that most of them come from does not live as long. */
static enum sotto_status
say(struct explanation *x, const char *section, const char *name, const char *text)
{
	struct sotto_explanation_line *line =
		SOTTO_PUSH(&x->arena, x->public.lines, x->public.count);
	const char *kept = name ? sotto_arena_text(&x->arena, name) : NULL;

	if (!line || !kept || !text)
		return SOTTO_ENOMEM;
	*line = (struct sotto_explanation_line){.section = section, .name = kept, .text = text};
	return SOTTO_OK;
}

#define SAY(section, name, ...)                                                                \
	SOTTO_TRY(say(x, section, name, sotto_arena_textf(&x->arena, __VA_ARGS__)))

/* A number for people: exact while that is short. */
static const char *number(struct explanation *x, const mpq_t q)
{
	struct sotto_rational r;
	char *text = NULL;
	const char *out;

	sotto_rational_init(&r);
	mpq_set(r.q, q);
	if (sotto_rational_format(&r, &text) == SOTTO_OK && strlen(text) <= 16)
		out = sotto_arena_text(&x->arena, text);
	else
		out = sotto_arena_textf(&x->arena, "%.6g", sotto_nearest_double(q));
	free(text);
	sotto_rational_release(&r);
	return out ? out : "";
}

static const char *
steps(struct explanation *x, int64_t count, const struct sotto_rational *step)
{
	mpq_t q;
	const char *out;

	mpq_init(q);
	mpq_set_si(q, count, 1);
	mpq_mul(q, q, step->q);
	out = number(x, q);
	mpq_clear(q);
	return out;
}

/* ---- whose rows ------------------------------------------------------------------------- */

static enum sotto_status explain_ownership(struct explanation *x, const struct sotto_plan *plan)
{
	const struct sotto_policy_table *t = plan->owner;

	if (!t)
		return say(x, "ownership", "unit",
			   "only public tables: answered exactly, and free");
	if (t->unit)
		SAY("ownership", "unit", "%s (column %s of %s)", t->unit, t->unit, t->name);
	else if (t->via)
		SAY("ownership", "unit", "%s of %s, reached from %s.%s over %s.%s",
		    t->root->unit, t->root->name, t->name, t->via_column, t->via->name,
		    t->via_key);
	else
		SAY("ownership", "unit", "each row of %s", t->name);
	SAY("ownership", "neighbours", "data sets that differ in one unit, with all its rows");
	if (!plan->units)
		return say(x, "ownership", "contribution", "one row, in one group");
	SAY("ownership", "contribution",
	    "at most %lld row%s in each of at most %lld group%s; more rows are scaled down to "
	    "the "
	    "unit's mean%s",
	    (long long)plan->max_rows, plan->max_rows == 1 ? "" : "s", (long long)plan->groups,
	    plan->groups == 1 ? "" : "s",
	    plan->window ? ", more groups are dropped by a hash of unit and group" : "");
	return SOTTO_OK;
}

static enum sotto_status explain_keys(struct explanation *x, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->key_count; i++) {
		const struct sotto_plan_key *k = &plan->keys[i];

		if (!k->domain)
			SAY("keys", k->name, "private: shown only if enough units have it");
		else if (!plan->public_keys)
			SAY("keys", k->name, "treated as private, next to a private key");
		else if (k->domain->size < 0)
			SAY("keys", k->name, "public: the values that the public table has");
		else
			SAY("keys", k->name, "public: %lld values, all shown, also when empty",
			    (long long)k->domain->size);
	}
	if (plan->threshold_measure != SIZE_MAX)
		SAY("keys", "threshold",
		    "a key is shown if its noisy number of units is %lld or more",
		    (long long)plan->threshold);
	return SOTTO_OK;
}

/* ---- measures ---------------------------------------------------------------------------- */

static enum sotto_status explain_measure(struct explanation *x, const struct sotto_plan *plan,
					 const struct sotto_measure *m, size_t i)
{
	const char *name = sotto_arena_textf(&x->arena, "m%zu", i), *bounds = "";
	double scale;

	if (m->kind == SOTTO_MEASURE_SUM)
		bounds = sotto_arena_textf(&x->arena,
					   ", each value within %s .. %s on a grid of %s",
					   steps(x, m->lo, m->step), steps(x, m->hi, m->step),
					   number(x, m->step->q));
	if (!bounds)
		return SOTTO_ENOMEM;
	if (plan->noise == SOTTO_NOISE_LAPLACE)
		scale = (double)m->per_group * (double)plan->groups /
			sotto_nearest_double(m->epsilon->q);
	else
		scale = sqrt(sotto_nearest_double(m->sigma2->q));
	SAY("measures", name,
	    "%s%s; one unit moves it by at most %s in a group (%lld steps); noise of %s %.6g; "
	    "95 %% "
	    "error %s",
	    m->label, bounds, steps(x, m->per_group, m->step), (long long)m->per_group,
	    plan->noise == SOTTO_NOISE_LAPLACE ? "scale" : "sigma",
	    scale * sotto_nearest_double(m->step->q), steps(x, m->error95, m->step));
	return SOTTO_OK;
}

/* ---- outputs -------------------------------------------------------------------------------- */

static const char *aggregate_error(struct explanation *x, const struct sotto_plan *plan,
				   const struct sotto_aggregate *a)
{
	const struct sotto_measure *m;
	double error, centre_error;

	if (a->kind == SOTTO_AGGREGATE_COUNT || a->kind == SOTTO_AGGREGATE_SUM) {
		m = &plan->measures[a->kind == SOTTO_AGGREGATE_COUNT ? a->count : a->sum];
		return sotto_arena_textf(&x->arena, "+- %s", steps(x, m->error95, m->step));
	}
	m = &plan->measures[a->kind == SOTTO_AGGREGATE_AVG ? a->sum : a->squares];
	error = (double)m->error95 * sotto_nearest_double(m->step->q);
	centre_error =
		(double)plan->measures[a->count].error95 *
		(sotto_nearest_double(a->range.hi->q) - sotto_nearest_double(a->range.lo->q)) /
		2;
	if (a->kind != SOTTO_AGGREGATE_AVG)
		return sotto_arena_textf(
			&x->arena,
			"shrinks with the number n of values: the variance errs by "
			"about %.4g / n",
			error);
	return sotto_arena_textf(
		&x->arena, "about +- %.4g / n, n the number of values (%.3g for n = 1000)",
		sqrt(error * error + centre_error * centre_error),
		sqrt(error * error + centre_error * centre_error) / 1000);
}

static enum sotto_status explain_outputs(struct explanation *x, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->output_count; i++) {
		const struct sotto_plan_output *o = &plan->outputs[i];
		const char *text;

		if (plan->part_count)
			text = o->noisy
				       ? "computed from noisy values, free; without an interval"
				       : "key";
		else if (!plan->owner)
			text = "exact";
		else if (!o->noisy)
			text = "key";
		else if (o->expr->kind == SOTTO_SQL_VALUE)
			text = aggregate_error(x, plan, &plan->aggregates[o->expr->index]);
		else
			text = "computed from noisy values, free; its interval comes with the "
			       "answer";
		SOTTO_TRY(say(x, "columns", o->name, text));
	}
	return SOTTO_OK;
}

/* ---- cost ------------------------------------------------------------------------------------- */

/* A ledger that does not exist yet has spent nothing; explaining does not make one. */
static enum sotto_status look_at_budget(struct explanation *x, const struct sotto_session *s,
					const struct sotto_plan *plan, struct sotto_error *err)
{
	struct sotto_filter_left left;
	struct sotto_filter filter;

	SOTTO_TRY(sotto_filter_init(&filter, s->policy.epsilon, s->policy.delta, err));
	sotto_filter_left_init(&left);
	sotto_filter_left(&filter, &left);
	x->public.affordable = sotto_filter_would_admit(&filter, &plan->cost, NULL) == SOTTO_OK;
	sotto_rational_set(&x->public.epsilon_left, &left.epsilon);
	sotto_rational_set(&x->public.delta_left, &left.delta);
	sotto_filter_left_release(&left);
	sotto_filter_release(&filter);
	return SOTTO_OK;
}

static enum sotto_status look_at_ledger(struct explanation *x, struct sotto_session *s,
					const struct sotto_question *q,
					const struct sotto_plan *plan, struct sotto_error *err)
{
	struct sotto_ledger_totals totals;
	struct sotto_ledger *ledger;
	enum sotto_status st;

	if (!s->ledger && access(s->policy.ledger, F_OK) != 0)
		return look_at_budget(x, s, plan, err);
	SOTTO_TRY(sotto_session_ledger(s, &ledger, err));
	x->public.affordable = sotto_ledger_check(ledger, q->analyst ? q->analyst : "analyst",
						  &plan->cost, NULL) == SOTTO_OK;
	sotto_ledger_totals_init(&totals);
	st = sotto_ledger_totals(ledger, NULL, &totals, err);
	if (st == SOTTO_OK) {
		sotto_rational_set(&x->public.epsilon_left, &totals.left.epsilon);
		sotto_rational_set(&x->public.delta_left, &totals.left.delta);
	}
	sotto_ledger_totals_release(&totals);
	return st;
}

static enum sotto_status explain_cost(struct explanation *x, struct sotto_session *s,
				      const struct sotto_question *q,
				      const struct sotto_plan *plan, struct sotto_error *err)
{
	SAY("cost", "mechanism", "%s",
	    plan->noise == SOTTO_NOISE_LAPLACE    ? "discrete Laplace"
	    : plan->noise == SOTTO_NOISE_GAUSSIAN ? "discrete Gaussian"
						  : "none: exact and free");
	SAY("cost", "epsilon", "%s", number(x, plan->cost.epsilon.q));
	SAY("cost", "delta", "%s", number(x, plan->cost.delta.q));
	sotto_rational_set(&x->public.epsilon, &plan->cost.epsilon);
	sotto_rational_set(&x->public.delta, &plan->cost.delta);
	SOTTO_TRY(look_at_ledger(x, s, q, plan, err));
	if (!x->public.affordable)
		return say(x, "cost", "left afterwards",
			   "the budget does not allow this query");
	sotto_rational_subtract(&x->public.epsilon_left, &x->public.epsilon_left,
				&plan->cost.epsilon);
	sotto_rational_subtract(&x->public.delta_left, &x->public.delta_left,
				&plan->cost.delta);
	SAY("cost", "left afterwards", "epsilon %s, delta %s",
	    number(x, x->public.epsilon_left.q), number(x, x->public.delta_left.q));
	return SOTTO_OK;
}

static enum sotto_status
check(struct sotto_session *s, const struct sotto_plan *plan, struct sotto_error *err)
{
	if (plan->check_count == 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_session_ready(s, err));
	return sotto_session_check(s, plan, err);
}

static enum sotto_status explain_measures(struct explanation *x, const struct sotto_plan *plan)
{
	for (size_t i = 0; plan->owner && i < plan->measure_count; i++)
		SOTTO_TRY(explain_measure(x, plan, &plan->measures[i], i));
	return SOTTO_OK;
}

/* Whose rows are read, how they are grouped and what is measured: of each part in turn. */
static enum sotto_status explain_rows(struct explanation *x, const struct sotto_plan *plan)
{
	static enum sotto_status (*const sections[])(struct explanation *,
						     const struct sotto_plan *) = {
		explain_ownership, explain_keys, explain_measures};

	for (size_t s = 0; s < sizeof sections / sizeof sections[0]; s++) {
		for (size_t i = 0; i < plan->part_count; i++)
			SOTTO_TRY(sections[s](x, plan->parts[i]));
		if (plan->part_count == 0)
			SOTTO_TRY(sections[s](x, plan));
	}
	return SOTTO_OK;
}

static enum sotto_status explain(struct explanation *x, struct sotto_session *s,
				 const struct sotto_question *q, const struct sotto_plan *plan,
				 struct sotto_error *err)
{
	SOTTO_TRY(check(s, plan, err));
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(check(s, plan->parts[i], err));
	SOTTO_TRY(explain_rows(x, plan));
	SOTTO_TRY(explain_outputs(x, plan));
	SOTTO_TRY(explain_cost(x, s, q, plan, err));
	for (size_t i = 0; i < plan->part_count; i++)
		SAY("engine", "sql", "%s", plan->parts[i]->engine_sql);
	return say(x, "engine", "sql", sotto_arena_text(&x->arena, plan->engine_sql));
}

enum sotto_status sotto_session_explain(struct sotto_session *s, const struct sotto_question *q,
					struct sotto_explanation **out, struct sotto_error *err)
{
	struct explanation *x = calloc(1, sizeof *x);
	struct sotto_plan plan;
	enum sotto_status st;

	if (!x)
		return SOTTO_ENOMEM;
	sotto_arena_init(&x->arena, (size_t)64 << 20);
	sotto_rational_init(&x->public.epsilon);
	sotto_rational_init(&x->public.delta);
	sotto_rational_init(&x->public.epsilon_left);
	sotto_rational_init(&x->public.delta_left);
	st = sotto_session_plan(s, q, &plan, err);
	if (st == SOTTO_OK) {
		st = explain(x, s, q, &plan, err);
		sotto_plan_release(&plan);
	}
	if (st != SOTTO_OK) {
		sotto_explanation_free(&x->public);
		return st;
	}
	*out = &x->public;
	return SOTTO_OK;
}

void sotto_explanation_free(struct sotto_explanation *e)
{
	struct explanation *x = (struct explanation *)e;

	if (!x)
		return;
	sotto_rational_release(&e->epsilon);
	sotto_rational_release(&e->delta);
	sotto_rational_release(&e->epsilon_left);
	sotto_rational_release(&e->delta_left);
	sotto_arena_release(&x->arena);
	free(x);
}
