/*
 * cks20.h - the samplers of Canonne, Kamath and Steinke 2020, as an independent law
 *
 * Rejection samplers in 64- and 128-bit integers that share nothing with the
 * product but the generator.  Exact too, but their time depends on what they
 * draw: the positive control of the timing tests, and a baseline of the
 * benchmarks.  Fails: SOTTO_EENTROPY.
 */
#ifndef SOTTO_TESTS_CKS20_H
#define SOTTO_TESTS_CKS20_H

#include <stdint.h>

#include "sotto/rng.h"
#include "sotto/status.h"

/* P[x] = (1-a) a^x, a = exp(-num/den); num > 0, den < 2^56. */
SOTTO_MUST_CHECK enum sotto_status
cks20_geometric(struct sotto_rng *rng, uint64_t num, uint64_t den, int64_t *out);

/* P[z] = (1-a)/(1+a) a^abs(z). */
SOTTO_MUST_CHECK enum sotto_status
cks20_laplace(struct sotto_rng *rng, uint64_t num, uint64_t den, int64_t *out);

/* P[z] proportional to exp(-z^2 den/(2 num)), variance num/den; num and den below 2^24. */
SOTTO_MUST_CHECK enum sotto_status
cks20_gaussian(struct sotto_rng *rng, uint64_t num, uint64_t den, int64_t *out);

#endif
