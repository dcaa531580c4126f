/*
 * Weights are whole numbers, so that shares are exact fractions that add up to the whole;
 * errors are compared in floating point, which decides only how the whole is divided.
 */
#include "central/price/share_split.h"

#include <math.h>

#include "core/base/failure.h"

enum { WEIGHT_MAX = 1000 };

/* An uneven division must lower the sum of errors by this much to be taken. */
static const double clearly = 0.9;

static size_t share_count(const struct sotto_plan *plan)
{
	return plan->measure_count + plan->choice_count;
}

/* The second of two measures has the share of the first, and none of its own. */
static bool is_second(const struct sotto_plan *plan, size_t i)
{
	return i < plan->measure_count && plan->measures[i].is_second;
}

/* Does an output read the measure or, past them, a choice? */
static bool reads(const struct sotto_plan *plan, const struct sotto_sql_expr *e, size_t i)
{
	const struct sotto_choice *p;

	if (!e)
		return false;
	if (i < plan->measure_count)
		return sotto_output_reads(plan, e, i);
	p = &plan->choices[i - plan->measure_count];
	if (e->kind == SOTTO_SQL_VALUE) {
		const struct sotto_aggregate *a = &plan->aggregates[e->index];

		return (a->form == SOTTO_FORM_RANK && &plan->choices[a->rank.choice] == p) ||
		       (a->form == SOTTO_FORM_MODE && &plan->choices[a->mode] == p);
	}
	for (size_t k = 0; k < e->count; k++)
		if (reads(plan, e->args[k], i))
			return true;
	return false;
}

/* A_i of share_split.md. */
static double importance(const struct sotto_plan *plan, size_t i)
{
	const struct sotto_choice *p;
	double each = (double)plan->max_rows, readers = 0;

	for (size_t k = 0; k < plan->output_count; k++)
		readers += reads(plan, plan->outputs[k].expr, i);
	readers = fmax(readers, 1); /* the threshold, HAVING, ORDER BY */
	if (i < plan->measure_count)
		return plan->measures[i].kind == SOTTO_MEASURE_UNITS ? readers : each * readers;
	p = &plan->choices[i - plan->measure_count];
	return each * (p->kind == SOTTO_CHOICE_RANKS ? (double)p->quantiles.rank_count / 3 : 1);
}

static double weight_of(double importance, enum sotto_noise_kind kind)
{
	return kind == SOTTO_NOISE_GAUSSIAN ? cbrt(importance * importance) : sqrt(importance);
}

/* The sum of errors if each share is its weight over their sum. */
static double
errors(const struct sotto_plan *plan, enum sotto_noise_kind kind, const unsigned *weights)
{
	double sum = 0, all = 0;

	for (size_t i = 0; i < share_count(plan); i++)
		all += is_second(plan, i) ? 0 : weights[i];
	for (size_t i = 0; i < share_count(plan); i++) {
		double share = weights[i] / all;

		if (is_second(plan, i))
			continue;

		sum += importance(plan, i) /
		       (kind == SOTTO_NOISE_GAUSSIAN ? sqrt(share) : share);
	}
	return sum;
}

static void weigh_by_outputs(const struct sotto_plan *plan, unsigned *weights)
{
	for (size_t i = 0; i < share_count(plan); i++) {
		weights[i] = 0;
		for (size_t k = 0; k < plan->output_count; k++)
			if (plan->output_weights[k] > weights[i] &&
			    reads(plan, plan->outputs[k].expr, i))
				weights[i] = plan->output_weights[k];
		weights[i] = weights[i] ? weights[i] : 1;
	}
}

static void
weigh_by_errors(const struct sotto_plan *plan, enum sotto_noise_kind kind, unsigned *weights)
{
	double largest = 0, even = 0, best;

	for (size_t i = 0; i < share_count(plan); i++) {
		weights[i] = 1;
		largest = fmax(largest, weight_of(importance(plan, i), kind));
	}
	even = errors(plan, kind, weights);
	for (size_t i = 0; i < share_count(plan); i++)
		weights[i] = (unsigned)fmax(
			round(WEIGHT_MAX * weight_of(importance(plan, i), kind) / largest), 1);
	best = errors(plan, kind, weights);
	for (size_t i = 0; best > clearly * even && i < share_count(plan); i++)
		weights[i] = 1;
}

enum sotto_status sotto_split_shares(struct sotto_plan *plan, enum sotto_noise_kind kind)
{
	if (!plan->weights)
		plan->weights = sotto_arena_alloc(&plan->arena, (share_count(plan) + 1) *
									sizeof *plan->weights);
	if (!plan->weights)
		return SOTTO_ENOMEM;
	if (plan->output_weights)
		weigh_by_outputs(plan, plan->weights);
	else
		weigh_by_errors(plan, kind, plan->weights);
	for (size_t i = 1; i < plan->measure_count; i++)
		if (is_second(plan, i))
			plan->weights[i] = plan->weights[i - 1];
	return SOTTO_OK;
}

void sotto_split_share(const struct sotto_plan *plan, size_t i,
		       const struct sotto_rational *all, struct sotto_rational *share)
{
	unsigned long sum = 0;

	for (size_t k = 0; k < share_count(plan); k++)
		sum += is_second(plan, k) ? 0 : plan->weights[k];
	mpq_set_ui(share->q, plan->weights[i], sum);
	mpq_canonicalize(share->q);
	mpq_mul(share->q, share->q, all->q);
}
