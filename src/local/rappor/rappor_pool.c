/*
 * Adds the counts of all cohorts and takes each candidate's bit as a pure protocol; how far
 * single cohorts lie from the pooled rate is the test of the fit.
 */
#include "local/rappor/rappor_pool.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"
#include "local/decode/estimate.h"
#include "local/decode/special.h"
#include "local/rappor/rappor_job.h"

enum { NO_BIT = -1, MIXED = -2 };

/* The one bit of a candidate, the same in every cohort that has reports. */
static int64_t
bit_of(const struct sotto_local_cohorts *d, const struct sotto_local_map *m, size_t candidate)
{
	const uint32_t *cells = m->cells + candidate * m->cohorts * m->hashes;
	int64_t bit = NO_BIT;
	bool begun = false;

	for (uint32_t c = 0; c < m->cohorts; c++) {
		int64_t here = NO_BIT;

		if (d->reports[c] == 0)
			continue;
		for (uint32_t h = 0; h < m->hashes; h++) {
			uint32_t cell = cells[(size_t)c * m->hashes + h];

			if (cell == SOTTO_LOCAL_NO_CELL || here == (int64_t)cell)
				continue;
			here = here == NO_BIT ? (int64_t)cell : MIXED;
		}
		if (here == MIXED || (begun && here != bit))
			return MIXED;
		bit = here;
		begun = true;
	}
	return bit;
}

bool sotto_pool_takes(const struct sotto_local_cohorts *d, const struct sotto_local_map *m)
{
	bool *taken = calloc((size_t)d->bits + 1, sizeof *taken);
	bool ok = taken != NULL;

	for (size_t s = 0; ok && s < m->candidates; s++) {
		int64_t bit = bit_of(d, m, s);

		if (d->bits == 1) { /* who sets it, and who does not */
			ok = bit != MIXED;
			continue;
		}
		ok = bit >= 0 && !taken[bit];
		if (ok)
			taken[bit] = true;
	}
	free(taken);
	return ok;
}

/* Residuals of the cohorts around the pooled rate of their bit, in units of noise. */
static void judge_cohorts(const struct sotto_local_cohorts *d, double users,
			  const uint64_t *sum, struct sotto_local_fit *fit)
{
	double residual = 0, degrees, worst = 0;
	uint32_t farthest = 0;

	fit->used_cohorts = 0;
	for (uint32_t c = 0; c < d->cohorts; c++) {
		double n = (double)d->reports[c], before = residual;

		fit->used_cohorts += n > 0;
		for (uint32_t b = 0; n > 0 && b < d->bits; b++) {
			double rate = ((double)sum[b] + .5) / (users + 1);
			double off = (double)d->ones[(size_t)c * d->bits + b] - n * rate;

			residual += off * off / (n * rate * (1 - rate));
		}
		if (residual - before > worst) {
			worst = residual - before;
			farthest = c;
		}
	}
	degrees = ((double)fit->used_cohorts - 1) * d->bits;
	fit->dispersion = degrees > 0 ? residual / degrees : 1;
	fit->misfit_p = sotto_chi_square_tail(residual, degrees);
	sotto_fit_judge_worst(fit, farthest, worst, degrees / (double)fit->used_cohorts,
			      (double)fit->used_cohorts);
}

static enum sotto_status estimate_bit(const struct sotto_local_cohorts *d, int64_t bit,
				      const uint64_t *sum, uint64_t n,
				      const struct sotto_local_options *o, double alpha,
				      struct sotto_local_estimate *out)
{
	if (bit == NO_BIT) /* of k = 1: what does not set the bit */
		return sotto_local_estimate_pure(n, n - sum[0], 1 - d->p, 1 - d->q, alpha,
						 o->target, out);
	return sotto_local_estimate_pure(n, sum[bit], d->q, d->p, alpha, o->target, out);
}

enum sotto_status
sotto_pool_decode(const struct sotto_local_cohorts *d, const struct sotto_local_map *m,
		  const struct sotto_local_options *o, struct sotto_local_estimate *out,
		  struct sotto_local_fit *fit)
{
	uint64_t *sum = calloc((size_t)d->bits + 1, sizeof *sum), n = 0;
	size_t *named = calloc((size_t)d->bits + 1, sizeof *named); /* candidates of each bit */
	double alpha = sotto_local_interval_alpha(o, m->candidates);
	enum sotto_status st = sum && named ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t s = 0; st == SOTTO_OK && s < m->candidates; s++)
		named[bit_of(d, m, s) - NO_BIT]++;
	for (uint32_t c = 0; st == SOTTO_OK && c < d->cohorts; c++) {
		n += d->reports[c];
		for (uint32_t b = 0; b < d->bits; b++)
			sum[b] += d->ones[(size_t)c * d->bits + b];
	}
	for (size_t s = 0; st == SOTTO_OK && s < m->candidates; s++) {
		int64_t bit = bit_of(d, m, s);

		if (named[bit - NO_BIT] > 1) { /* no rate tells one of them from another */
			out[s] = sotto_local_estimate_unknown();
			fit->aliased++;
		} else {
			st = estimate_bit(d, bit, sum, n, o, alpha, &out[s]);
		}
	}
	if (st == SOTTO_OK)
		judge_cohorts(d, (double)n, sum, fit);
	fit->pooled = true;
	free(sum);
	free(named);
	return st;
}
