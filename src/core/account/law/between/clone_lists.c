/*
 * Each row of outcomes, or each few dozens of rows by their fewest and by their most reports, goes into cells, which keep mass and mean.  All bounds here
 * are derived in between.md.
 */
#include "core/account/law/between/clone_lists.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/account/law/clones/clone_rule.h"
#include "core/account/law/law.h"
#include "core/account/law/law_clones.h"
#include "core/base/failure.h"

/* -log of what rows outside the window weigh, and of what is left out of a row, about. */
#define DIGITS 44.0
/* Cells before and after the stretch where most of them are, as a part of all. */
#define ASIDE 0.05
/* Places where a row might end, in its standard deviations. */
#define STEP 0.25
/* So many more reports have as long rows. */
#define NEARLY 1.1
/* More numbers of clones are not listed. */
#define ROWS_MAX 4e5
/* Steps (work.h) that an outcome takes. */
#define STEPS 2.5

/* A mass, its sum of places, and the least and the largest of them. */
struct cell {
	double mass, sum, low, high;
};

/* Cells of different sizes before, in and after a stretch. */
struct cells {
	struct cell *cell;
	size_t n, aside;
	double from, to, before, inside, after; /* cells for each unit of v */
};

struct making {
	const struct sotto_clone_pair *pair;
	const struct sotto_clone_cutting *cutting;
	struct sotto_clones clones;
	struct cells above, below;
	double *row; /* room for one */
	double made_for, end,
		beyond; /* where rows of so many reports, or more, end; what is beyond, in a group */
	bool both; /* the cells of the one serve the other too */
	double error, left_out;
	struct sotto_work *work;
};

static enum sotto_status make_cells(struct cells *c, const struct sotto_clone_cutting *cutting)
{
	double aside = ceil(ASIDE * (double)cutting->cells), rest = 1 - cutting->to;

	*c = (struct cells){.cell = calloc(cutting->cells, sizeof *c->cell),
			    .n = cutting->cells,
			    .aside = (size_t)aside,
			    .from = cutting->from,
			    .to = cutting->to};
	if (!c->cell)
		return SOTTO_ENOMEM;
	c->before = cutting->from > 0 ? aside / cutting->from : 0;
	c->after = rest > 0 ? aside / rest : 0;
	c->inside = ((double)c->n - 2 * aside) / (cutting->to - cutting->from);
	return SOTTO_OK;
}

static struct cell *cell_at(const struct cells *c, double v)
{
	size_t last = c->n - c->aside, i;

	if (v < c->from) {
		i = (size_t)(v * c->before);
		return &c->cell[i < c->aside ? i : c->aside - 1];
	}
	if (v >= c->to) {
		i = last + (size_t)((v - c->to) * c->after);
		return &c->cell[i < c->n ? i : c->n - 1];
	}
	i = c->aside + (size_t)((v - c->from) * c->inside);
	return &c->cell[i < last ? i : last - 1];
}

/* Where a row of n reports may end: what lies beyond is rare, even times what a group makes of it. */
static double end_of_row(const struct sotto_clone_pair *p, double k, double n)
{
	double step = STEP / sqrt(n), v = step;

	while (v < 1 && 0.5 * n * v * v - (k - 1) * sotto_clone_loss(p, v, 1) < DIGITS + log(k))
		v += step;
	return v;
}

double sotto_clone_lists_reach(const struct sotto_clone_pair *p, size_t people)
{
	return fmin(1, end_of_row(p, (double)people, p->clones + 1));
}

/* Halves of masses of all n reports, those with a difference d >= 0 of their numbers. */
static size_t fill_row(double *row, double n, double end)
{
	double odd = fmod(n, 2), x = 0.5 * (n + odd), one = 1, sum = 0;
	size_t count = 0;

	for (double d = odd; x <= n && d <= end * n; x++, d += 2) {
		row[count++] = d > 0 ? one : 0.5;
		sum += row[count - 1];
		one *= (n - x) / (x + 1);
	}
	for (size_t i = 0; i < count; i++)
		row[i] *= 0.5 / sum;
	return count;
}

/* Of more reports next to nothing is farther out, and less: an end serves until it is too far out. */
static void find_end(struct making *m, double n)
{
	double k = (double)m->cutting->people;

	if (m->made_for > 0 && n >= m->made_for && n < NEARLY * m->made_for)
		return;
	m->made_for = n;
	m->end = fmin(1, end_of_row(m->pair, k, n));
	m->beyond =
		m->end < 1
			? k * exp(sotto_clone_log_beyond(m->pair, k - 1, n,
							 sotto_clone_loss(m->pair, m->end, 1)))
			: 0;
}

static void add_row(struct making *m, struct cells *c, double n, double mass)
{
	double d = fmod(n, 2);
	size_t count;

	find_end(m, n);
	count = fill_row(m->row, n, m->end);
	for (size_t i = 0; i < count; i++, d += 2) {
		double v = d / n, one = mass * m->row[i];
		struct cell *to = cell_at(c, v);

		to->low = to->mass > 0 && to->low < v ? to->low : v;
		to->high = to->high > v ? to->high : v;
		to->mass += one;
		to->sum += one * v;
	}
	sotto_work_use(m->work, STEPS * (double)count);
	m->error = fmax(m->error, SOTTO_U * (32 + 8 * (double)count));
	m->left_out += mass * m->beyond;
}

