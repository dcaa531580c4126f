/*
 * The covariance of a least-squares fit when the bits of a user come together.
 *
 * With A = (X'WX)^-1 X'W the fit is A y, and its covariance A Cov(y) A'.  Cov(y) is
 * block by block: the diagonal is 1/weight; off it, within a cohort of N users,
 * (P(both bits) - P(one) P(other)) / N under the fitted distribution.
 *
 * Only the diagonal of the result is wanted, so columns of the inverse are taken a
 * few at a time: such a strip stays in the cache while all cohorts pass by.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/rappor/regression/regression.h"

/* Shares below so many of their standard errors are noise: they would only blur the blocks. */
#define HELD_Z 2

/* Columns of the inverse in a strip. */
#define STRIP 32

struct block {
	size_t n; /* columns and the constant */
	size_t width; /* of the strip at hand */
	double *strip; /* of the inverse: n rows of width numbers */
	double *gains; /* per bit of the cohort: A's column, width numbers */
	double *mean; /* A applied to the expected bits */
	double *one; /* A applied to one candidate's bits */
	double *rate; /* per bit: expected share under the candidates held */
	double *variance, *noise; /* sums over the cohorts so far */
};

struct held {
	size_t count, *at, *next; /* candidates with users; where each stands in its rows */
	double *share;
};

static void held_release(struct held *h)
{
	free(h->at);
	free(h->next);
	free(h->share);
}

static enum sotto_status held_make(struct held *h, const struct sotto_columns *c,
				   const double *x, const double *inverse, size_t n)
{
	double sum = 0;

	*h = (struct held){.at = malloc((c->count + 1) * sizeof *h->at),
			   .next = malloc((c->count + 1) * sizeof *h->next),
			   .share = malloc((c->count + 1) * sizeof *h->share)};
	if (!h->at || !h->next || !h->share)
		return SOTTO_ENOMEM;
	for (size_t s = 0; s < c->count; s++)
		if (x[s] > HELD_Z * sqrt(inverse[s * n + s]) && x[s] > 0) {
			h->at[h->count] = s;
			h->share[h->count++] = x[s];
			sum += x[s];
		}
	for (size_t i = 0; i < h->count && sum > 1; i++)
		h->share[i] /= sum;
	return SOTTO_OK;
}

static void add_scaled(double *restrict to, const double *restrict from, double scale, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += scale * from[i];
}

static void
add_squares(double *restrict to, const double *restrict from, double scale, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += scale * from[i] * from[i];
}

static void take_strip(struct block *b, const double *inverse, size_t from)
{
	b->width = b->n - from < STRIP ? b->n - from : STRIP;
	for (size_t i = 0; i < b->n; i++)
		memcpy(b->strip + i * b->width, inverse + i * b->n + from,
		       b->width * sizeof *inverse);
	memset(b->variance, 0, b->width * sizeof *b->variance);
	memset(b->noise, 0, b->width * sizeof *b->noise);
}

/* The columns of A for the rows first .. first + bits. */
static void fill_gains(const struct sotto_rows *rows, const struct sotto_columns *by_row,
		       bool constant, size_t first, struct block *b)
{
	for (size_t bit = 0; bit < rows->bits; bit++) {
		size_t r = first + bit;
		double *gain = b->gains + bit * b->width;

		if (constant)
			memcpy(gain, b->strip + (b->n - 1) * b->width, b->width * sizeof *gain);
		else
			memset(gain, 0, b->width * sizeof *gain);
		for (size_t i = by_row->start[r]; i < by_row->start[r + 1]; i++)
			add_scaled(gain, b->strip + by_row->rows[i] * b->width, 1, b->width);
		for (size_t i = 0; i < b->width; i++)
			gain[i] *= sotto_rows_pull(rows)[r];
	}
}

/* What one cohort adds to the variances. */
static void add_cohort(const struct sotto_rows *rows, const struct sotto_columns *c,
		       struct held *h, size_t first, struct block *b)
{
	double users = rows->users[first / rows->bits];

