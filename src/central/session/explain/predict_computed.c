/*
 * The output is evaluated at the measures that a typical group would have, and each of them is moved
 * by the scale of its noise to find how much it matters: a tangent of the output, whose error is
 * that of a sum of noises.  A quotient bends away from its tangent where the noise of its denominator
 * is not small, and an average stays within its bounds.  Both are therefore evaluated at the same
 * points, which are spread evenly over the law of the noises, and the error of the tangent is
 * multiplied by how much farther the output goes.  What is linear is multiplied by 1, whatever the
 * points are.
 */
#include "central/session/explain/predict_computed.h"

#include <math.h>
#include <stdlib.h>

#include "central/price/joint_noise.h"
#include "central/session/answer/evaluate.h"
#include "core/base/failure.h"
#include "core/number/normal.h"

/* A question for more is told no errors of what is computed: explain takes a second at most. */
enum { OUTPUTS_MAX = 100, AGGREGATES_MAX = 100, POINTS = 500, WITHIN = POINTS * 95 / 100 };

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

/* ---- the tangent ---------------------------------------------------------------------------- */

/* The measures that the output reads, and how much it moves with each. */
struct tangent {
	struct sotto_noise_term *terms;
	size_t *measures;
	size_t count;
};

/* The output with measure i moved by so many steps. */
static double moved(const struct typical *t, size_t i, double steps)
{
	double x;

	t->shift[i] = steps;
	x = value_of(t);
	t->shift[i] = 0;
	return x;
}

static enum sotto_status find_tangent(const struct typical *t, struct tangent *out)
{
	const struct sotto_plan *plan = t->plan;

	out->terms =
		sotto_arena_alloc(t->arena, (plan->measure_count + 1) * sizeof *out->terms);
	out->measures =
		sotto_arena_alloc(t->arena, (plan->measure_count + 1) * sizeof *out->measures);
	SOTTO_NEED(out->terms && out->measures);
	for (size_t i = 0; i < plan->measure_count; i++) {
		const struct sotto_added_noise *noise = plan->measures[i].noise;
		double h = fmax(1, round(sotto_added_noise_scale(noise)));

		if (!sotto_output_reads(plan, t->e, i))
			continue;
		out->measures[out->count] = i;
		out->terms[out->count++] = (struct sotto_noise_term){
			noise, (moved(t, i, h) - moved(t, i, -h)) / (2 * h)};
	}
	return SOTTO_OK;
}

/* ---- the bend -------------------------------------------------------------------------------- */

/* The root above 1 of x^(d + 1) = x + 1; its powers fill d dimensions evenly (2: the plastic number). */
static double golden_ratio(size_t d)
{
	double x = 2;

	for (int i = 0; i < 60; i++)
		x = pow(1 + x, 1 / (double)(d + 1));
	return x;
}

static double noise_at(const struct sotto_added_noise *noise, double probability)
{
	double scale = sotto_added_noise_scale(noise);

	if (noise->kind == SOTTO_NOISE_GAUSSIAN)
		return scale * sotto_normal_upper(probability);
	return probability < 0.5 ? scale * log(2 * probability)
				 : -scale * log(2 - 2 * probability);
}

/* Moves the measures to a point, and returns how far the tangent goes there. */
static double
move_to(const struct typical *t, const struct tangent *to, double ratio, size_t point)
{
	double step = 1, away = 0;

	for (size_t i = 0; i < to->count; i++) {
		double at = 0.5 + (double)(point + 1) * (step /= ratio), whole;
		double x = noise_at(to->terms[i].noise, modf(at, &whole));

		t->shift[to->measures[i]] = x;
		away += x * to->terms[i].factor;
	}
	return fabs(away);
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/*
 * How far the output goes, 95 % of the points, for each unit that its tangent goes.  Where it has no
 * value the error is unbounded.
 */
static double bend(const struct typical *t, const struct tangent *along)
{
	double truth = value_of(t), ratio = golden_ratio(along->count);
	double output[POINTS], straight[POINTS];

	for (size_t i = 0; i < POINTS; i++) {
		straight[i] = move_to(t, along, ratio, i);
		output[i] = fabs(value_of(t) - truth);
		if (isnan(output[i]))
			output[i] = INFINITY;
	}
	for (size_t i = 0; i < along->count; i++)
		t->shift[along->measures[i]] = 0;
	qsort(output, POINTS, sizeof *output, compare);
	qsort(straight, POINTS, sizeof *straight, compare);
	return output[WITHIN] / straight[WITHIN];
}

enum sotto_status sotto_predict_computed(const struct sotto_plan *plan,
					 const struct sotto_sql_expr *e,
					 struct sotto_arena *arena, double *error)
{
	struct typical t = {.plan = plan, .e = e, .arena = arena};
	struct tangent tangent = {0};
	double size;

	*error = NAN;
	if (!is_assumed(plan, e))
		return SOTTO_OK;
	SOTTO_TRY(make_typical(&t));
	SOTTO_TRY(find_tangent(&t, &tangent));
	for (size_t i = 0; i < tangent.count; i++)
		if (!isfinite(tangent.terms[i].factor))
			return SOTTO_OK;
	size = tangent.count ? sotto_joint_noise_size(tangent.terms, tangent.count) : 0;
	if (size > 0)
		size *= bend(&t, &tangent);
	*error = size > 0 && isfinite(size) ? size : NAN;
	return SOTTO_OK;
}
