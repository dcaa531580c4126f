/*
 * Least squares on the tree of totals with bounds, then whole numbers near the solution; leaves
 * are left to their families.
 */
#include "census/solve/census_targets.h"

#include <math.h>
#include <stdlib.h>

#include "census/tree/census_tree.h"
#include "core/base/failure.h"
#include "sotto/rng.h"

static const double nothing = 1e-12; /* information beside that of the children */

/* What a node tells about its total beside what its children tell together. */
static void set_own(const struct sotto_census_run *run, size_t v, double *y, double *s)
{
	const struct sotto_census_total *own = &run->totals[v];
	size_t first = run->shape->first[v], end = first + run->shape->count[v];
	double sum = 0, variance = 0, more;

	for (size_t c = first; c < end; c++) {
		sum += run->totals[c].z;
		variance += run->totals[c].variance;
	}
	*y = 0;
	*s = INFINITY;
	if (isinf(own->variance) || variance == 0)
		return;
	more = 1 / own->variance - (isinf(variance) ? 0 : 1 / variance);
	if (more <= nothing / own->variance)
		return;
	*s = 1 / more;
	*y = *s * (own->z / own->variance - (isinf(variance) ? 0 : sum / variance));
}

/* Nodes above the leaves as a tree whose last level has no children. */
struct totals {
	double *y, *s, *low, *high, *x;
	uint64_t *lots;
	uint32_t *count;
};

static void load(const struct sotto_census_run *run, size_t n, struct totals *t)
{
	const struct sotto_census_shape *shape = run->shape;
	size_t last = shape->start[shape->level_count - 2];

	for (size_t v = 0; v < n; v++) {
		t->count[v] = v < last ? shape->count[v] : 0;
		t->low[v] = fmax((double)shape->total_low[v], 0);
		t->high[v] = shape->total_high[v] >= sotto_census_unlimited
				     ? INFINITY
				     : (double)shape->total_high[v];
		if (shape->total_low[v] == shape->total_high[v]) {
			t->y[v] = (double)shape->total_low[v];
			t->s[v] = 0;
		} else if (v < last) {
			set_own(run, v, &t->y[v], &t->s[v]);
		} else {
			t->y[v] = run->totals[v].z;
			t->s[v] = run->totals[v].variance;
		}
	}
}

static enum sotto_status
settle(struct sotto_census_run *run, struct sotto_rng *rng, size_t n, struct totals *t)
{
	const struct sotto_tree tree = {.n = n, .first = run->shape->first, .count = t->count};
	const struct sotto_tree_measures m = {t->y, t->s, t->low, t->high};
	enum sotto_status st;
	size_t bad;

	load(run, n, t);
	for (size_t v = 0; v < n; v++)
		SOTTO_TRY(sotto_uniform_below(rng, UINT64_MAX, &t->lots[v]));
	SOTTO_TRY(sotto_tree_nnls(&tree, &m, t->x, &bad));
	run->targets = malloc(n * sizeof *run->targets);
	if (!run->targets)
		return SOTTO_ENOMEM;
	st = sotto_tree_round(&tree, &m, t->x, t->lots, run->targets);
	if (st == SOTTO_ERANGE) {
		free(run->targets);
		run->targets = NULL;
		return SOTTO_OK;
	}
	return st;
}

enum sotto_status sotto_census_set_targets(struct sotto_census_run *run, struct sotto_rng *rng)
{
	size_t n = run->shape->start[run->shape->level_count - 1];
	struct totals t = {.y = NULL};
	enum sotto_status st;

	if (n == 0 || !run->totals)
		return SOTTO_OK;
	t.y = malloc(5 * n * sizeof *t.y);
	t.count = malloc(n * sizeof *t.count);
	t.lots = malloc(n * sizeof *t.lots);
	if (t.y) {
		t.s = t.y + n;
		t.low = t.s + n;
		t.high = t.low + n;
		t.x = t.high + n;
	}
	st = t.y && t.count && t.lots ? settle(run, rng, n, &t) : SOTTO_ENOMEM;
	free(t.y);
	free(t.count);
	free(t.lots);
	return st;
}
