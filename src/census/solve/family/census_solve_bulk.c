/* Accelerated projected gradients on one family (nonnegative.md). */
#include "census/solve/family/census_solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/family/census_operator.h"
#include "core/base/failure.h"

enum {
	STEPS_MAX = 600, /* families with few queries need 10 to 50 */
	SWEEPS = 2, /* of the multipliers in each step */
	LAST_SWEEPS = 30,
	LINE_MOVES = 3,
	LARGE = 1000, /* cells */
	LEAST_STEPS = 20,
};
static const double enough = 0.02; /* change of the largest cell in one step, in people */
static const double near = 0.005; /* what sums may be off within a step */
static const double exact = 1e-4; /* and at the end */
static const double noise_share = 1e-4; /* of a cell's noise, what the last step gains */

/* Some cells of one child, next to each other, whose sum lies within bounds. */
struct line {
	size_t child, first, n;
	double low, high, multiplier;
};

struct state {
	const struct sotto_census_family *f;
	const struct sotto_census_loops *loops;
	struct sotto_census_operator p;
	size_t c, m, width;
	double *x, *last, *ahead, *u, *h; /* c x width; u holds the multipliers of lines */
	double *step; /* of each child */
	double *column, *sum, *slope; /* width; the multipliers of columns, and their work */
	struct line *lines;
	size_t line_count;
	size_t *group_first; /* of each group, its first cell; then the number of cells */
};

void sotto_census_solver_release(struct sotto_census_solver *s)
{
	free(s->memory);
	*s = (struct sotto_census_solver){0};
}

/* ---- projection -------------------------------------------------------------------------------------- */

/* Nobody has any of column k: its multiplier goes up until somebody does. */
static void raise_column(struct state *t, size_t k, double lack)
{
	double nearest = INFINITY;

	for (size_t c = 0; c < t->c; c++)
		nearest = fmin(nearest, -t->u[c * t->width + k] / t->step[c]);
	if (isfinite(nearest))
		t->column[k] = nearest + lack / t->step[0];
}

/* One Newton step for all columns at once; returns how far the worst sum was off before it. */
static double move_columns(struct state *t)
{
	double worst = 0;

	t->loops->add_columns(t->u, t->step, t->column, t->c, t->width, t->sum, t->slope);
	for (size_t k = 0; k < t->m; k++) {
		double lack = t->f->parent[k] - t->sum[k];
		double off = fabs(lack);

		worst = off > worst ? off : worst;
		if (t->slope[k] > 0)
			t->column[k] += lack / t->slope[k];
		else
			raise_column(t, k, lack);
	}
	return worst;
}

/* How much the multiplier must grow for the first cell to be above 0. */
static double nearest_cell(const struct sotto_census_row *row)
{
	double nearest = INFINITY;

	for (size_t k = 0; k < row->n; k++)
		nearest = fmin(nearest, -(row->u[k] + row->shift + row->step * row->column[k]) /
						row->step);
	return nearest;
}

/* Changes the line's multiplier by `move`. */
static void shift_line(struct state *t, struct line *line, double move)
{
	double *u = t->u + line->child * t->width + line->first;
	double shift = t->step[line->child] * move;

	line->multiplier += move;
	for (size_t k = 0; move != 0 && k < line->n; k++)
		u[k] += shift;
}

static void move_line(struct state *t, struct line *line)
{
	struct sotto_census_row row = {.u = t->u + line->child * t->width + line->first,
				       .column = t->column + line->first,
				       .step = t->step[line->child],
				       .n = line->n};
	double want = line->low, move = 0, sum, slope;

	if (line->low < line->high) {
		row.shift = -row.step * line->multiplier;
		t->loops->add_row(&row, &sum, &slope);
		if (sum >= line->low && sum <= line->high) {
			shift_line(t, line, -line->multiplier);
			return;
		}
		want = sum < line->low ? line->low : line->high;
	}
	for (int i = 0; i < LINE_MOVES; i++) {
		double more = 0;

		row.shift = row.step * move;
		t->loops->add_row(&row, &sum, &slope);
		if (slope > 0)
			more = (want - sum) / slope;
		else if (want > 0)
			more = nearest_cell(&row) + want / row.step;
		if (!isfinite(more))
			break;
		move += more;
		if (fabs(want - sum) < exact)
			break;
	}
	shift_line(t, line, move);
}

