/*
 * Runs one family: settles the children's totals and groups, solves for the cells and makes
 * them whole, and checks before anything is published that all constraints hold.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/census_descend.h"
#include "census/solve/census_possible_cells.h"
#include "census/solve/information/census_terms.h"
#include "census/solve/feasible/census_feasible.h"
#include "census/solve/family/census_totals.h"
#include "census/whole/census_scatter.h"
#include "core/base/failure.h"

/* A parent and its children, or the root alone; arrays of both steps. */
struct family {
	size_t first, children; /* nodes */
	const uint32_t *cells;
	size_t n;
	size_t groups; /* of the frame, or of the known table those that the cells are in */
	uint32_t *group; /* of each cell */
	uint32_t *known; /* of each group: the cell of the known query */
	double *x, *h, *parent, *totals, *low, *high;
	int64_t *whole;
	const double **kernels;
	double **owned;
	uint64_t *masks;
	double *total, *variance;
	int64_t *least, *most; /* bounds of groups, whole */
	const int64_t **sets;
};

/* Cells lie group by group; groups of a known table are numbered as they come. */
static enum sotto_status find_groups(const struct sotto_census_run *run, struct family *f)
{
	const struct sotto_census_schema *s = run->schema;
	bool known = run->shape->known.is_given;

	f->group = malloc((2 * f->n + 1) * sizeof *f->group);
	if (!f->group)
		return SOTTO_ENOMEM;
	f->known = f->group + f->n;
	f->groups = known ? 0 : s->groups;
	for (size_t k = 0; k < f->n; k++) {
		uint32_t at = known ? s->maps[s->known][f->cells[k]] : 0;

		if (known && (k == 0 || f->known[f->groups - 1] != at))
			f->known[f->groups++] = at;
		f->group[k] = known ? (uint32_t)f->groups - 1
				    : s->group_of_place[f->cells[k] / s->regular];
	}
	return SOTTO_OK;
}

static enum sotto_status family_init(struct family *f)
{
	size_t c = f->children, cells = c * f->n, groups = f->groups;

	f->x = calloc(2 * cells + f->n + c * (3 + 2 * groups) + 1, sizeof *f->x);
	f->whole = calloc(cells + 1, sizeof *f->whole);
	f->kernels = calloc(c, sizeof *f->kernels);
	f->owned = calloc(c, sizeof *f->owned);
	f->masks = calloc(c, sizeof *f->masks);
	f->sets = calloc(c, sizeof *f->sets);
	f->least = calloc(2 * c * groups + 1, sizeof *f->least);
	if (!f->x || !f->whole || !f->kernels || !f->owned || !f->masks || !f->sets ||
	    !f->least)
		return SOTTO_ENOMEM;
	f->most = f->least + c * groups;
	f->h = f->x + cells;
	f->parent = f->h + cells;
	f->totals = f->parent + f->n;
	f->total = f->totals + c;
	f->variance = f->total + c;
	f->low = f->variance + c;
	f->high = f->low + c * groups;
	return SOTTO_OK;
}

static void family_release(struct family *f)
{
	for (size_t c = 0; f->owned && c < f->children; c++)
		free(f->owned[c]);
	free(f->group);
	free(f->x);
	free(f->whole);
	free(f->kernels);
	free(f->owned);
	free(f->masks);
	free(f->sets);
	free(f->least);
}

/* The known counts of a child are its bounds from both sides. */
static void hold_known(const struct sotto_census_shape *s, struct family *f, size_t c)
{
	struct sotto_census_known_row row = sotto_census_known_of(s, f->first + c);
	size_t i = 0;

	for (size_t g = 0; g < f->groups; g++) {
		size_t at = c * f->groups + g;

		while (i < row.n && row.cells[i] < f->known[g])
			i++;
		if (i < row.n && row.cells[i] == f->known[g])
			f->least[at] = row.counts[i];
		f->most[at] = f->least[at];
		f->low[at] = f->high[at] = (double)f->least[at];
	}
}

static enum sotto_status load(struct sotto_census_worker *w, struct family *f)
{
	const struct sotto_census_shape *s = w->run->shape;

	for (size_t c = 0; c < f->children; c++) {
		size_t node = f->first + c;

		f->masks[c] = sotto_census_node_mask(w->run, node);
		f->sets[c] = s->sets ? s->sets[node] : NULL;
		SOTTO_TRY(sotto_census_node_terms(w, node, f->cells, f->n, f->h + c * f->n,
						  &f->kernels[c], &f->owned[c], &f->total[c],
						  &f->variance[c]));
		if (s->known.is_given)
			hold_known(s, f, c);
		for (size_t g = 0; s->has_groups && g < s->groups; g++) {
			size_t at = c * s->groups + g;

			f->least[at] = sotto_census_group_low(s, node)[g];
			f->most[at] = sotto_census_group_high(s, node)[g];
			f->low[at] = (double)f->least[at];
			f->high[at] = (double)f->most[at];
		}
	}
	return SOTTO_OK;
}

