/* Weighted least squares on the bits that candidates set. */
#include "local/rappor/regression/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/rappor/regression/cholesky.h"

void sotto_columns_release(struct sotto_columns *c)
{
	free(c->start);
	free(c->rows);
	*c = (struct sotto_columns){0};
}

enum sotto_status sotto_columns_select(const struct sotto_columns *from, const bool *keep,
				       struct sotto_columns *out)
{
	size_t count = 0, entries = 0;

	for (size_t s = 0; s < from->count; s++)
		if (keep[s]) {
			count++;
			entries += from->start[s + 1] - from->start[s];
		}
	*out = (struct sotto_columns){.start = malloc((count + 1) * sizeof *out->start),
				      .rows = malloc((entries + 1) * sizeof *out->rows)};
	if (!out->start || !out->rows) {
		sotto_columns_release(out);
		return SOTTO_ENOMEM;
	}
	entries = 0;
	for (size_t s = 0; s < from->count; s++) {
		size_t n = from->start[s + 1] - from->start[s];

		if (!keep[s])
			continue;
		out->start[out->count++] = entries;
		memcpy(out->rows + entries, from->rows + from->start[s], n * sizeof *out->rows);
		entries += n;
	}
	out->start[out->count] = entries;
	return SOTTO_OK;
}

enum sotto_status
sotto_columns_transpose(const struct sotto_columns *c, size_t rows, struct sotto_columns *out)
{
	size_t entries = c->start[c->count], *next;

	*out = (struct sotto_columns){.count = rows,
				      .start = calloc(rows + 2, sizeof *out->start),
				      .rows = malloc((entries + 1) * sizeof *out->rows)};
	next = malloc((rows + 1) * sizeof *next);
	if (!out->start || !out->rows || !next) {
		sotto_columns_release(out);
		free(next);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < entries; i++)
		out->start[c->rows[i] + 1]++;
	for (size_t r = 0; r < rows; r++)
		out->start[r + 1] += out->start[r];
	memcpy(next, out->start, (rows + 1) * sizeof *next);
	for (size_t s = 0; s < c->count; s++)
		for (size_t i = c->start[s]; i < c->start[s + 1]; i++)
			out->rows[next[c->rows[i]]++] = (uint32_t)s;
	free(next);
	return SOTTO_OK;
}

enum sotto_status sotto_gram(const struct sotto_columns *c, size_t rows, const double *weight,
			     bool constant, double *a)
{
	size_t n = c->count + constant;
	struct sotto_columns by_row;

	memset(a, 0, n * n * sizeof *a);
	SOTTO_TRY(sotto_columns_transpose(c, rows, &by_row));
	for (size_t r = 0; r < rows; r++) {
		const uint32_t *at = by_row.rows + by_row.start[r];
		size_t k = by_row.start[r + 1] - by_row.start[r];
		double w = weight[r];

		for (size_t i = 0; i < k; i++)
			for (size_t j = 0; j <= i; j++)
				a[(size_t)at[i] * n + at[j]] += w;
		for (size_t i = 0; constant && i < k; i++)
			a[(n - 1) * n + at[i]] += w;
		if (constant)
			a[n * n - 1] += w;
	}
	sotto_columns_release(&by_row);
	return SOTTO_OK;
}

void sotto_columns_apply(const struct sotto_columns *c, size_t rows, const double *x,
			 double *out)
{
	memset(out, 0, rows * sizeof *out);
	for (size_t s = 0; s < c->count; s++)
		for (size_t i = c->start[s]; i < c->start[s + 1]; i++)
			out[c->rows[i]] += x[s];
}

void sotto_columns_apply_transposed(const struct sotto_columns *c, const double *y, double *out)
{
	for (size_t s = 0; s < c->count; s++) {
		out[s] = 0;
		for (size_t i = c->start[s]; i < c->start[s + 1]; i++)
			out[s] += y[c->rows[i]];
	}
}

static void right_side(const struct sotto_rows *rows, const struct sotto_columns *c,
		       bool constant, double *b)
{
	const double *pull = sotto_rows_pull(rows);

	for (size_t s = 0; s < c->count; s++) {
		b[s] = 0;
		for (size_t i = c->start[s]; i < c->start[s + 1]; i++)
			b[s] += pull[c->rows[i]] * rows->y[c->rows[i]];
	}
	if (constant) {
		b[c->count] = 0;
		for (size_t r = 0; r < rows->count; r++)
			b[c->count] += pull[r] * rows->y[r];
	}
}

static enum sotto_status residual(const struct sotto_rows *rows, const struct sotto_columns *c,
				  struct sotto_regression_solution *out)
{
	double *fit = malloc((rows->count + 1) * sizeof *fit);

