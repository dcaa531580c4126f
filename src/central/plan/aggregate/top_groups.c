/*
 * The best groups by noisy max.  Choosing k of them costs epsilon with noise that
 * grows with k, whatever number of groups there are and a unit is in; noise on all
 * measures grows with the groups that a unit is in, whatever k is.
 */
#include "central/plan/aggregate/top_groups.h"

#include <math.h>

#include "core/base/failure.h"
#include "core/number/nearest.h"
#include "sotto/choose.h"

static bool shows_keys_only(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->output_count; i++)
		if (plan->outputs[i].noisy)
			return false;
	for (size_t i = 1; i < plan->order_count; i++)
		if (sotto_output_is_noisy(plan->orders[i].expr))
			return false;
	return !plan->having && !plan->distinct;
}

/* The one measure that the first ORDER BY is by, or SIZE_MAX. */
static size_t ordered_by(const struct sotto_plan *plan)
{
	const struct sotto_sql_expr *e = plan->order_count > 0 ? plan->orders[0].expr : NULL;
	const struct sotto_aggregate *a;

	if (!e || e->kind != SOTTO_SQL_VALUE)
		return SIZE_MAX;
	a = &plan->aggregates[e->index];
	return a->kind == SOTTO_AGGREGATE_COUNT ? a->count
	       : a->kind == SOTTO_AGGREGATE_SUM ? a->sum
						: SIZE_MAX;
}

void sotto_top_recognise(struct sotto_plan *plan)
{
	size_t measure = ordered_by(plan);
	const struct sotto_measure *m;

	plan->top = (struct sotto_top){0};
	if (measure == SIZE_MAX || !plan->public_keys || plan->key_count == 0 ||
	    plan->limit < 1 || plan->measure_count != 1 || plan->pick_count > 0 ||
	    !shows_keys_only(plan) ||
	    __builtin_add_overflow(plan->limit, plan->offset, &plan->top.count))
		return;
	m = &plan->measures[measure];
	plan->top.measure = measure;
	plan->top.least = !plan->orders[0].descending;
	/* A sum without negative terms only grows with a unit, as a count does. */
	plan->top.monotone = m->kind != SOTTO_MEASURE_SUM || m->lo >= 0 || m->hi <= 0;
}

/* How many groups there can be, if that is known. */
static double group_count(const struct sotto_plan *plan)
{
	double n = 1;

	for (size_t i = 0; i < plan->key_count; i++) {
		int64_t size = plan->keys[i].domain->size;

		n *= size > 0 ? (double)size : 1;
	}
	return n < (double)plan->top.count ? (double)plan->top.count : n;
}

/* The 95 % error of noisy max among n groups, in what one unit moves. */
static double
error_among(const struct sotto_plan *plan, double n, const struct sotto_rational *epsilon)
{
	return (double)plan->top.count * (plan->top.monotone ? 1 : 2) * log(20 * n) /
	       sotto_nearest_double(epsilon->q);
}

static enum sotto_status
check_drawable(const struct sotto_plan *plan, const struct sotto_rational *epsilon)
{
	struct sotto_noisy_max *m = NULL;
	struct sotto_rational moved;
	struct sotto_selection s = {
		.epsilon = epsilon, .sensitivity = &moved, .monotone = plan->top.monotone};
	enum sotto_status st;

	sotto_rational_init(&moved);
	mpq_set_si(moved.q, plan->measures[plan->top.measure].per_group, 1);
	st = sotto_noisy_max_new(&s, (size_t)plan->top.count, &m, NULL);
	sotto_noisy_max_free(m);
	sotto_rational_release(&moved);
	return st;
}

enum sotto_status
sotto_top_price(struct sotto_plan *plan, const struct sotto_rational *epsilon, double other)
{
	struct sotto_top *top = &plan->top;

	top->chosen = top->count > 0 && error_among(plan, 1, epsilon) <= other;
	if (!top->chosen)
		return SOTTO_OK;
	SOTTO_TRY(check_drawable(plan, epsilon));
	top->error95 = error_among(plan, group_count(plan), epsilon) *
		       (double)plan->measures[top->measure].per_group;
	sotto_cost_release(&plan->cost);
	sotto_cost_init(&plan->cost);
	return sotto_cost_set_pure(&plan->cost, epsilon);
}