/* Above the leaves totals are settled before the cells, where all of them are known. */
static enum sotto_status settle_totals(struct sotto_census_worker *w, struct family *f,
				       bool is_leaf, double whole, bool *settled)
{
	const struct sotto_census_shape *s = w->run->shape;

	*settled = false;
	if (is_leaf && !s->known.is_given)
		return SOTTO_OK;
	for (size_t c = 0; c < f->children; c++) {
		bool fixed = s->total_low[f->first + c] == s->total_high[f->first + c];

		if (isinf(f->variance[c]) && !fixed)
			return SOTTO_OK;
		if (fixed) {
			f->total[c] = (double)s->total_low[f->first + c];
			f->variance[c] = 1;
		} else if (w->run->targets) { /* never a leaf: its total is fixed here */
			f->total[c] = (double)w->run->targets[f->first + c];
		}
	}
	SOTTO_TRY(sotto_census_share_totals(
		&(struct sotto_census_totals){.children = f->children,
					      .low = s->total_low + f->first,
					      .high = s->total_high + f->first,
					      .total = f->total,
					      .variance = f->variance,
					      .out = f->totals},
		whole,
		sotto_census_reader_rng(w->reader, s->parent[f->first], SOTTO_CENSUS_LOTS)));
	*settled = true;
	return SOTTO_OK;
}

/* ---- groups ------------------------------------------------------------------------------ */

/*
 * Settles the groups of all children where they were measured; *out is then children x groups,
 * and the cells are held to them.
 */
static enum sotto_status settle_groups(struct sotto_census_worker *w, struct family *f,
				       const struct sotto_census_fractions *fractions,
				       int64_t **out)
{
	size_t g = w->run->shape->groups, n = f->children * g;
	double *want;
	bool known = w->run->shape->has_groups;
	enum sotto_status st = SOTTO_OK;

	if (!known)
		return SOTTO_OK;
	want = malloc(n * sizeof *want);
	*out = malloc(n * sizeof **out);
	if (!want || !*out)
		st = SOTTO_ENOMEM;
	for (size_t c = 0; st == SOTTO_OK && known && c < f->children; c++)
		st = sotto_census_node_groups(w, f->first + c, want + c * g, &known);
	if (st == SOTTO_OK && known)
		st = sotto_census_settle_groups(fractions, want, &w->transport, *out);
	for (size_t i = 0; st == SOTTO_OK && known && i < n; i++)
		f->low[i] = f->high[i] = (double)(*out)[i];
	if (st != SOTTO_OK || !known) {
		free(*out);
		*out = NULL;
	}
	free(want);
	return st;
}

/* ---- cells --------------------------------------------------------------------------------------------- */

static enum sotto_status
solve(struct sotto_census_worker *w, struct family *f, const int64_t *parent, bool totals)
{
	const struct sotto_census_shape *s = w->run->shape;
	bool held = s->has_groups || s->known.is_given;
	struct sotto_census_family real = {.basis = &w->run->basis,
					   .children = f->children,
					   .cells = f->n,
					   .cell = f->cells,
					   .groups = f->groups,
					   .group = f->group,
					   .parent = parent ? f->parent : NULL,
					   .kernels = f->kernels,
					   .h = f->h,
					   .totals = totals ? f->totals : NULL,
					   .slack = parent ? w->run->plan->tol_slack : 0,
					   .masks = f->masks,
					   .low = held ? f->low : NULL,
					   .high = held ? f->high : NULL,
					   .x = f->x};
	int64_t *groups = NULL;
	enum sotto_status st;
	struct sotto_census_fractions fractions = {
		.schema = w->run->schema,
		.children = f->children,
		.cells = f->n,
		.cell = f->cells,
		.groups = f->groups,
		.group = f->group,
		.x = f->x,
		.targets = totals ? f->totals : NULL,
		.parent = parent,
		.total_low = s->total_low + f->first,
		.total_high = s->total_high + f->first,
		.low = held ? f->least : NULL,
		.high = held ? f->most : NULL,
		.sets = f->sets,
		.rounding = w->run->plan->rounding,
		.rng = sotto_census_reader_rng(w->reader, s->parent[f->first],
					       SOTTO_CENSUS_ROUND),
		.out = f->whole};

	st = parent && totals ? settle_groups(w, f, &fractions, &groups) : SOTTO_OK;
	if (st == SOTTO_OK && groups) {
		fractions.low = fractions.high = groups;
		fractions.sets = NULL;
	}
	if (st == SOTTO_OK)
		st = sotto_census_solve(&real, &w->solver);
	if (st == SOTTO_OK && !(parent && w->run->plan->rounding == SOTTO_ROUNDING_UNBIASED))
		st = sotto_census_scatter(f->x, f->children * f->n, fractions.rng);
	if (st == SOTTO_OK)
		st = sotto_census_make_whole(&fractions, &w->transport);
	free(groups);
	return st;
}