	if (!fit)
		return SOTTO_ENOMEM;
	sotto_columns_apply(c, rows->count, out->x, fit);
	out->residual = out->worst_residual = 0;
	for (size_t first = 0; first < rows->count; first += rows->bits) {
		double part = 0;

		for (size_t r = first; r < first + rows->bits; r++) {
			double off = rows->y[r] - fit[r] - out->constant;

			part += rows->weight[r] * off * off;
		}
		out->residual += part;
		if (part > out->worst_residual) {
			out->worst_residual = part;
			out->worst = first / rows->bits;
		}
	}
	free(fit);
	return SOTTO_OK;
}

enum sotto_status sotto_solution_init(struct sotto_regression_solution *s, size_t count)
{
	*s = (struct sotto_regression_solution){.x = malloc((count + 1) * sizeof(double)),
						.variance =
							malloc((count + 1) * sizeof(double)),
						.noise = malloc((count + 1) * sizeof(double))};
	return s->x && s->variance && s->noise ? SOTTO_OK : SOTTO_ENOMEM;
}

void sotto_solution_release(struct sotto_regression_solution *s)
{
	free(s->x);
	free(s->variance);
	free(s->noise);
	*s = (struct sotto_regression_solution){0};
}

/* A dropped column that others make up, or one other: no fit tells what each of them holds. */
#define PART_MIN 1e-3

static void mark_parts(const double *part, size_t count, const bool *dropped, bool *mixed)
{
	for (size_t s = 0; s < count; s++)
		mixed[s] |= !dropped[s] && fabs(part[s]) > PART_MIN;
}

static enum sotto_status mark_mixed(const struct sotto_rows *rows,
				    const struct sotto_columns *c, bool constant,
				    const double *factor, const bool *dropped, bool *mixed)
{
	size_t n = c->count + constant;
	struct sotto_columns by_row = {0};
	const double *pull = sotto_rows_pull(rows);
	double *part = malloc((n + 1) * sizeof *part);
	enum sotto_status st =
		part ? sotto_columns_transpose(c, rows->count, &by_row) : SOTTO_ENOMEM;

	for (size_t d = 0; st == SOTTO_OK && d < c->count; d++) {
		if (!dropped[d])
			continue;
		memset(part, 0, n * sizeof *part);
		for (size_t i = c->start[d]; i < c->start[d + 1]; i++) {
			uint32_t r = c->rows[i];

			for (size_t k = by_row.start[r]; k < by_row.start[r + 1]; k++)
				part[by_row.rows[k]] += pull[r];
			part[n - 1] += constant ? pull[r] : 0;
		}
		sotto_cholesky_solve(factor, n, dropped, part);
		mark_parts(part, c->count, dropped, mixed);
	}
	sotto_columns_release(&by_row);
	free(part);
	return st;
}

/* The inverse of X'WX into a second matrix, then the variances of the estimator. */

/* What a fit is made of. */
struct fit {
	double *factor, *solution; /* of X'WX; x and the constant, until errors_of() */
	bool *dropped, *mixed; /* columns that others explain, or that explain them */
};

static void fit_release(struct fit *f)
{
	free(f->factor);
	free(f->solution);
	free(f->dropped);
	free(f->mixed);
}

/* Also on failure the caller releases. */
static enum sotto_status fit_make(struct fit *f, const struct sotto_rows *rows,
				  const struct sotto_columns *c, bool constant,
				  struct sotto_regression_solution *out)
{
	size_t n = c->count + constant, fitted = 0;

	*f = (struct fit){.factor = malloc((n * n + 1) * sizeof *f->factor),
			  .solution = malloc((n + 1) * sizeof *f->solution),
			  .dropped = calloc(n + 1, sizeof *f->dropped),
			  .mixed = calloc(n + 1, sizeof *f->mixed)};
	if (!f->factor || !f->solution || !f->dropped || !f->mixed)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_gram(c, rows->count, sotto_rows_pull(rows), constant, f->factor));
	right_side(rows, c, constant, f->solution);
	sotto_cholesky_factor(f->factor, n, f->dropped);
	sotto_cholesky_solve(f->factor, n, f->dropped, f->solution);
	SOTTO_TRY(mark_mixed(rows, c, constant, f->factor, f->dropped, f->mixed));
	memcpy(out->x, f->solution, c->count * sizeof *out->x);
	out->constant = constant ? f->solution[n - 1] : 0;
	out->aliased = 0;
	for (size_t s = 0; s < n; s++) {
		fitted += !f->dropped[s];
		out->aliased += s < c->count && (f->dropped[s] || f->mixed[s]);
	}
	out->degrees = rows->count > fitted ? rows->count - fitted : 0;
	return residual(rows, c, out);
}

