/* Totals and groups of a family, and the way from there to cells (rounding.md). */
#include "census/whole/census_root.h"
#include "census/whole/census_split.h"
#include "census/whole/census_whole.h"

#include <stdlib.h>
#include <string.h>

#include "census/solve/feasible/census_group_choice.h"
#include "census/whole/census_table.h"
#include "core/base/failure.h"

static const int64_t total_weight = 64; /* what a wrong row total costs against a wrong group */
static const int64_t unlimited = INT64_C(1) << 60;

struct limits {
	int64_t *most; /* what each child may have in all */
	int64_t *least;
};

static int64_t cut(int64_t x)
{
	return x < unlimited ? x : unlimited;
}

static void set_limits(const struct sotto_census_fractions *f,
		       const struct sotto_whole_table *b, struct limits *l)
{
	size_t g = f->groups;

	for (size_t c = 0; c < f->children; c++) {
		int64_t low = 0, high = 0;

		for (size_t i = 0; i < g; i++) {
			int64_t all = b->columns[i], upper = f->high ? f->high[c * g + i] : all;

			low = cut(low + (f->low ? f->low[c * g + i] : 0));
			high = cut(high + (upper < all ? upper : all));
		}
		l->least[c] = f->total_low[c] > low ? f->total_low[c] : low;
		l->most[c] = f->total_high[c] < high ? f->total_high[c] : high;
	}
}

/* The groups that somebody is in; only they are columns of the flow. */
struct present {
	size_t group[SOTTO_CENSUS_GROUPS_MAX], count;
};

/* False if some child must have somebody in a group that nobody is in. */
static bool
find_present(const struct sotto_census_fractions *f, const int64_t *columns, struct present *p)
{
	size_t groups = f->groups;

	p->count = 0;
	for (size_t g = 0; g < groups; g++) {
		if (columns[g] > 0)
			p->group[p->count++] = g;
		for (size_t c = 0; columns[g] <= 0 && f->low && c < f->children; c++)
			if (f->low[c * groups + g] > 0)
				return false;
	}
	return true;
}

/* The last column holds what a child does not have of the most that it may. */
static void fill_groups(const struct sotto_census_fractions *f, const double *want,
			const struct present *p, struct sotto_whole_table *b,
			const struct limits *l)
{
	size_t groups = f->groups, columns = p->count + 1, last = p->count;

	b->weights[last] = total_weight;
	for (size_t c = 0; c < f->children; c++) {
		double total = 0;

		for (size_t g = 0; g < groups; g++)
			total += want[c * groups + g];
		for (size_t i = 0; i < p->count; i++) {
			size_t at = c * groups + p->group[i];

			b->want[c * columns + i] = sotto_whole_scaled(want[at], b->t.unit);
			b->low[c * columns + i] = f->low ? f->low[at] : 0;
			b->high[c * columns + i] = f->high ? f->high[at] : b->columns[i];
		}
		if (f->targets)
			total = f->targets[c];
		b->rows[c] = l->most[c];
		b->columns[last] += l->most[c];
		b->high[c * columns + last] = l->most[c] - l->least[c];
		b->want[c * columns + last] =
			l->most[c] * b->t.unit - sotto_whole_scaled(total, b->t.unit);
	}
	for (size_t i = 0; i < p->count; i++)
		b->columns[last] -= b->columns[i];
}

/* The flow on the groups that somebody is in; b's columns are given, its x is filled. */
static enum sotto_status flow_groups(const struct sotto_census_fractions *f, const double *want,
				     struct sotto_whole_table *b, const struct limits *l,
				     struct sotto_transport_work *work)
{
	struct present p;
	struct sotto_whole_table flow = {.memory = NULL};
	enum sotto_status st;

	if (!find_present(f, b->columns, &p))
		return SOTTO_EINFEASIBLE;
	st = sotto_whole_table_init(&flow, f, f->children, p.count + 1);
	if (st == SOTTO_OK) {
		for (size_t i = 0; i < p.count; i++)
			flow.columns[i] = b->columns[p.group[i]];
		fill_groups(f, want, &p, &flow, l);
		st = flow.columns[p.count] < 0 ? SOTTO_EINFEASIBLE
					       : sotto_whole_table_round(&flow, f, work);
	}
	for (size_t c = 0; st == SOTTO_OK && c < f->children; c++)
		for (size_t i = 0; i < p.count; i++)
			b->x[c * b->t.columns + p.group[i]] = flow.x[c * (p.count + 1) + i];
	free(flow.memory);
	return st;
}

