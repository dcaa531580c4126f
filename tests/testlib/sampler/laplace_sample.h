/*
 * laplace_sample.h - what many draws of a discrete Laplace or geometric look like
 *
 * From a draw z the sampler's own s = [z < 0] and G = z ^ -s are recovered, and
 * with them every bit: frequencies of single bits and of pairs are far sharper
 * than a histogram.  Besides: histogram, distribution function, ratios of
 * neighbouring cells, tails, sign, and draws that lie near each other.
 */
#ifndef SOTTO_TESTS_LAPLACE_SAMPLE_H
#define SOTTO_TESTS_LAPLACE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "testlib/statistics/stats.h"

enum {
	SAMPLE_BLOCK = 4096, /* draws are added in such pieces */
	SAMPLE_PLANES = 64,
	SAMPLE_LAGS = 4, /* 1 and 32 lanes, 1 group of 64, 1 block */
	SAMPLE_CELLS = 1 << 16, /* on each side */
	SAMPLE_TAILS = 3, /* 10, 20 and 30 e-folds */
};

struct laplace_sample {
	double eps;
	unsigned value_bits; /* as many low bits of G are looked at */
	bool has_sign;
	double n;
	uint64_t ones[SAMPLE_PLANES];
	uint64_t both[SAMPLE_PLANES][SAMPLE_PLANES]; /* i < j */
	uint64_t lag[SAMPLE_LAGS][SAMPLE_PLANES];
	uint64_t previous[SAMPLE_BLOCK / 64][SAMPLE_PLANES];
	bool odd_block;
	uint64_t tail[SAMPLE_TAILS];
	uint64_t zeros, negatives;
	unsigned shift; /* a cell has 2^shift values of G */
	uint32_t cell[2][SAMPLE_CELLS]; /* by sign; the last one is open */
};

/* On the heap: free() it. */
struct laplace_sample *laplace_sample_new(double eps, unsigned value_bits, bool has_sign);

void laplace_sample_add(struct laplace_sample *s, const int64_t z[SAMPLE_BLOCK]);

/* Asks everything of the sample. */
void laplace_sample_judge(const struct laplace_sample *s, struct verdict *v);

/* Chi-square of two samples of one scale against each other. */
double log_p_same_law(const struct laplace_sample *a, const struct laplace_sample *b);

#endif