/* Moves the multipliers in turn until all sums are near enough. */
static void project(struct state *t, int sweeps, double tolerance, double *x)
{
	for (int i = 0; i < sweeps; i++) {
		double off = t->f->parent ? move_columns(t) : INFINITY;

		if (off < tolerance && (i > 0 || t->line_count == 0))
			break;
		if (t->f->parent && off >= tolerance)
			move_columns(t);
		for (size_t l = 0; l < t->line_count; l++)
			move_line(t, &t->lines[l]);
	}
	for (size_t c = 0; c < t->c; c++)
		t->loops->cut(&(struct sotto_census_row){.u = t->u + c * t->width,
							 .column = t->column,
							 .step = t->step[c],
							 .n = t->width},
			      x + c * t->width);
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

/* Where all groups are settled: the parent's cells by the children's shares of their group. */
static void start_by_groups(struct state *t)
{
	for (size_t g = 0; g < t->f->groups; g++) {
		size_t first = t->group_first[g], end = t->group_first[g + 1];
		double all = 0;

		for (size_t k = first; k < end; k++)
			all += t->f->parent[k];
		for (size_t c = 0; c < t->c; c++)
			for (size_t k = first; k < end; k++)
				t->x[c * t->width + k] =
					all > 0 ? t->f->parent[k] / all *
							  t->f->low[c * t->f->groups + g]
						: 0;
	}
	for (size_t c = 0; c < t->c; c++)
		for (size_t k = t->m; k < t->width; k++)
			t->x[c * t->width + k] = 0;
}

/* Shares of the parent by row totals, or equal ones. */
static void start(struct state *t)
{
	double whole = 0;

	for (size_t c = 0; c < t->c; c++)
		whole += t->f->totals ? t->f->totals[c] : 1;
	for (size_t c = 0; c < t->c; c++)
		for (size_t k = 0; k < t->width; k++) {
			double share = t->f->totals ? t->f->totals[c] : 1;
			double all = k >= t->m      ? 0
				     : t->f->parent ? t->f->parent[k]
				     : t->f->totals ? t->f->totals[0] / (double)t->m
						    : 0;
			bool dead = t->h[c * t->width + k] == -INFINITY;

			t->x[c * t->width + k] = dead || whole <= 0 ? 0 : all * share / whole;
		}
}

/* u := ahead - step (P ahead - h), and what the lines add */
static void descend(struct state *t)
{
	double *gradient = t->u;

	sotto_census_operator_apply(&t->p, t->ahead, gradient);
	for (size_t c = 0; c < t->c; c++)
		t->loops->descend(t->ahead + c * t->width, gradient + c * t->width,
				  t->h + c * t->width, t->step[c], t->width,
				  t->u + c * t->width);
	for (size_t l = 0; l < t->line_count; l++) {
		double multiplier = t->lines[l].multiplier;

		t->lines[l].multiplier = 0;
		shift_line(t, &t->lines[l], multiplier);
	}
}

/*
 * Does a step gain less, for each cell, than a ten-thousandth of what its noise is worth in the objective,
 * 1/2?  (nonnegative.md, "When to stop".)
 */
static bool is_lost_in_noise(const struct state *t)
{
	double gain = 0;

	for (size_t c = 0; c < t->c; c++) {
		double squares = 0;

		for (size_t k = c * t->width; k < (c + 1) * t->width; k++)
			squares += (t->x[k] - t->last[k]) * (t->x[k] - t->last[k]);
		gain += squares / t->step[c];
	}
	return gain < noise_share * (double)(t->c * t->m);
}

/* A step that moves nobody much ends it; in a large family one that gains little is enough. */
static bool is_done(const struct state *t, int steps, double change)
{
	bool large = t->m >= LARGE && t->f->parent;

	return steps > 0 && (change < enough || (large && steps >= LEAST_STEPS)) &&
	       is_lost_in_noise(t);
}

static void run(struct state *t)
{
	size_t n = t->c * t->width;
	double momentum = 1;

	memcpy(t->ahead, t->x, n * sizeof *t->ahead);
	for (int i = 0; i < STEPS_MAX; i++) {
		double next = (1 + sqrt(1 + 4 * momentum * momentum)) / 2, change, turn;
		double weight = (momentum - 1) / next, *was = t->last;

		t->last = t->x;
		t->x = was;
		descend(t);
		project(t, SWEEPS, near, t->x);
		t->loops->compare(t->x, t->last, t->ahead, n, &change, &turn);
		if (turn > 0) { /* overshooting: begin again without speed */
			weight = 0;
			next = 1;
		}
		t->loops->lead(t->x, t->last, weight, n, t->ahead);
		momentum = next;
		if (is_done(t, i, change))
			break;
	}
	project(t, LAST_SWEEPS, exact, t->x);
}

/* ---- the family's data ------------------------------------------------------------------------------------ */

static void find_groups(struct state *t)
{
	size_t k = 0;

	for (size_t g = 0; g <= t->f->groups; g++) {
		while (k < t->m && t->f->group[k] < g)
			k++;
		t->group_first[g] = k;
	}
}

/* Has every group of every child a fixed total?  Then row totals add nothing. */
static bool is_settled(const struct sotto_census_family *f)
{
	size_t n = f->children * f->groups;

	if (!f->totals || !f->low)
		return false;
	for (size_t i = 0; i < n; i++)
		if (f->low[i] < f->high[i])
			return false;
	return true;
}

static void add_line(struct state *t, struct line line)
{
	if (line.n > 0)
		t->lines[t->line_count++] = line;
}

/* A group's line, unless its bounds hold anyway. */
static void add_group(struct state *t, size_t c, size_t g)
{
	size_t first = t->group_first[g], n = t->group_first[g + 1] - first;
	double low = t->f->low[c * t->f->groups + g], all = 0;
	double high = t->f->high[c * t->f->groups + g];

	for (size_t k = first; k < first + n; k++) {
		all += t->f->parent ? t->f->parent[k] : INFINITY;
		if (high <= 0)
			t->h[c * t->width + k] = -INFINITY;
	}
	if (high > 0 && (low > 0 || high < all))
		add_line(t, (struct line){c, first, n, low, high, 0});
}

static void find_lines(struct state *t, bool settled)
{
	for (size_t c = 0; c < t->c; c++) {
		if (t->f->totals && !settled)
			add_line(t, (struct line){c, 0, t->m, t->f->totals[c] - t->f->slack,
						  t->f->totals[c] + t->f->slack, 0});
		for (size_t g = 0; t->f->low && g < t->f->groups; g++)
			add_group(t, c, g);
	}
}

/* h with -infinity where a cell cannot be, and beyond the cells. */
static void load_h(struct state *t)
{
	for (size_t c = 0; c < t->c; c++)
		for (size_t k = 0; k < t->width; k++)
			t->h[c * t->width + k] =
				k < t->m && t->f->masks[c] >> (t->f->cell[k] /
							       t->f->basis->regular) &
							1
					? t->f->h[c * t->m + k]
					: -INFINITY;
}

static enum sotto_status lay_out(struct state *t, struct sotto_census_solver *s)
{
	size_t n = t->c * t->width, groups = t->f->groups;
	size_t doubles = 5 * n + t->c + 3 * t->width;
	size_t bytes = doubles * sizeof(double) + t->c * (groups + 1) * sizeof *t->lines +
		       (groups + 1) * sizeof *t->group_first;

	if (s->size < bytes) {
		free(s->memory);
		s->size = 0;
		s->memory = malloc(2 * bytes);
		if (!s->memory)
			return SOTTO_ENOMEM;
		s->size = 2 * bytes;
	}
	t->x = s->memory;
	t->last = t->x + n;
	t->ahead = t->last + n;
	t->u = t->ahead + n;
	t->h = t->u + n;
	t->step = t->h + n;
	t->column = t->step + t->c;
	t->sum = t->column + t->width;
	t->slope = t->sum + t->width;
	t->lines = (void *)(t->slope + t->width);
	t->group_first = (void *)(t->lines + t->c * (groups + 1));
	memset(t->column, 0, t->width * sizeof *t->column);
	return SOTTO_OK;
}

enum sotto_status
sotto_census_solve(const struct sotto_census_family *f, struct sotto_census_solver *s)
{
	size_t lanes = SOTTO_CENSUS_LANES;
	struct state t = {.f = f,
			  .loops = s->loops ? s->loops : sotto_census_loops_choose(),
			  .c = f->children,
			  .m = f->cells,
			  .width = (f->cells + lanes - 1) / lanes * lanes};
	bool settled = is_settled(f);
	enum sotto_status st = lay_out(&t, s);

	if (st == SOTTO_OK)
		st = sotto_census_operator_init(
			&t.p, f, t.loops, t.width,
			(struct sotto_census_operator_options){settled, s->by_parts});
	if (st == SOTTO_OK) {
		for (size_t c = 0; c < t.c; c++)
			t.step[c] = t.p.step[t.p.kind[c]];
		find_groups(&t);
		load_h(&t);
		find_lines(&t, settled);
		if (settled && f->parent)
			start_by_groups(&t);
		else
			start(&t);
		run(&t);
		for (size_t c = 0; c < t.c; c++)
			memcpy(f->x + c * t.m, t.x + c * t.width, t.m * sizeof *f->x);
	}
	sotto_census_operator_release(&t.p);
	return st;
}
