#include "census/solve/census_solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum {
	DENSE_MAX = 96, /* cells up to which the matrix is written out */
	STEPS_MAX = 120,
	SWEEPS = 2, /* of the multipliers in each step */
	LAST_SWEEPS = 30,
};
static const double enough = 0.02; /* change of the largest cell in one step, in people */

struct state {
	const struct sotto_census_family *f;
	size_t c, m, groups;
	double *y, *last, *gradient; /* c x m */
	double *step; /* 1/L of each child */
	double *column, *row, *group; /* multipliers */
	double *sum, *slope; /* m */
	double *dense; /* m x m, or NULL */
	double *scratch;
	double **deflated; /* the kernels without what fixed row totals make constant */
	uint32_t *ids; /* for each set of axes: the number of a cell's part; then how many */
	size_t *id_count;
	uint8_t *place, *group_of;
};

void sotto_census_solver_release(struct sotto_census_solver *s)
{
	free(s->memory);
	free(s->ids);
	*s = (struct sotto_census_solver){0};
}

/* ---- the operator P ------------------------------------------------------------------------------ */

/* The part of a cell on the regular axes of the set. */
static size_t part_of(const struct sotto_census_schema *s, size_t m, size_t set)
{
	size_t part = 0, scale = 1;

	for (size_t i = s->plan->attribute_count; i-- > s->explicit_count;) {
		size_t n = s->plan->attributes[s->order[i]].n;

		if (set >> (i - s->explicit_count) & 1) {
			part += m % n * scale;
			scale *= n;
		}
		m /= n;
	}
	return part;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t l = *(const uint64_t *)a, r = *(const uint64_t *)b;

	return (l > r) - (l < r);
}

/* Numbers the parts that occur, for every set of axes. */
static enum sotto_status number_parts(struct state *t)
{
	const struct sotto_census_basis *b = t->f->basis;
	uint64_t *keys = malloc((t->m + 1) * sizeof *keys);

	if (!keys)
		return SOTTO_ENOMEM;
	for (size_t set = 0; set < b->components; set++) {
		uint32_t *ids = t->ids + set * t->m;
		size_t n = 0;

		for (size_t k = 0; k < t->m; k++)
			keys[k] = (uint64_t)part_of(b->schema, t->f->cell[k] % b->regular, set)
					  << 24 |
				  k;
		qsort(keys, t->m, sizeof *keys, compare_u64);
		for (size_t k = 0; k < t->m; k++) {
			if (k > 0 && keys[k] >> 24 != keys[k - 1] >> 24)
				n++;
			ids[keys[k] & 0xffffff] = (uint32_t)n;
		}
		t->id_count[set] = n + 1;
	}
	free(keys);
	return SOTTO_OK;
}

static void fill_dense(struct state *t, const double *kernel)
{
	const struct sotto_census_basis *b = t->f->basis;
	size_t d = b->places, size = d * d;

	for (size_t i = 0; i < t->m; i++)
		for (size_t j = 0; j <= i; j++) {
			double sum = 0;

			for (size_t set = 0; set < b->components; set++)
				if (t->ids[set * t->m + i] == t->ids[set * t->m + j])
					sum += kernel[set * size + t->place[i] * d +
						      t->place[j]];
			t->dense[i * t->m + j] = t->dense[j * t->m + i] = sum;
		}
}

static void apply_dense(const struct state *t, const double *x, double *out)
{
	memset(out, 0, t->m * sizeof *out);
	for (size_t i = 0; i < t->m; i++) {
		const double *row = t->dense + i * t->m;
		double value = x[i];

		if (value == 0)
			continue;
		for (size_t j = 0; j < t->m; j++)
			out[j] += value * row[j];
	}
}

/* Adds up the cells of each part, mixes the places, hands back. */
static void
apply_parts(const struct state *t, const double *kernel, const double *x, double *out)
{
	const struct sotto_census_basis *b = t->f->basis;
	size_t d = b->places;

	memset(out, 0, t->m * sizeof *out);
	for (size_t set = 0; set < b->components; set++) {
		const uint32_t *ids = t->ids + set * t->m;
		const double *mix = kernel + set * d * d;
		double *sums = t->scratch, *mixed = t->scratch + t->id_count[set] * d;

		memset(sums, 0, t->id_count[set] * d * sizeof *sums);
		for (size_t k = 0; k < t->m; k++)
			sums[ids[k] * d + t->place[k]] += x[k];
		for (size_t i = 0; i < t->id_count[set]; i++)
			for (size_t e = 0; e < d; e++) {
				double sum = 0;

				for (size_t f = 0; f < d; f++)
					sum += mix[e * d + f] * sums[i * d + f];
				mixed[i * d + e] = sum;
			}
		for (size_t k = 0; k < t->m; k++)
			out[k] += mixed[ids[k] * d + t->place[k]];
	}
}

