/*
 * sotto/staircase.h - the staircase mechanism on the integer grid
 *
 * Less error than the Laplace mechanism at the same epsilon, much less for epsilon well
 * above 1 and a sensitivity of many steps; the same for a sensitivity of one step
 * (Geng and Viswanath 2014).  Argument: src/core/mechanism/additive/staircase.md.
 */
#ifndef SOTTO_STAIRCASE_H
#define SOTTO_STAIRCASE_H

#include <stdint.h>

#include "sotto/api.h"
#include "sotto/cost.h"
#include "sotto/error.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"
#include "sotto/value.h"

struct sotto_staircase; /* immutable, may be shared by threads */

/*
 * epsilon is copied; the caller frees *out.  tread is the width of the upper step, 1 ..
 * sensitivity; 0 takes the one with the least mean absolute error.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, sensitivity >= 1 and 0 <= tread <=
 *           sensitivity; SOTTO_ERANGE unless 2^-50 <= epsilon <= 2^10 and sensitivity
 *           <= 2^62; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_staircase_new(const struct sotto_rational *epsilon, int64_t sensitivity, int64_t tread,
		    struct sotto_staircase **out, struct sotto_error *err);
SOTTO_API void sotto_staircase_free(struct sotto_staircase *m);

/*
 * Publish x.
 *
 * Law:      *out = x + Z, P[Z = z] proportional to exp(-epsilon k) with k =
 *           floor((|z| + D - tread) / D), D the sensitivity; held at the ends of int64_t
 *           after the noise.
 * Privacy:  epsilon-DP if neighbours move x by at most D steps.  One value only:
 *           for vectors the staircase is not the product of its coordinates.
 * Time:     the number of trials is independent of the outcome.
 * Fails:    SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_staircase_publish(const struct sotto_staircase *m, struct sotto_rng *rng,
			struct sotto_exact x, struct sotto_noisy *out);

/* What a release costs; the caller makes *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_staircase_cost(const struct sotto_staircase *m, struct sotto_cost *cost);

SOTTO_API int64_t sotto_staircase_tread(const struct sotto_staircase *m);

/* E|Z| and the standard deviation in steps, to about 15 digits; P[|Z| > error]. */
SOTTO_API double sotto_staircase_mean_error(const struct sotto_staircase *m);
SOTTO_API double sotto_staircase_deviation(const struct sotto_staircase *m);
SOTTO_API double sotto_staircase_tail(const struct sotto_staircase *m, int64_t error);

/*
 * How wrong: with probability at least 1 - beta the value is off by at most *error steps.
 *
 * Fails:    SOTTO_EINVAL unless 0 < beta < 1; SOTTO_EOVERFLOW past int64_t.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_staircase_error(const struct sotto_staircase *m, double beta, int64_t *error);

#endif