/* The inverse of X'WX into a second matrix, then the variances of the estimator. */
static enum sotto_status errors_of(struct fit *f, const struct sotto_rows *rows,
				   const struct sotto_columns *c, bool constant,
				   struct sotto_regression_solution *out)
{
	size_t n = c->count + constant;
	double *inverse = malloc((n * n + 1) * sizeof *inverse);
	enum sotto_status st;

	if (!inverse)
		return SOTTO_ENOMEM;
	sotto_cholesky_inverse_diagonal(f->factor, n, f->dropped, f->solution);
	sotto_cholesky_inverse(f->factor, n, f->dropped, inverse);
	st = sotto_regress_variance(rows, c, constant, inverse, out);
	free(inverse);
	for (size_t s = 0; s < c->count; s++)
		if (f->dropped[s] || f->mixed[s])
			out->variance[s] = INFINITY;
	return st;
}

enum sotto_status sotto_regress_shares(const struct sotto_rows *rows,
				       const struct sotto_columns *c, bool constant,
				       struct sotto_regression_solution *out)
{
	struct fit f;
	enum sotto_status st = fit_make(&f, rows, c, constant, out);

	fit_release(&f);
	return st;
}

enum sotto_status sotto_regress(const struct sotto_rows *rows, const struct sotto_columns *c,
				bool constant, struct sotto_regression_solution *out)
{
	struct fit f;
	enum sotto_status st = fit_make(&f, rows, c, constant, out);

	if (st == SOTTO_OK)
		st = errors_of(&f, rows, c, constant, out);
	fit_release(&f);
	return st;
}

/* What one entry adds; together, so that they come with one miss of the cache. */
struct term {
	double sum, weight;
};

/* Two sums of each kind, so that one addition need not wait for the last. */
static double screen_column(const struct term *t, const uint32_t *at, size_t n)
{
	struct term even = {0, 0}, odd = {0, 0};
	double weight;
	size_t i = 0;

	for (; i + 1 < n; i += 2) {
		even.sum += t[at[i]].sum;
		even.weight += t[at[i]].weight;
		odd.sum += t[at[i + 1]].sum;
		odd.weight += t[at[i + 1]].weight;
	}
	if (i < n) {
		even.sum += t[at[i]].sum;
		even.weight += t[at[i]].weight;
	}
	weight = even.weight + odd.weight;
	return weight > 0 ? (even.sum + odd.sum) / sqrt(weight) : -INFINITY;
}

enum sotto_status sotto_regress_screen(const struct sotto_rows *rows,
				       const struct sotto_columns *c, double *score)
{
	struct term *t = malloc((rows->count + 1) * sizeof *t);

	if (!t)
		return SOTTO_ENOMEM;
	for (size_t r = 0; r < rows->count; r++)
		t[r] = (struct term){rows->weight[r] * rows->y[r], rows->weight[r]};
	for (size_t s = 0; s < c->count; s++)
		score[s] =
			screen_column(t, c->rows + c->start[s], c->start[s + 1] - c->start[s]);
	free(t);
	return SOTTO_OK;
}

/* One sweep of coordinate descent; the greatest change in units of its standard error. */
static double sweep(const struct sotto_rows *rows, const struct sotto_columns *c,
		    double penalty, double *x, double *left)
{
	double worst = 0;

	for (size_t s = 0; s < c->count; s++) {
		double gradient = 0, weight = 0, now;

		for (size_t i = c->start[s]; i < c->start[s + 1]; i++) {
			gradient += rows->weight[c->rows[i]] * left[c->rows[i]];
			weight += rows->weight[c->rows[i]];
		}
		if (weight == 0)
			continue;
		now = fmax(x[s] + (gradient - penalty * sqrt(weight)) / weight, 0);
		if (now == x[s])
			continue;
		for (size_t i = c->start[s]; i < c->start[s + 1]; i++)
			left[c->rows[i]] += x[s] - now;
		worst = fmax(worst, fabs(now - x[s]) * sqrt(weight));
		x[s] = now;
	}
	return worst;
}

enum sotto_status sotto_regress_lasso(const struct sotto_rows *rows,
				      const struct sotto_columns *c, double penalty, double *x)
{
	double *left = malloc((rows->count + 1) * sizeof *left);

	if (!left)
		return SOTTO_ENOMEM;
	memcpy(left, rows->y, rows->count * sizeof *left);
	memset(x, 0, c->count * sizeof *x);
	for (int i = 0; i < 500; i++)
		if (sweep(rows, c, penalty, x, left) < 1e-3)
			break;
	free(left);
	return SOTTO_OK;
}
