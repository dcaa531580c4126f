/*
 * sotto/dgauss.h - exact discrete Gaussian noise
 *
 * The sampler only: private data are published through sotto/gaussian.h.
 * Algorithm and argument: src/random/dgauss.{c,md}.
 */
#ifndef SOTTO_DGAUSS_H
#define SOTTO_DGAUSS_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

struct sotto_dgauss; /* immutable, may be shared by threads */

/*
 * Prepares the law with parameter sigma2 (the square of sigma, in grid steps).
 *
 * Fails:    SOTTO_ERANGE unless 2^-20 <= sigma2 <= 2^96; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_dgauss_new(const struct sotto_rational *sigma2, struct sotto_dgauss **out);
SOTTO_API void sotto_dgauss_free(struct sotto_dgauss *g);

/*
 * Law:      P[*out = x] proportional to exp(-x^2 / (2 sigma2)).
 * Time:     the number of trials is independent of the outcome.
 * Fails:    SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_dgauss_draw(const struct sotto_dgauss *g, struct sotto_rng *rng, int64_t *out);

/* n independent draws; on SOTTO_EENTROPY out[0..n) is zeroed. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_dgauss_fill(const struct sotto_dgauss *g, struct sotto_rng *rng, int64_t *out, size_t n);

#endif
