/*
 * dlaplace.h - draws exact discrete Laplace noise
 *
 * This is only the sampler: code that adds its output to private data publishes through
 * sotto/noise.h, which keeps exact and noisy values apart and states the cost.  Algorithm and
 * argument: src/core/random/laplace/planes.md, planes_block.md.
 */
#ifndef SOTTO_DLAPLACE_H
#define SOTTO_DLAPLACE_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

struct sotto_dlaplace; /* a scale that is ready to draw from; immutable; threads may share it */

/*
 * Prepares the law with parameter eps per grid step, which is scale 1/eps.  Takes about 10 us.
 * eps is copied; the caller frees *out.
 *
 * Fails:    SOTTO_ERANGE unless 2^-50 <= eps <= 2^10; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_dlaplace_new(const struct sotto_rational *eps, struct sotto_dlaplace **out);
void sotto_dlaplace_free(struct sotto_dlaplace *d);

/*
 * Law:      P[*out = z] = (1-a)/(1+a) a^|z|, a = exp(-eps); clamped to int64_t (probability below
 *           2^-5900).
 * Time:     the same for every outcome, except with probability below 2^-57.
 * Fails:    SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_dlaplace_draw(const struct sotto_dlaplace *d, struct sotto_rng *rng, int64_t *out);

/*
 * Law:      n independent draws.  Many times faster than n calls of _draw.
 * Fails:    SOTTO_EENTROPY; out[0..n) is then zeroed and must not be used.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_dlaplace_fill(const struct sotto_dlaplace *d,
						       struct sotto_rng *rng, int64_t *out,
						       size_t n);

/*
 * Does the same as _fill on machines where an attacker may watch the cache: no address depends on
 * the noise either.  Takes as long as n calls of _draw.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_dlaplace_fill_strict(const struct sotto_dlaplace *d,
							      struct sotto_rng *rng,
							      int64_t *out, size_t n);

#endif
