/*
 * sotto/laplace.h - Laplace mechanism on the integer grid
 *
 * Turns an exact aggregate into one that may be published.  The noise is drawn
 * exactly from rational parameters; no floating point touches a private value.
 * On the integers the discrete Laplace is also called the two-sided geometric
 * mechanism.  Sampler and proof: src/core/random/laplace/dlaplace.{c,md}.
 */
#ifndef SOTTO_LAPLACE_H
#define SOTTO_LAPLACE_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/cost.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"
#include "sotto/value.h"

struct sotto_laplace; /* immutable, may be shared by threads */

/*
 * The mechanism for epsilon and a sensitivity in grid steps: the parameter per
 * step is exactly epsilon / sensitivity.  epsilon is copied; the caller frees *out.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0 and sensitivity >= 1; SOTTO_ERANGE
 *           unless 2^-50 <= epsilon / sensitivity <= 2^10; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_new(const struct sotto_rational *epsilon, int64_t sensitivity,
		  struct sotto_laplace **out);

/* The same from the scale in grid steps, 1 / (epsilon per step). */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_new_scale(const struct sotto_rational *scale, struct sotto_laplace **out);

SOTTO_API void sotto_laplace_free(struct sotto_laplace *m);

/*
 * Publish x.
 *
 * Law:      *out = x + Z, P[Z = z] proportional to exp(-|z| e), e the parameter per
 *           step; held at the ends of int64_t after the noise, never before.
 * Privacy:  e times the sensitivity, if neighbours move x by at most that many steps.
 * Fails:    SOTTO_EENTROPY; *out is untouched and nothing may be answered.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_publish(const struct sotto_laplace *m, struct sotto_rng *rng,
		      struct sotto_exact x, struct sotto_noisy *out);

/*
 * Publish x[0..n), each with noise of its own.
 *
 * Privacy:  e times the sensitivity, if neighbours move x by at most that many
 *           steps in all (sum of absolute differences).  A histogram over
 *           disjoint cells has sensitivity 1 whatever n is.
 * Fails:    SOTTO_EENTROPY, SOTTO_ENOMEM; out[0..n) is then zeroed.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_publish_all(const struct sotto_laplace *m, struct sotto_rng *rng,
			  const struct sotto_exact *x, struct sotto_noisy *out, size_t n);

/* What a release costs at this sensitivity, exactly.  Fails: SOTTO_EINVAL below 1. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_epsilon(const struct sotto_laplace *m, int64_t sensitivity,
		      struct sotto_rational *epsilon);

/*
 * The same as a cost, with the tight rho of the discrete law; the caller makes *cost.
 * Fails: SOTTO_EINVAL below 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_cost(const struct sotto_laplace *m, int64_t sensitivity, struct sotto_cost *cost);

/*
 * How wrong: with probability at least 1 - beta none of n values is off by more
 * than *error steps.  The least such bound that the union of the n exact tails gives.
 *
 * Fails:    SOTTO_EINVAL unless 0 < beta < 1 and n >= 1; SOTTO_EOVERFLOW past int64_t.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_error_up(const struct sotto_laplace *m, size_t n,
		       const struct sotto_rational *beta, int64_t *error);

/*
 * The inverse: the least e, to 32 significant bits and rounded up, with which none
 * of n values is off by more than error steps, with probability at least 1 - beta.
 * One release at a sensitivity then costs e times it.
 *
 * Fails:    SOTTO_EINVAL as above or if error < 0; SOTTO_ERANGE if e would be beyond
 *           2^10.  An e below 2^-50 comes out as 2^-50.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_calibrate_error_up(size_t n, const struct sotto_rational *beta, int64_t error,
				 struct sotto_rational *per_step);

/* E|Z| = 1/sinh(e) and the standard deviation 1/sqrt(cosh(e) - 1), in steps, rounded up. */
SOTTO_API double sotto_laplace_mean_error_up(const struct sotto_laplace *m);
SOTTO_API double sotto_laplace_deviation_up(const struct sotto_laplace *m);

#endif