/* The counts of a child, its groups added up, within its bounds. */
static bool child_is_right(const struct sotto_census_shape *s, const struct family *f, size_t c,
			   int64_t *groups)
{
	bool held = s->has_groups || s->known.is_given;
	int64_t total = 0;

	memset(groups, 0, f->groups * sizeof *groups);
	for (size_t k = 0; k < f->n; k++) {
		if (f->whole[c * f->n + k] < 0)
			return false;
		groups[f->group[k]] += f->whole[c * f->n + k];
		total += f->whole[c * f->n + k];
	}
	for (size_t g = 0; held && g < f->groups; g++)
		if (groups[g] < f->least[c * f->groups + g] ||
		    groups[g] > f->most[c * f->groups + g])
			return false;
	return total >= s->total_low[f->first + c] && total <= s->total_high[f->first + c];
}

/* What must hold, holds; anything else is a fault of this program, and nothing is published. */
static enum sotto_status
check_family(struct sotto_census_worker *w, const struct family *f, const int64_t *parent)
{
	int64_t *groups = malloc((f->groups + 1) * sizeof *groups);
	enum sotto_status st = groups ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t k = 0; st == SOTTO_OK && parent && k < f->n; k++) {
		int64_t sum = 0;

		for (size_t c = 0; c < f->children; c++)
			sum += f->whole[c * f->n + k];
		st = sum == parent[k] ? SOTTO_OK : SOTTO_ESTATE;
	}
	for (size_t c = 0; st == SOTTO_OK && c < f->children; c++)
		st = child_is_right(w->run->shape, f, c, groups) ? SOTTO_OK : SOTTO_ESTATE;
	free(groups);
	return st;
}

/* The root's total, if it is fixed or was settled with those below it. */
static bool settle_root(const struct sotto_census_run *run, struct family *f)
{
	bool fixed = run->shape->total_low[0] == run->shape->total_high[0];

	if (fixed)
		f->totals[0] = (double)run->shape->total_low[0];
	else if (run->targets && isfinite(f->variance[0]))
		f->totals[0] = (double)run->targets[0];
	else
		return false;
	return true;
}

static enum sotto_status run_family(struct sotto_census_worker *w, struct family *f,
				    const struct sotto_census_counts *parent, bool is_leaf,
				    struct sotto_census_counts *out)
{
	double whole = 0;
	bool totals = false;

	SOTTO_TRY(find_groups(w->run, f));
	SOTTO_TRY(family_init(f));
	for (size_t k = 0; parent && k < f->n; k++)
		whole += f->parent[k] = (double)parent->counts[k];
	SOTTO_TRY(load(w, f));
	if (parent)
		SOTTO_TRY(settle_totals(w, f, is_leaf, whole, &totals));
	else
		totals = settle_root(w->run, f);
	SOTTO_TRY(solve(w, f, parent ? parent->counts : NULL, totals));
	SOTTO_TRY(check_family(w, f, parent ? parent->counts : NULL));
	for (size_t c = 0; c < f->children; c++)
		SOTTO_TRY(
			sotto_census_counts_keep(&out[c], f->cells, f->whole + c * f->n, f->n));
	return SOTTO_OK;
}

enum sotto_status
sotto_census_descend_root(struct sotto_census_worker *w, struct sotto_census_counts *out)
{
	struct family f = {.first = 0, .children = 1};
	uint32_t *cells = NULL;
	enum sotto_status st = sotto_census_possible_cells(w->run, &cells, &f.n);

	f.cells = cells;
	if (st == SOTTO_OK && f.n == 0) /* no cell may be occupied: nobody is there */
		st = w->run->shape->total_low[0] > 0
			     ? SOTTO_EINFEASIBLE
			     : sotto_census_counts_keep(out, NULL, NULL, 0);
	else if (st == SOTTO_OK)
		st = run_family(w, &f, NULL, false, out);
	family_release(&f);
	free(cells);
	return st;
}

enum sotto_status sotto_census_descend(struct sotto_census_worker *w, size_t parent,
				       const struct sotto_census_counts *counts,
				       struct sotto_census_counts *out)
{
	const struct sotto_census_shape *s = w->run->shape;
	struct family f = {.first = s->first[parent],
			   .children = s->count[parent],
			   .cells = counts->cells,
			   .n = counts->n};
	enum sotto_status st;

	if (f.children == 1)
		return sotto_census_counts_copy(out, counts);
	if (f.n == 0) {
		for (size_t c = 0; c < f.children; c++)
			SOTTO_TRY(sotto_census_counts_copy(&out[c], counts));
		return SOTTO_OK;
	}
	st = run_family(w, &f, counts, f.first >= s->start[s->level_count - 1], out);
	family_release(&f);
	return st;
}