static void apply(const struct state *t, size_t child, const double *x, double *out)
{
	if (t->dense)
		apply_dense(t, x, out);
	else
		apply_parts(t, t->deflated[child], x, out);
}

/* The largest eigenvalue from above: by rows of the written matrix, else by power steps. */
static double largest_eigenvalue(const struct state *t, size_t child)
{
	double *v = t->gradient, *w = t->gradient + t->m, largest = 0;

	if (t->dense) {
		for (size_t i = 0; i < t->m; i++) {
			double sum = 0;

			for (size_t j = 0; j < t->m; j++)
				sum += fabs(t->dense[i * t->m + j]);
			largest = fmax(largest, sum);
		}
		return largest;
	}
	for (size_t k = 0; k < t->m; k++)
		v[k] = 1 + 0.3 * sin((double)k * 1.7);
	for (int step = 0; step < 12; step++) {
		double norm = 0, before = 0;

		apply(t, child, v, w);
		for (size_t k = 0; k < t->m; k++) {
			norm += w[k] * w[k];
			before += v[k] * v[k];
		}
		if (norm <= 0)
			return 0;
		largest = sqrt(norm / before);
		for (size_t k = 0; k < t->m; k++)
			v[k] = w[k] / sqrt(norm);
	}
	return 1.1 * largest;
}

/* ---- projection -------------------------------------------------------------------------------------- */

/* Cells of y that a child cannot have are -infinity; max(0, ...) then drops them. */
static inline double held(double x)
{
	return x > 0 ? x : 0;
}

/* Newton steps for all columns at once: sum over c of max(0, y + (mu + nu + lambda) d) = H. */
static void move_columns(struct state *t)
{
	for (int newton = 0; newton < 2; newton++) {
		memset(t->sum, 0, t->m * sizeof *t->sum);
		memset(t->slope, 0, t->m * sizeof *t->slope);
		for (size_t c = 0; c < t->c; c++) {
			const double *y = t->y + c * t->m;
			double d = t->step[c], nu = t->row[c];
			const double *lambda = t->group + c * t->groups;

			for (size_t k = 0; k < t->m; k++) {
				double x =
					y[k] + d * (t->column[k] + nu + lambda[t->group_of[k]]);

				t->sum[k] += held(x);
				t->slope[k] += x > 0 ? d : 0;
			}
		}
		for (size_t k = 0; k < t->m; k++) {
			double lack = t->f->parent[k] - t->sum[k];

			if (t->slope[k] > 0) {
				t->column[k] += lack / t->slope[k];
				continue;
			}
			/* Nobody has any: go up until somebody does. */
			double nearest = INFINITY;

			for (size_t c = 0; c < t->c; c++)
				nearest =
					fmin(nearest,
					     -t->y[c * t->m + k] / t->step[c] - t->row[c] -
						     t->group[c * t->groups + t->group_of[k]]);
			if (isfinite(nearest))
				t->column[k] = nearest + lack / t->step[0];
		}
	}
}

/* The multiplier of some cells of one child, so that they add up to `want`. */
static void
move_line(const struct state *t, size_t c, double want, int group, double *multiplier)
{
	const double *y = t->y + c * t->m, *lambda = t->group + c * t->groups;
	double d = t->step[c];

	for (int newton = 0; newton < 3; newton++) {
		double sum = 0, slope = 0, nearest = INFINITY;

		for (size_t k = 0; k < t->m; k++) {
			double x;

			if (group >= 0 && t->group_of[k] != group)
				continue;
			x = y[k] + d * (t->column[k] + t->row[c] + lambda[t->group_of[k]]);
			sum += held(x);
			slope += x > 0 ? d : 0;
			if (x <= 0)
				nearest = fmin(nearest, -x / d);
		}
		if (slope > 0)
			*multiplier += (want - sum) / slope;
		else if (want > 0 && isfinite(nearest))
			*multiplier += nearest + want / d;
		else
			return;
		if (fabs(want - sum) < 1e-9)
			return;
	}
}