	memset(b->mean, 0, b->width * sizeof *b->mean);
	memset(b->rate, 0, rows->bits * sizeof *b->rate);
	for (size_t i = 0; i < h->count; i++) {
		size_t end = c->start[h->at[i] + 1], from = h->next[i];

		memset(b->one, 0, b->width * sizeof *b->one);
		for (; h->next[i] < end && c->rows[h->next[i]] < first + rows->bits;
		     h->next[i]++) {
			size_t bit = c->rows[h->next[i]] - first;

			add_scaled(b->one, b->gains + bit * b->width, 1, b->width);
			b->rate[bit] += h->share[i];
		}
		if (h->next[i] == from)
			continue;
		add_squares(b->variance, b->one, h->share[i] / users, b->width);
		add_scaled(b->mean, b->one, h->share[i], b->width);
	}
	add_squares(b->variance, b->mean, -1 / users, b->width);
	for (size_t bit = 0; bit < rows->bits; bit++) {
		const double *gain = b->gains + bit * b->width;
		double own = b->rate[bit] * (1 - b->rate[bit]) / users;

		add_squares(b->variance, gain, 1 / rows->weight[first + bit] - own, b->width);
		add_squares(b->noise, gain, rows->noise[first + bit], b->width);
	}
}

static void block_release(struct block *b)
{
	free(b->strip);
	free(b->gains);
	free(b->mean);
	free(b->one);
	free(b->rate);
	free(b->variance);
	free(b->noise);
}

static enum sotto_status block_make(struct block *b, size_t bits, size_t n)
{
	*b = (struct block){.n = n,
			    .strip = malloc((n * STRIP + 1) * sizeof(double)),
			    .gains = malloc((bits * STRIP + 1) * sizeof(double)),
			    .mean = malloc(STRIP * sizeof(double)),
			    .one = malloc(STRIP * sizeof(double)),
			    .rate = malloc((bits + 1) * sizeof(double)),
			    .variance = malloc(STRIP * sizeof(double)),
			    .noise = malloc(STRIP * sizeof(double))};
	return b->strip && b->gains && b->mean && b->one && b->rate && b->variance && b->noise
		       ? SOTTO_OK
		       : SOTTO_ENOMEM;
}

/* Sums the strip's variances over all cohorts. */
static void sum_strip(const struct sotto_rows *rows, const struct sotto_columns *c,
		      const struct sotto_columns *by_row, struct held *h, struct block *b)
{
	bool constant = b->n > c->count;

	for (size_t i = 0; i < h->count; i++)
		h->next[i] = c->start[h->at[i]];
	for (size_t first = 0; first < rows->count; first += rows->bits) {
		fill_gains(rows, by_row, constant, first, b);
		add_cohort(rows, c, h, first, b);
	}
}

enum sotto_status sotto_regress_variance(const struct sotto_rows *rows,
					 const struct sotto_columns *c, bool constant,
					 const double *inverse,
					 struct sotto_regression_solution *out)
{
	size_t n = c->count + constant;
	struct sotto_columns by_row = {0};
	struct block b = {0};
	struct held h = {0};
	enum sotto_status st = sotto_columns_transpose(c, rows->count, &by_row);

	if (st == SOTTO_OK)
		st = block_make(&b, rows->bits, n);
	if (st == SOTTO_OK)
		st = held_make(&h, c, out->x, inverse, n);
	for (size_t from = 0; st == SOTTO_OK && from < c->count; from += STRIP) {
		size_t wanted = c->count - from < STRIP ? c->count - from : STRIP;

		take_strip(&b, inverse, from);
		sum_strip(rows, c, &by_row, &h, &b);
		memcpy(out->variance + from, b.variance, wanted * sizeof *b.variance);
		memcpy(out->noise + from, b.noise, wanted * sizeof *b.noise);
	}
	held_release(&h);
	block_release(&b);
	sotto_columns_release(&by_row);
	return st;
}
