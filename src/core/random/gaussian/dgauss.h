/*
 * dgauss.h - draws exact discrete Gaussian noise
 *
 * This is only the sampler: private data are published through sotto/noise.h.  Algorithms and
 * arguments: src/core/random/gaussian/dgauss.{c,md}, dgauss_block.{c,md}.
 */
#ifndef SOTTO_DGAUSS_H
#define SOTTO_DGAUSS_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

struct sotto_dgauss; /* immutable; threads may share it */

/*
 * Prepares the law with parameter sigma2 (the square of sigma, in grid steps).
 * Takes less than 0.1 ms.  sigma2 is copied; the caller frees *out.
 *
 * Fails:    SOTTO_ERANGE unless 2^-20 <= sigma2 <= 2^96; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_dgauss_new(const struct sotto_rational *sigma2, struct sotto_dgauss **out);
void sotto_dgauss_free(struct sotto_dgauss *g);

/*
 * Law:      P[*out = x] proportional to exp(-x^2 / (2 sigma2)), abs(x) < 2^62 (which
 *           the law on all integers leaves with probability below 2^-1000000).
 * Time:     the number of trials is independent of the outcome; a trial takes the
 *           same for every outcome, except with probability below 2^-57.
 * Fails:    SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_dgauss_draw(const struct sotto_dgauss *g, struct sotto_rng *rng, int64_t *out);

/*
 * Law:      n independent draws.  Many times faster than n calls of _draw.
 * Time:     a function of sigma2 and n, except with probability below 2^-63 for every
 *           4096 draws.  Addresses of a list depend on the noise, never on data; where
 *           a cache may be watched, call _draw, which has no such address.
 * Fails:    SOTTO_EENTROPY; out[0..n) is then zeroed and must not be used.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_dgauss_fill(const struct sotto_dgauss *g, struct sotto_rng *rng, int64_t *out, size_t n);

#endif