static double group_sum(const struct state *t, size_t c, size_t g)
{
	double sum = 0;

	for (size_t k = 0; k < t->m; k++)
		if (t->group_of[k] == g)
			sum += held(t->y[c * t->m + k] +
				    t->step[c] * (t->column[k] + t->row[c] +
						  t->group[c * t->groups + g]));
	return sum;
}

static void move_groups(struct state *t, size_t c)
{
	for (size_t g = 0; g < t->groups; g++) {
		double low = t->f->low[c * t->groups + g], high = t->f->high[c * t->groups + g];
		double *lambda = &t->group[c * t->groups + g], sum, was = *lambda;

		if (low <= 0 && high >= 1e15 && was == 0)
			continue;
		*lambda = 0;
		sum = group_sum(t, c, g);
		if (sum >= low && sum <= high)
			continue;
		*lambda = was;
		move_line(t, c, sum < low ? low : high, (int)g, lambda);
	}
}

static void sweep(struct state *t)
{
	if (t->f->parent)
		move_columns(t);
	for (size_t c = 0; c < t->c; c++) {
		if (t->f->totals)
			move_line(t, c, t->f->totals[c], -1, &t->row[c]);
		if (t->f->low)
			move_groups(t, c);
	}
}

static void project(struct state *t, int sweeps, double *x)
{
	for (int i = 0; i < sweeps; i++)
		sweep(t);
	for (size_t c = 0; c < t->c; c++) {
		const double *y = t->y + c * t->m, *lambda = t->group + c * t->groups;

		for (size_t k = 0; k < t->m; k++)
			x[c * t->m + k] = held(y[k] + t->step[c] * (t->column[k] + t->row[c] +
								    lambda[t->group_of[k]]));
	}
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

static bool may_have(const struct state *t, size_t c, size_t k)
{
	return t->f->masks[c] >> t->place[k] & 1;
}

/* Shares of the parent by row totals, or equal ones. */
static void start(struct state *t)
{
	double whole = 0;

	for (size_t c = 0; c < t->c; c++)
		whole += t->f->totals ? t->f->totals[c] : 1;
	for (size_t c = 0; c < t->c; c++)
		for (size_t k = 0; k < t->m; k++) {
			double share = t->f->totals ? t->f->totals[c] : 1;
			double all = t->f->parent   ? t->f->parent[k]
				     : t->f->totals ? t->f->totals[0] / (double)t->m
						    : 0;

			t->f->x[c * t->m + k] =
				may_have(t, c, k) && whole > 0 ? all * share / whole : 0;
		}
}

/* y := ahead - step (P ahead - h), -infinity where a cell cannot be */
static void descend(struct state *t, const double *ahead)
{
	for (size_t c = 0; c < t->c; c++) {
		const double *from = ahead + c * t->m, *h = t->f->h + c * t->m;
		double *to = t->y + c * t->m;

		apply(t, c, from, t->gradient);
		for (size_t k = 0; k < t->m; k++)
			to[k] = from[k] - t->step[c] * (t->gradient[k] - h[k]);
		if (t->f->masks[c] != UINT64_MAX)
			for (size_t k = 0; k < t->m; k++)
				if (!may_have(t, c, k))
					to[k] = -INFINITY;
	}
}

static void run(struct state *t, double *ahead)
{
	size_t n = t->c * t->m;
	double momentum = 1;

	memcpy(ahead, t->f->x, n * sizeof *ahead);
	for (int i = 0; i < STEPS_MAX; i++) {
		double next = (1 + sqrt(1 + 4 * momentum * momentum)) / 2, change = 0, turn = 0;
		double weight = (momentum - 1) / next;

		memcpy(t->last, t->f->x, n * sizeof *t->last);
		descend(t, ahead);
		project(t, SWEEPS, t->f->x);
		for (size_t j = 0; j < n; j++) {
			double move = t->f->x[j] - t->last[j];

			change = fmax(change, fabs(move));
			turn += (ahead[j] - t->f->x[j]) * move;
		}
		if (turn > 0) { /* overshooting: begin again without speed */
			weight = 0;
			next = 1;
		}
		for (size_t j = 0; j < n; j++)
			ahead[j] = t->f->x[j] + weight * (t->f->x[j] - t->last[j]);
		momentum = next;
		if (change < enough && i > 3)
			break;
	}
	project(t, LAST_SWEEPS, t->f->x);
}

static enum sotto_status reserve(struct sotto_census_solver *s, size_t doubles, size_t ids)
{
	if (s->size < doubles) {
		double *grown = realloc(s->memory, doubles * 2 * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		s->memory = grown;
		s->size = doubles * 2;
	}
	if (s->id_size < ids) {
		uint32_t *grown = realloc(s->ids, ids * 2 * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		s->ids = grown;
		s->id_size = ids * 2;
	}
	return SOTTO_OK;
}

static enum sotto_status
lay_out(struct state *t, struct sotto_census_solver *s, bool dense, double **ahead)
{
	const struct sotto_census_basis *b = t->f->basis;
	size_t n = t->c * t->m, m = t->m;
	size_t parts = 2 * m * b->places + 2 * b->places;
	size_t size = 3 * n + (n > 2 * m ? n : 2 * m) + 3 * m + t->c * (2 + t->groups) +
		      (dense ? m * m : 0) + parts + t->c * b->block;
	double *at;

	SOTTO_TRY(reserve(s, size, b->components * m + m));
	at = s->memory;
	t->y = at;
	t->last = (at += n);
	*ahead = (at += n);
	t->gradient = (at += n);
	t->column = (at += n > 2 * m ? n : 2 * m);
	t->sum = (at += m);
	t->slope = (at += m);
	t->step = (at += m);
	t->row = (at += t->c);
	t->group = (at += t->c);
	at += t->c * t->groups;
	t->dense = dense ? at : NULL;
	t->scratch = (at += dense ? m * m : 0);
	at += parts;
	for (size_t c = 0; c < t->c; c++)
		t->deflated[c] = at + c * b->block;
	memset(t->column, 0, m * sizeof *t->column);
	memset(t->row, 0, t->c * (1 + t->groups) * sizeof *t->row);
	t->ids = s->ids;
	t->place = (uint8_t *)(s->ids + b->components * m);
	t->group_of = t->place + m;
	return SOTTO_OK;
}

/* With fixed row totals a constant in all entries is a constant in the objective: leave it out. */
static void deflate(const struct state *t, size_t child, double *out)
{
	const struct sotto_census_basis *b = t->f->basis;
	const double *kernel = t->f->kernels[child];
	uint64_t mask = t->f->masks[child];
	size_t size = b->places * b->places;
	double least = INFINITY;

	memcpy(out, kernel, b->block * sizeof *out);
	if (!t->f->totals)
		return;
	for (size_t e = 0; e < b->places; e++)
		for (size_t f = 0; f < b->places; f++)
			if (mask >> e & mask >> f & 1)
				least = fmin(least, out[e * b->places + f]);
	for (size_t i = 0; i < size; i++)
		out[i] -= least;
}

static bool same_kernels(const struct sotto_census_family *f)
{
	for (size_t c = 1; c < f->children; c++)
		if (f->kernels[c] != f->kernels[0])
			return false;
	return true;
}

static void set_steps(struct state *t)
{
	for (size_t c = 0; c < t->c; c++) {
		double largest;

		if (c > 0 && t->f->kernels[c] == t->f->kernels[c - 1]) {
			t->deflated[c] = t->deflated[c - 1];
			t->step[c] = t->step[c - 1];
			continue;
		}
		deflate(t, c, t->deflated[c]);
		if (t->dense)
			fill_dense(t, t->deflated[c]);
		largest = largest_eigenvalue(t, c);
		t->step[c] = largest > 0 ? 1 / largest : 1;
	}
}

enum sotto_status
sotto_census_solve(const struct sotto_census_family *f, struct sotto_census_solver *s)
{
	const struct sotto_census_basis *b = f->basis;
	struct state t = {.f = f,
			  .c = f->children,
			  .m = f->cells,
			  .groups = b->schema->groups,
			  .deflated = malloc((f->children + 1) * sizeof *t.deflated),
			  .id_count = malloc(b->components * sizeof *t.id_count)};
	enum sotto_status st = t.deflated && t.id_count ? SOTTO_OK : SOTTO_ENOMEM;
	double *ahead = NULL;

	if (st == SOTTO_OK)
		st = lay_out(&t, s, f->cells <= DENSE_MAX && same_kernels(f), &ahead);
	if (st == SOTTO_OK) {
		for (size_t k = 0; k < t.m; k++) {
			t.place[k] = (uint8_t)(f->cell[k] / b->regular);
			t.group_of[k] = b->schema->group_of_place[t.place[k]];
		}
		st = number_parts(&t);
	}
	if (st == SOTTO_OK) {
		set_steps(&t);
		start(&t);
		run(&t, ahead);
	}
	free(t.deflated);
	free(t.id_count);
	return st;
}
