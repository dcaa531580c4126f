/*
 * sotto/gaussian.h - Gaussian mechanism on the integer grid
 *
 * The noise is the discrete Gaussian, drawn exactly.  No Gaussian gives pure
 * differential privacy: the cost is (epsilon, delta) with delta > 0, or rho-zCDP.
 * The calibration is certified: every bound is evaluated with directed rounding
 * for the discrete law itself, not for the continuous one.
 * Argument: src/core/mechanism/additive/gaussian_law.md.
 */
#ifndef SOTTO_GAUSSIAN_H
#define SOTTO_GAUSSIAN_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/cost.h"
#include "sotto/error.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"
#include "sotto/value.h"

struct sotto_gaussian; /* immutable, may be shared by threads */

/*
 * The mechanism with parameter sigma2 (the square of sigma, in grid steps).
 * sigma2 is copied; the caller frees *out.
 *
 * Fails:    SOTTO_ERANGE unless 2^-20 <= sigma2 <= 2^96; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_new(const struct sotto_rational *sigma2, struct sotto_gaussian **out);
SOTTO_API void sotto_gaussian_free(struct sotto_gaussian *m);

/*
 * Publish x.
 *
 * Law:      *out = x + Z, P[Z = z] proportional to exp(-z^2 / (2 sigma2)); held at
 *           the ends of int64_t after the noise, never before.
 * Privacy:  sensitivity^2 / (2 sigma2) - zCDP, and (epsilon, delta) for every pair that
 *           sotto_gaussian_delta_up gives.
 * Fails:    SOTTO_EENTROPY; *out is untouched and nothing may be answered.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_publish(const struct sotto_gaussian *m, struct sotto_rng *rng,
		       struct sotto_exact x, struct sotto_noisy *out);

/*
 * Publish x[0..n), each with noise of its own.
 *
 * Privacy:  as above with the Euclidean (L2) sensitivity, by zCDP; for the
 *           (epsilon, delta) of several values use dimension > 1 below.
 * Fails:    SOTTO_EENTROPY, SOTTO_ENOMEM; out[0..n) is then zeroed.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_publish_all(const struct sotto_gaussian *m, struct sotto_rng *rng,
			   const struct sotto_exact *x, struct sotto_noisy *out, size_t n);

/*
 * What a release costs at this (L2) sensitivity, as exact zCDP; the caller makes *cost.
 * Fails: SOTTO_EINVAL below 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_gaussian_cost(const struct sotto_gaussian *m,
								 int64_t sensitivity,
								 struct sotto_cost *cost);

/*
 * The least sigma2 on a grid of 32 significant bits, rounded up, at which one
 * release has cost (epsilon, delta).
 *
 * For dimension 1 the exact delta of the discrete Gaussian is used, for more
 * values the conversion from zCDP (valid for any vector; sensitivity in L2).
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, 0 < delta < 1, sensitivity >= 1 and
 *           dimension >= 1; SOTTO_ERANGE if delta < 2^-1000, epsilon is not in
 *           2^-60 .. 2^20, or no sigma2 up to 2^96 is enough.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_calibrate_up(const struct sotto_rational *epsilon,
			    const struct sotto_rational *delta, int64_t sensitivity,
			    size_t dimension, struct sotto_rational *sigma2);

/*
 * The same by the classical formula, sigma = sqrt(2 ln(1.25/delta)) D/epsilon: more noise
 * for the same cost.  Never below what sotto_gaussian_calibrate_up gives, so that it
 * holds for the discrete law and for vectors too.
 *
 * Fails:    SOTTO_EREFUSED for epsilon >= 1, where the formula is not proved and, for
 *           large epsilon, false; else as sotto_gaussian_calibrate_up.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_classical_up(const struct sotto_rational *epsilon,
			    const struct sotto_rational *delta, int64_t sensitivity,
			    size_t dimension, struct sotto_rational *sigma2,
			    struct sotto_error *err);

/*
 * The sigma2 at which one release is rho-zCDP, exactly: D^2 / (2 rho).
 *
 * Fails:    SOTTO_EINVAL unless rho > 0 and sensitivity >= 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_zcdp(const struct sotto_rational *rho, int64_t sensitivity,
		    struct sotto_rational *sigma2);

/*
 * The epsilon that a release with sigma2 has at delta, and the delta that it has
 * at epsilon, rounded up.  Dimension, ranges and failures as above; an epsilon
 * below 2^-60 comes out as 2^-60, a delta below 2^-1000 as 2^-1000.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_epsilon_up(const struct sotto_rational *sigma2, int64_t sensitivity,
			  size_t dimension, const struct sotto_rational *delta,
			  struct sotto_rational *epsilon);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_delta_up(const struct sotto_rational *sigma2, int64_t sensitivity,
			size_t dimension, const struct sotto_rational *epsilon,
			struct sotto_rational *delta);

/*
 * How wrong: with probability at least 1 - beta none of n values is off by more
 * than *error steps.
 *
 * Fails:    SOTTO_EINVAL unless 0 < beta < 1 and n >= 1; SOTTO_ERANGE below 2^-1000.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_error_up(const struct sotto_gaussian *m, size_t n,
			const struct sotto_rational *beta, int64_t *error);

#endif