/* Numbers of clones that count, in a group; what the others weigh. */
static enum sotto_status find_window(struct making *m)
{
	const struct sotto_clone_pair *p = m->pair;
	double k = (double)m->cutting->people;
	struct sotto_clone_order order = {k - 1, 0, DIGITS};
	struct sotto_clones *s = &m->clones;

	*s = (struct sotto_clones){.users = p->users, .p = p->p};
	sotto_clone_window(p, &order, &s->low, &s->high);
	while (s->high < p->users &&
	       sotto_clone_deviance(p, s->high + 1) <
		       DIGITS + sotto_clone_log_given_up(p, k - 1, s->high + 2))
		s->high++;
	m->left_out = sotto_clone_outside(p, k - 1, s->low, p->users);
	if (s->high < p->users)
		m->left_out += 2 * exp(sotto_clone_log_given_up(p, k - 1, s->high + 2) -
				       sotto_clone_deviance(p, s->high + 1));
	m->left_out *= k;
	if (!(s->high - s->low < ROWS_MAX))
		return SOTTO_EREFUSED;
	s->count = (size_t)(s->high - s->low) + 1;
	sotto_work_use(m->work, STEPS * (double)s->count);
	return sotto_clones_weigh(s);
}

/* How many numbers of clones go together. */
static size_t run_of(const struct making *m)
{
	double n = m->pair->clones + 1, count = (double)m->clones.count,
	       each = 0.5 * fmin(1, end_of_row(m->pair, (double)m->cutting->people, n)) * n + 1,
	       all = count * each;

	if (all <= m->cutting->outcomes)
		return 1;
	return (size_t)fmin(count, ceil(2 * all / m->cutting->outcomes));
}

static void add_rows(struct making *m)
{
	const struct sotto_clones *s = &m->clones;
	size_t run = run_of(m);

	m->both = run == 1;
	for (size_t i = 0; i < s->count; i += run) {
		size_t last = i + run < s->count ? i + run : s->count;
		double mass = 0;

		for (size_t j = i; j < last; j++)
			mass += s->mass[j];
		add_row(m, &m->above, s->low + (double)i + 1, mass);
		if (!m->both)
			add_row(m, &m->below, s->low + (double)last, mass);
	}
	m->error += SOTTO_U *
		    (64 + 8 * (double)s->count +
		     (4 + 2 * m->pair->epsilon0) *
			     (fmax(m->pair->clones - s->low, s->high - m->pair->clones) + 2) /
			     m->pair->rest);
}

static enum sotto_status make_room(struct sotto_mirrored *m, size_t n)
{
	m->w = malloc(2 * n * sizeof *m->w);
	m->mass = m->w + n;
	m->n = 0;
	return m->w ? SOTTO_OK : SOTTO_ENOMEM;
}

static void add_place(struct sotto_mirrored *m, double w, double mass)
{
	if (m->n > 0 && w <= m->w[m->n - 1]) {
		m->mass[m->n - 1] += mass;
		return;
	}
	m->w[m->n] = w;
	m->mass[m->n++] = mass;
}

/* All of a cell at its mean, or at both of its ends so that the mean stays. */
static void
list_cells(const struct cells *c, double tau, bool above, struct sotto_mirrored *out)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct cell *one = &c->cell[i];
		double high;

		if (!(one->mass > 0))
			continue;
		if (!above || !(one->high > one->low)) {
			add_place(out, tau * fmin(one->high, one->sum / one->mass), one->mass);
			continue;
		}
		high = (one->sum - one->low * one->mass) / (one->high - one->low);
		high = fmin(one->mass, fmax(0, high));
		add_place(out, tau * one->low, one->mass - high);
		add_place(out, tau * one->high, high);
	}
}

static enum sotto_status list_both(struct making *m, struct sotto_clone_lists *out)
{
	SOTTO_TRY(make_room(&out->below, m->below.n));
	SOTTO_TRY(make_room(&out->above, 2 * m->above.n));
	list_cells(m->both ? &m->above : &m->below, m->pair->tau, false, &out->below);
	list_cells(&m->above, m->pair->tau, true, &out->above);
	out->error = m->error;
	out->left_out = m->left_out;
	return SOTTO_OK;
}

static enum sotto_status make(struct making *m, struct sotto_clone_lists *out)
{
	SOTTO_TRY(find_window(m));
	SOTTO_TRY(make_cells(&m->above, m->cutting));
	SOTTO_TRY(make_cells(&m->below, m->cutting));
	m->row = malloc((size_t)(sotto_clone_lists_reach(m->pair, m->cutting->people) *
					 (m->clones.high + 1) * NEARLY * 0.5 *
					 sqrt((m->clones.high + 1) / (m->clones.low + 1)) +
				 4) *
			sizeof *m->row);
	if (!m->row)
		return SOTTO_ENOMEM;
	add_rows(m);
	return list_both(m, out);
}

enum sotto_status sotto_clone_lists_of(const struct sotto_clone_pair *p,
				       const struct sotto_clone_cutting *cutting,
				       struct sotto_work *work, struct sotto_clone_lists *out)
{
	struct making m = {.pair = p, .cutting = cutting, .work = work};
	enum sotto_status st;

	*out = (struct sotto_clone_lists){.below = {.w = NULL}};
	st = make(&m, out);
	free(m.clones.mass);
	free(m.above.cell);
	free(m.below.cell);
	free(m.row);
	if (st != SOTTO_OK)
		sotto_clone_lists_release(out);
	return st;
}

void sotto_clone_lists_release(struct sotto_clone_lists *l)
{
	free(l->below.w);
	free(l->above.w);
	*l = (struct sotto_clone_lists){.below = {.w = NULL}};
}
