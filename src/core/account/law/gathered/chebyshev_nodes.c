/*
 * Moments in Chebyshev polynomials by their recurrence, several losses at a time; the number of
 * terms follows from the range of t times loss.
 */
#include "core/account/law/gathered/chebyshev_nodes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/account/law/law.h"

/* What is left of the series, at most, beside rounding. */
#define SMALL 1e-14
enum { LEAST = 8 };

/* Losses are taken so many at a time: their recurrences do not wait for each other. */
enum { LANES = 8 };

/* How many terms of exp(i x y), |y| <= 1, leave SMALL; 4 times the sum of (x/2)^k/k! over the others. */
static size_t terms_for(double x)
{
	double term = 1;

	for (size_t k = 1; k <= SOTTO_CHEBYSHEV_MAX; k++) {
		double ratio = x / (2 * ((double)k + 1));

		term *= x / (2 * (double)k);
		if (k >= LEAST && ratio < 0.5 && 4 * term / (1 - ratio) < SMALL)
			return k;
	}
	return SOTTO_CHEBYSHEV_MAX + 1;
}

struct range {
	double middle, half;
};

static struct range range_of(const double *loss, size_t n)
{
	double low = loss[0], high = loss[0];

	for (size_t i = 1; i < n; i++) {
		low = fmin(low, loss[i]);
		high = fmax(high, loss[i]);
	}
	return (struct range){0.5 * (low + high), 0.5 * (high - low)};
}

/* moment[k] += sum of weight T_k(y) over some losses */
static void add_moments(const double *y, const double *w, double *moment, size_t n)
{
	double before[LANES], now[LANES];

	for (int i = 0; i < LANES; i++) {
		before[i] = w[i];
		now[i] = w[i] * y[i];
		moment[0] += w[i];
	}
	for (size_t k = 1; k < n; k++) {
		double sum = 0;

		for (int i = 0; i < LANES; i++) {
			double after = 2 * y[i] * now[i] - before[i];

			sum += now[i];
			before[i] = now[i];
			now[i] = after;
		}
		moment[k] += sum;
	}
}

static void find_moments(const double *loss, const double *weight, size_t n, struct range r,
			 double *moment, size_t terms)
{
	double scale = r.half > 0 ? 1 / r.half : 0;

	for (size_t i = 0; i < n; i += LANES) {
		double y[LANES] = {0}, w[LANES] = {0};

		for (size_t j = 0; j < LANES && i + j < n; j++) {
			y[j] = fmax(-1, fmin(1, (loss[i + j] - r.middle) * scale));
			w[j] = weight[i + j];
		}
		add_moments(y, w, moment, terms);
	}
}

enum sotto_status sotto_chebyshev_nodes_of(struct sotto_chebyshev_nodes *out,
					   const double *loss, const double *weight, size_t n,
					   double t)
{
	struct range r = range_of(loss, n);
	size_t terms = terms_for(t * r.half);
	double moment[SOTTO_CHEBYSHEV_MAX] = {0}, *all;

	if (terms > SOTTO_CHEBYSHEV_MAX)
		return SOTTO_EREFUSED;
	all = malloc(2 * terms * sizeof *all);
	if (!all)
		return SOTTO_ENOMEM;
	*out = (struct sotto_chebyshev_nodes){.loss = all, .weight = all + terms, .n = terms};
	find_moments(loss, weight, n, r, moment, terms);
	for (size_t j = 0; j < terms; j++) {
		double y = cos(M_PI * ((double)j + 0.5) / (double)terms), before = 1, now = y,
		       sum = moment[0];

		for (size_t k = 1; k < terms; k++) {
			double after = 2 * y * now - before;

			sum += 2 * moment[k] * now;
			before = now;
			now = after;
		}
		out->loss[j] = r.middle + r.half * y;
		out->weight[j] = sum / (double)terms;
		out->size += fabs(out->weight[j]);
	}
	/* recurrences lose up to k^2 roundings at the ends of the range, k elsewhere */
	out->error = SMALL + SOTTO_U * (16 + 4 * (double)terms) * (double)terms * 2 +
		     4 * SOTTO_U * (1 + t * (fabs(r.middle) + r.half)) * out->size;
	return SOTTO_OK;
}
