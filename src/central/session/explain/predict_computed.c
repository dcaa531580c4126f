/*
 * The delta method: the output is evaluated at the measures that a typical group would have, each
 * of them is moved by the scale of its noise to find how much it matters, and the noises are added
 * up with these factors.
 */
#include "central/session/explain/predict_computed.h"

#include <math.h>

#include "central/price/joint_noise.h"
#include "central/session/answer/evaluate.h"
#include "core/base/failure.h"

/* A question for more is told no errors of what is computed: explain takes a second at most. */
enum { OUTPUTS_MAX = 100, AGGREGATES_MAX = 100 };

/* A group as it is assumed, and what is computed from it. */
struct typical {
	const struct sotto_plan *plan;
	const struct sotto_sql_expr *e;
	struct sotto_noisy *measures;
	struct sotto_value *outcomes, *keys, *aggregates;
	double *shift;
	struct sotto_arena *arena;
};

static bool is_filtered(const struct sotto_plan *plan, size_t measure)
{
	for (size_t i = 0; i < plan->aggregate_count; i++) {
		struct sotto_sql_expr read = {.kind = SOTTO_SQL_VALUE, .index = i};

		if (plan->aggregates[i].call->filter &&
		    sotto_output_reads(plan, &read, measure))
			return true;
	}
	return false;
}

bool sotto_predict_is_filtered(const struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < plan->measure_count; i++)
		if (sotto_output_reads(plan, e, i) && is_filtered(plan, i))
			return true;
	return false;
}

/* In steps: what is counted is there in each row, and values lie three quarters up their range. */
static int64_t typical_measure(const struct sotto_plan *plan, size_t i)
{
	const struct sotto_addend *a = &plan->measures[i].addend;
	double n = (double)plan->typical_group / (is_filtered(plan, i) ? 2 : 1);
	double lo = (double)a->clip_lo, hi = (double)a->clip_hi;

	if (plan->measures[i].kind != SOTTO_MEASURE_SUM)
		return (int64_t)n;
	return (int64_t)(n * (lo + (hi - lo) * 0.75 - (double)a->centre));
}

static double value_of(const struct typical *t)
{
	const struct sotto_group_values g = {
		.measures = t->measures, .outcomes = t->outcomes, .shift = t->shift};
	const struct sotto_evaluation v = {
		.keys = t->keys, .aggregates = t->aggregates, .arena = t->arena};
	struct sotto_value x;

	sotto_aggregates_compute_read(t->plan, t->e, &g, t->aggregates);
	x = sotto_evaluate(&v, t->e);
	return x.kind == SOTTO_VALUE_INTEGER || x.kind == SOTTO_VALUE_NUMBER ? x.number : NAN;
}

static enum sotto_status make_typical(struct typical *t)
{
	const struct sotto_plan *plan = t->plan;
	size_t movable = plan->measure_count + plan->outcome_count;

	t->measures =
		sotto_arena_alloc(t->arena, (plan->measure_count + 1) * sizeof *t->measures);
	t->outcomes =
		sotto_arena_alloc(t->arena, (plan->outcome_count + 1) * sizeof *t->outcomes);
	t->keys = sotto_arena_alloc(t->arena, (plan->key_count + plan->derived_count + 1) *
						      sizeof *t->keys);
	t->aggregates = sotto_arena_alloc(t->arena,
					  (plan->aggregate_count + 1) * sizeof *t->aggregates);
	t->shift = sotto_arena_alloc(t->arena, (movable + 1) * sizeof *t->shift);
	SOTTO_NEED(t->measures && t->outcomes && t->keys && t->aggregates && t->shift);
	for (size_t i = 0; i < plan->measure_count; i++)
		t->measures[i].value = typical_measure(plan, i);
	return SOTTO_OK;
}

static bool reads_keys(const struct sotto_sql_expr *e)
{
	bool found = e->kind == SOTTO_SQL_KEY;

	for (size_t i = 0; i < e->count; i++)
		found = found || reads_keys(e->args[i]);
	return found;
}

/* Does the output read only what can be assumed of a group? */
static bool is_assumed(const struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	if (plan->output_count > OUTPUTS_MAX || plan->aggregate_count > AGGREGATES_MAX ||
	    reads_keys(e))
		return false;
	for (size_t i = 0; i < plan->measure_count; i++)
		if (plan->measures[i].addend.square && sotto_output_reads(plan, e, i))
			return false;
	for (size_t i = 0; i < plan->outcome_count; i++)
		if (sotto_output_reads(plan, e, plan->measure_count + i))
			return false;
	return true;
}

enum sotto_status sotto_predict_computed(const struct sotto_plan *plan,
					 const struct sotto_sql_expr *e,
					 struct sotto_arena *arena, double *error)
{
	struct typical t = {.plan = plan, .e = e, .arena = arena};
	struct sotto_noise_term *terms;
	size_t count = 0;
	double size;

	*error = NAN;
	if (!is_assumed(plan, e))
		return SOTTO_OK;
	terms = sotto_arena_alloc(arena, (plan->measure_count + 1) * sizeof *terms);
	SOTTO_NEED(terms);
	SOTTO_TRY(make_typical(&t));
	for (size_t i = 0; i < plan->measure_count; i++) {
		const struct sotto_added_noise *noise = plan->measures[i].noise;
		double h = fmax(1, round(sotto_added_noise_scale(noise))), above, below;

		if (!sotto_output_reads(plan, e, i))
			continue;
		t.shift[i] = h;
		above = value_of(&t);
		t.shift[i] = -h;
		below = value_of(&t);
		t.shift[i] = 0;
		if (!isfinite(above - below))
			return SOTTO_OK;
		terms[count++] = (struct sotto_noise_term){noise, (above - below) / (2 * h)};
	}
	size = count ? sotto_joint_noise_size(terms, count) : 0;
	*error = size > 0 ? size : NAN;
	return SOTTO_OK;
}
