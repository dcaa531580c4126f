/*
 * census_noise_law.h - inside of a law: its table, and its distribution function for ties
 */
#ifndef SOTTO_CENSUS_NOISE_LAW_H
#define SOTTO_CENSUS_NOISE_LAW_H

#include "census/measure/noise/census_noise.h"
#include "core/random/gaussian/dgauss.h"
#include "core/random/laplace/dlaplace.h"

enum { SOTTO_NOISE_GUIDE_BITS = 12 };

struct sotto_noise_law {
	bool gaussian;
	struct sotto_rational scale;
	/* cdf[i] = floor(2^64 P[X <= i - reach]), nondecreasing; NULL: drawn by the sampler */
	uint64_t *cdf;
	size_t size;
	int64_t reach;
	uint16_t guide[(1 << SOTTO_NOISE_GUIDE_BITS) +
		       1]; /* where the search begins for a word's top bits */
	struct sotto_dgauss *dgauss;
	struct sotto_dlaplace *dlaplace;
};

#endif
