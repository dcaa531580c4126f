/*
 * gauss_sample.h - what many draws of a discrete Gaussian look like
 *
 * Histogram, distribution function, mean, tails, sign, the low bits one by one, and
 * draws that lie near each other.  The law comes from certified sums
 * (core/number/gauss_sum.h), which share nothing with the samplers.
 */
#ifndef SOTTO_TESTS_GAUSS_SAMPLE_H
#define SOTTO_TESTS_GAUSS_SAMPLE_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/wide.h"
#include "testlib/statistics/stats.h"

enum {
	GAUSS_BLOCK = 4096, /* draws are added in such pieces */
	GAUSS_CELLS = 513, /* the first and the last are open */
	GAUSS_BITS = 48,
	GAUSS_LAGS = 3, /* 1 and 8 draws, 1 group of 64 */
	GAUSS_TAILS = 5, /* 1 to 5 sigma */
};

struct gauss_sample {
	double sigma;
	uint64_t n;
	int64_t first; /* cell 1 begins here, */
	int64_t width; /* and so many integers are in a cell */
	double mass[GAUSS_CELLS];
	uint64_t cell[GAUSS_CELLS];
	sotto_i128 sum;
	unsigned bits; /* low bits that are fair coins */
	uint64_t n_bits, ones[GAUSS_BITS];
	uint64_t positive;
	double p_positive;
	uint64_t both[GAUSS_LAGS]; /* pairs of positive draws */
	int64_t reach[GAUSS_TAILS];
	uint64_t tail[GAUSS_TAILS];
	double p_tail[GAUSS_TAILS];
};

/* On the heap: free() it. */
struct gauss_sample *gauss_sample_new(const mpq_t sigma2);

void gauss_sample_add(struct gauss_sample *s, const int64_t y[GAUSS_BLOCK]);

/* Asks everything of the sample. */
void gauss_sample_judge(const struct gauss_sample *s, struct verdict *v);

/* Chi-square of two samples of one law against each other. */
double log_p_same_gauss(const struct gauss_sample *a, const struct gauss_sample *b);

#endif
