/*
 * The covariance of a least-squares fit when the bits of a user come together.
 *
 * With A = (X'WX)^-1 X'W the fit is A y, and its covariance A Cov(y) A'.  Cov(y) is
 * block by block: the diagonal is 1/weight; off it, within a cohort of N users,
 * (P(both bits) - P(one) P(other)) / N under the fitted distribution.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "local/regression.h"

/* Shares below so many of their standard errors are noise: they would only blur the blocks. */
#define HELD_Z 2

struct block {
	size_t n; /* columns and the constant */
	double *gains; /* per bit of the cohort: A's column, n numbers */
	double *mean; /* n: A applied to the expected bits */
	double *one; /* n: A applied to one candidate's bits */
	double *rate; /* per bit: expected share under the candidates held */
	double *variance, *noise; /* n: sums over the cohorts so far */
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
			h->next[h->count] = c->start[s];
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

/* The columns of A for the rows first .. first + bits. */
static void fill_gains(const struct sotto_rows *rows, const struct sotto_columns *by_row,
		       bool constant, const double *inverse, size_t first, struct block *b)
{
	memset(b->gains, 0, rows->bits * b->n * sizeof *b->gains);
	for (size_t bit = 0; bit < rows->bits; bit++) {
		size_t r = first + bit;
		double *gain = b->gains + bit * b->n;

		for (size_t i = by_row->start[r]; i < by_row->start[r + 1]; i++)
			add_scaled(gain, inverse + by_row->rows[i] * b->n, rows->weight[r],
				   b->n);
		if (constant)
			add_scaled(gain, inverse + (b->n - 1) * b->n, rows->weight[r], b->n);
	}
}

/* What one cohort adds to the variances. */
static void add_cohort(const struct sotto_rows *rows, const struct sotto_columns *c,
		       struct held *h, size_t first, struct block *b)
{
	double users = rows->users[first / rows->bits];

	memset(b->mean, 0, b->n * sizeof *b->mean);
	memset(b->rate, 0, rows->bits * sizeof *b->rate);
	for (size_t i = 0; i < h->count; i++) {
		size_t end = c->start[h->at[i] + 1], from = h->next[i];

		memset(b->one, 0, b->n * sizeof *b->one);
		for (; h->next[i] < end && c->rows[h->next[i]] < first + rows->bits;
		     h->next[i]++) {
			size_t bit = c->rows[h->next[i]] - first;

			add_scaled(b->one, b->gains + bit * b->n, 1, b->n);
			b->rate[bit] += h->share[i];
		}
		if (h->next[i] == from)
			continue;
		add_squares(b->variance, b->one, h->share[i] / users, b->n);
		add_scaled(b->mean, b->one, h->share[i], b->n);
	}
	add_squares(b->variance, b->mean, -1 / users, b->n);
	for (size_t bit = 0; bit < rows->bits; bit++) {
		const double *gain = b->gains + bit * b->n;
		double own = b->rate[bit] * (1 - b->rate[bit]) / users;

		add_squares(b->variance, gain, 1 / rows->weight[first + bit] - own, b->n);
		add_squares(b->noise, gain, rows->noise[first + bit], b->n);
	}
}

static void block_release(struct block *b)
{
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
			    .gains = malloc((bits * n + 1) * sizeof(double)),
			    .mean = malloc((n + 1) * sizeof(double)),
			    .one = malloc((n + 1) * sizeof(double)),
			    .rate = malloc((bits + 1) * sizeof(double)),
			    .variance = calloc(n + 1, sizeof(double)),
			    .noise = calloc(n + 1, sizeof(double))};
	return b->gains && b->mean && b->one && b->rate && b->variance && b->noise
		       ? SOTTO_OK
		       : SOTTO_ENOMEM;
}

enum sotto_status sotto_regress_variance(const struct sotto_rows *rows,
					 const struct sotto_columns *c, bool constant,
					 const double *inverse, struct sotto_solution *out)
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
	for (size_t first = 0; st == SOTTO_OK && first < rows->count; first += rows->bits) {
		fill_gains(rows, &by_row, constant, inverse, first, &b);
		add_cohort(rows, c, &h, first, &b);
	}
	if (st == SOTTO_OK) {
		memcpy(out->variance, b.variance, c->count * sizeof *b.variance);
		memcpy(out->noise, b.noise, c->count * sizeof *b.noise);
	}
	held_release(&h);
	block_release(&b);
	sotto_columns_release(&by_row);
	return st;
}