static enum sotto_status round_groups(const struct sotto_census_fractions *f,
				      const double *want, struct sotto_whole_table *b,
				      struct sotto_transport_work *work)
{
	struct limits l = {.most = calloc(f->children, sizeof *l.most),
			   .least = calloc(f->children, sizeof *l.least)};
	enum sotto_status st = l.most && l.least ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK) {
		set_limits(f, b, &l);
		for (size_t c = 0; c < f->children; c++)
			if (l.least[c] > l.most[c])
				st = SOTTO_EINFEASIBLE;
	}
	if (st == SOTTO_OK)
		st = flow_groups(f, want, b, &l, work);
	free(l.most);
	free(l.least);
	return st;
}

/*
 * Children with fixed totals below them: groups one after the other, each within what the
 * rest leaves possible.
 */
static enum sotto_status choose_groups(const struct sotto_census_fractions *f,
				       const double *want, struct sotto_whole_table *b)
{
	size_t g = f->groups;
	int64_t *out = calloc(f->children * g, sizeof *out);
	struct sotto_census_sharing sharing = {.groups = g,
					       .children = f->children,
					       .sets = f->sets,
					       .low = f->low,
					       .high = f->high,
					       .total_low = f->total_low,
					       .total_high = f->total_high,
					       .parent = b->columns,
					       .want = want,
					       .out = out};
	enum sotto_status st = out ? sotto_census_share_groups(&sharing) : SOTTO_ENOMEM;

	for (size_t c = 0; st == SOTTO_OK && c < f->children; c++)
		memcpy(b->x + c * b->t.columns, out + c * g, g * sizeof *out);
	free(out);
	return st;
}

/* A table of the children's groups, filled. */
static enum sotto_status settle_table(const struct sotto_census_fractions *f,
				      const double *want, struct sotto_transport_work *work,
				      struct sotto_whole_table *b)
{
	SOTTO_TRY(sotto_whole_table_init(b, f, f->children, f->groups + 1));
	for (size_t k = 0; k < f->cells; k++)
		b->columns[sotto_whole_group(f, k)] += f->parent[k];
	if (sotto_whole_is_settled(f)) {
		for (size_t c = 0; c < f->children; c++)
			memcpy(b->x + c * b->t.columns, f->low + c * f->groups,
			       f->groups * sizeof *f->low);
		return SOTTO_OK;
	}
	return sotto_whole_has_sets(f) ? choose_groups(f, want, b)
				       : round_groups(f, want, b, work);
}

enum sotto_status sotto_census_settle_groups(const struct sotto_census_fractions *f,
					     const double *want,
					     struct sotto_transport_work *work, int64_t *groups)
{
	size_t g = f->groups;
	struct sotto_whole_table b = {.memory = NULL};
	enum sotto_status st = settle_table(f, want, work, &b);

	for (size_t c = 0; st == SOTTO_OK && c < f->children; c++)
		memcpy(groups + c * g, b.x + c * (g + 1), g * sizeof *groups);
	free(b.memory);
	return st;
}

enum sotto_status sotto_census_make_whole(const struct sotto_census_fractions *f,
					  struct sotto_transport_work *work)
{
	size_t g = f->groups;
	struct sotto_whole_table b = {.memory = NULL};
	enum sotto_status st;
	double *want;

	if (!f->parent)
		return sotto_whole_root(f);
	want = calloc(f->children * g, sizeof *want);
	if (!want)
		return SOTTO_ENOMEM;
	for (size_t c = 0; c < f->children; c++)
		for (size_t k = 0; k < f->cells; k++)
			want[c * g + sotto_whole_group(f, k)] += f->x[c * f->cells + k];
	st = settle_table(f, want, work, &b);
	if (st == SOTTO_OK)
		st = sotto_whole_split_groups(f, &b, work);
	free(b.memory);
	free(want);
	return st;
}
