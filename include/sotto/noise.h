/*
 * sotto/noise.h - numbers with noise: Laplace, Gaussian, staircase, truncated geometric
 *
 * A mechanism takes an exact value, adds noise that is drawn exactly, and returns a noisy
 * value that may be published.  Values are whole steps of a grid; parameters are
 * fractions; no floating point touches a private value.
 *
 *	sotto_laplace_new(&epsilon, sensitivity, &mechanism);
 *	sotto_laplace_publish(mechanism, rng, sotto_exact_of(count), &noisy);
 *	printf("%lld\n", (long long)noisy.value);
 */
#ifndef SOTTO_NOISE_H
#define SOTTO_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sotto/cost.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/*
 * ---- Values before and after noise are different types
 *
 * A struct sotto_exact was computed from private data and may not be shown; a struct
 * sotto_noisy came out of a mechanism and may.  Only the library can read an exact value
 * (SOTTO_INSIDE): for a program the struct has no member with the number, and no function
 * returns it, so a program that prints an exact value does not compile.
 */

/* An integer on the mechanism's grid, from private data. */
struct sotto_exact {
#ifdef SOTTO_INSIDE
	int64_t secret;
#else
	unsigned char hidden[8] __attribute__((aligned(8)));
#endif
};

/* An integer on the same grid, free to show. */
struct sotto_noisy {
	int64_t value;
};

/* Wraps a number that the program itself computed from private data. */
static inline struct sotto_exact sotto_exact_of(int64_t secret)
{
	struct sotto_exact x;

	memcpy(&x, &secret, sizeof x);
	return x;
}

/*
 * ---- Real values on a grid of equal steps
 *
 * Noise is drawn and added in whole numbers of steps; a value that is not a
 * multiple of the step is rounded to the nearest one first, and the sensitivity
 * is increased by what this rounding can add.  Argument: src/core/number/grid.md.
 */

struct sotto_grid {
	struct sotto_rational step;
};

/* The integers: step 1.  Pair each _init with one _release. */
SOTTO_API void sotto_grid_init(struct sotto_grid *g);
SOTTO_API void sotto_grid_release(struct sotto_grid *g);

/* Copies step.  Fails: SOTTO_EINVAL unless step > 0. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_grid_set_step(struct sotto_grid *g, const struct sotto_rational *step);

/* True if x is a multiple of the step. */
SOTTO_API bool sotto_grid_holds(const struct sotto_grid *g, const struct sotto_rational *x);

/*
 * The multiple of the step that is nearest to x, in steps; halves are rounded up.
 *
 * Fails: SOTTO_EOVERFLOW if it does not fit; an exact value is never clamped.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_grid_round(const struct sotto_grid *g, const struct sotto_rational *x, int64_t *steps);

/* steps times the step, exactly. */
SOTTO_API void
sotto_grid_value(const struct sotto_grid *g, int64_t steps, struct sotto_rational *out);

/*
 * The sensitivity in steps of k = `dimension` values after sotto_grid_round, if one unit
 * changes the values before rounding by at most S = `sensitivity`: floor(S/g) + k in the
 * sum of absolute differences (L1), or S/g + sqrt(k), rounded up, in the Euclidean norm
 * (L2; for k = 1 the same as L1); g is the step.
 *
 * Privacy:  holds for any rounding to the nearest step, whichever way halves are rounded.
 * Fails:    SOTTO_EINVAL unless sensitivity > 0 and dimension > 0; SOTTO_EOVERFLOW.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_grid_sensitivity_l1_up(const struct sotto_grid *g,
			     const struct sotto_rational *sensitivity, size_t dimension,
			     int64_t *steps);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_grid_sensitivity_l2_up(const struct sotto_grid *g,
			     const struct sotto_rational *sensitivity, size_t dimension,
			     int64_t *steps);

/*
 * ---- Laplace mechanism on the integer grid
 *
 * Turns an exact aggregate into one that may be published.  The noise is drawn
 * exactly from rational parameters; no floating point touches a private value.
 * On the integers the discrete Laplace is also called the two-sided geometric
 * mechanism.  Sampler and proof: src/core/random/laplace/dlaplace.c, planes.md.
 */

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
 *           step; clamped to int64_t after the noise was added, never before.
 * Privacy:  epsilon = e times the sensitivity, if x differs between neighbours by at most
 *           that many steps.
 * Fails:    SOTTO_EENTROPY; *out is untouched and nothing may be answered.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_publish(const struct sotto_laplace *m, struct sotto_rng *rng,
		      struct sotto_exact x, struct sotto_noisy *out);

/*
 * Publish x[0..n), each with its own noise.
 *
 * Privacy:  epsilon = e times the sensitivity, if x differs between neighbours by at most
 *           that many steps in total (sum of absolute differences).  A histogram over
 *           disjoint cells has sensitivity 1, whatever n is.
 * Fails:    SOTTO_EENTROPY, SOTTO_ENOMEM; out[0..n) is then zeroed.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_publish_all(const struct sotto_laplace *m, struct sotto_rng *rng,
			  const struct sotto_exact *x, struct sotto_noisy *out, size_t n);

/*
 * The exact epsilon of a release at this sensitivity in steps.
 * Fails: SOTTO_EINVAL if the sensitivity is below 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_epsilon(const struct sotto_laplace *m, int64_t sensitivity,
		      struct sotto_rational *epsilon);

/*
 * The same as a cost, with the tight rho of the discrete law; the caller initialises *cost.
 * Fails: SOTTO_EINVAL if the sensitivity is below 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_cost(const struct sotto_laplace *m, int64_t sensitivity, struct sotto_cost *cost);

/*
 * The error: with probability at least 1 - beta none of n values is off by more
 * than *error steps.  The smallest such bound from the union of the n exact tails.
 *
 * Fails:    SOTTO_EINVAL unless 0 < beta < 1 and n >= 1; SOTTO_EOVERFLOW past int64_t.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_error_up(const struct sotto_laplace *m, size_t n,
		       const struct sotto_rational *beta, int64_t *error);

/*
 * The inverse: the smallest parameter e per step, to 32 significant bits and rounded up,
 * with which none of n values is off by more than error steps, with probability at least
 * 1 - beta.  One release then costs epsilon = e times the sensitivity.
 *
 * Fails:    SOTTO_EINVAL as above or if error < 0; SOTTO_ERANGE if e would be beyond
 *                     2^10.  If e would be below 2^-50, the result is 2^-50.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_calibrate_error_up(size_t n, const struct sotto_rational *beta, int64_t error,
				 struct sotto_rational *per_step);

/* The standard deviation 1/sqrt(cosh(e) - 1), in steps, rounded up. */
SOTTO_API double sotto_laplace_deviation_up(const struct sotto_laplace *m);

/*
 * ---- Gaussian mechanism on the integer grid
 *
 * The noise is the discrete Gaussian, drawn exactly.  No Gaussian gives pure
 * differential privacy: the cost is (epsilon, delta) with delta > 0, or rho-zCDP.
 * The calibration is certified: every bound is evaluated with directed rounding
 * for the discrete law itself, not for the continuous one.
 * Argument: src/core/mechanism/additive/gaussian_law.md.
 */

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
 * Law:      *out = x + Z, P[Z = z] proportional to exp(-z^2 / (2 sigma2)); clamped to
 *           int64_t after the noise was added, never before.
 * Privacy:  sensitivity^2 / (2 sigma2) - zCDP, and (epsilon, delta) for every pair that
 *           sotto_gaussian_delta_up gives.
 * Fails:    SOTTO_EENTROPY; *out is untouched and nothing may be answered.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_publish(const struct sotto_gaussian *m, struct sotto_rng *rng,
		       struct sotto_exact x, struct sotto_noisy *out);

/*
 * Publish x[0..n), each with its own noise.
 *
 * Privacy:  as above with the Euclidean (L2) sensitivity, by zCDP; for the
 *           (epsilon, delta) of several values use dimension > 1 below.
 * Fails:    SOTTO_EENTROPY, SOTTO_ENOMEM; out[0..n) is then zeroed.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_publish_all(const struct sotto_gaussian *m, struct sotto_rng *rng,
			   const struct sotto_exact *x, struct sotto_noisy *out, size_t n);

/*
 * The cost of a release at this (L2) sensitivity in steps, as exact zCDP; the caller
 * initialises *cost.  Fails: SOTTO_EINVAL if the sensitivity is below 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_gaussian_cost(const struct sotto_gaussian *m,
								 int64_t sensitivity,
								 struct sotto_cost *cost);

/*
 * The smallest sigma2, to 32 significant bits and rounded up, at which one
 * release costs at most (epsilon, delta).
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
 * The same by the classical formula, sigma = sqrt(2 ln(1.25/delta)) D/epsilon, D being the
 * sensitivity: more noise for the same cost.  Never below the result of
 * sotto_gaussian_calibrate_up, so that it holds for the discrete law and for vectors too.
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
 * The epsilon of a release with sigma2 at a given delta, and its delta at a given
 * epsilon, rounded up.  Dimension, ranges and failures as above; an epsilon
 * below 2^-60 is returned as 2^-60, a delta below 2^-1000 as 2^-1000.
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
 * The error: with probability at least 1 - beta none of n values is off by more
 * than *error steps.
 *
 * Fails:    SOTTO_EINVAL unless 0 < beta < 1 and n >= 1; SOTTO_ERANGE if beta < 2^-1000.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_error_up(const struct sotto_gaussian *m, size_t n,
			const struct sotto_rational *beta, int64_t *error);

/*
 * ---- The staircase mechanism on the integer grid
 *
 * Less error than the Laplace mechanism at the same epsilon, much less for epsilon well
 * above 1 and a sensitivity of many steps; the same for a sensitivity of one step
 * (Geng and Viswanath 2014).  Argument: src/core/mechanism/additive/staircase.md.
 */

struct sotto_staircase; /* immutable, may be shared by threads */

/*
 * epsilon is copied; the caller frees *out.  tread is the width of the upper step, 1 ..
 * sensitivity; 0 chooses the width with the least mean absolute error.
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
 *           floor((|z| + D - tread) / D), D the sensitivity; clamped to int64_t after the
 *           noise was added.
 * Privacy:  epsilon-DP if x differs between neighbours by at most D steps.  For one value
 *           only: for vectors, staircase noise on each coordinate is not the staircase
 *           mechanism.
 * Time:     the number of trials is independent of the outcome.
 * Fails:    SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_staircase_publish(const struct sotto_staircase *m, struct sotto_rng *rng,
			struct sotto_exact x, struct sotto_noisy *out);

/* The cost of a release; the caller initialises *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_staircase_cost(const struct sotto_staircase *m, struct sotto_cost *cost);

SOTTO_API int64_t sotto_staircase_tread(const struct sotto_staircase *m);

/* The standard deviation in steps, to about 15 digits. */
SOTTO_API double sotto_staircase_deviation(const struct sotto_staircase *m);

/*
 * The error: with probability at least 1 - beta the value is off by at most *error steps.
 *
 * Fails:    SOTTO_EINVAL unless 0 < beta < 1; SOTTO_EOVERFLOW past int64_t.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_staircase_error(const struct sotto_staircase *m, double beta, int64_t *error);

/*
 * ---- The geometric mechanism with its result clamped to a range
 *
 * Results outside the range are moved to its nearest end.  This happens after the noise,
 * so it costs nothing; the range must be public.  On a grid with a finer step this is the
 * truncated Laplace mechanism.
 */

struct sotto_truncated; /* immutable, may be shared by threads */

struct sotto_range {
	int64_t low;
	int64_t high;
};

/*
 * epsilon is copied; the caller frees *out.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, sensitivity >= 1 and low <= high;
 *           SOTTO_ERANGE unless 2^-50 <= epsilon / sensitivity <= 2^10; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_truncated_new(const struct sotto_rational *epsilon, int64_t sensitivity,
		    struct sotto_range range, struct sotto_truncated **out,
		    struct sotto_error *err);
SOTTO_API void sotto_truncated_free(struct sotto_truncated *m);

/*
 * Publish x, which may lie outside the range.
 *
 * Law:      *out = min(max(x + Z, low), high), P[Z = z] = (1-a)/(1+a) a^|z|, a =
 *           exp(-epsilon / sensitivity).
 * Privacy:  epsilon-DP if x differs between neighbours by at most the sensitivity.
 * Fails:    SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_truncated_publish(const struct sotto_truncated *m, struct sotto_rng *rng,
			struct sotto_exact x, struct sotto_noisy *out);

/* The cost of a release; the caller initialises *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_truncated_cost(const struct sotto_truncated *m, struct sotto_cost *cost);

/*
 * The distribution itself, for a value that is not secret: a row of the channel.
 * *out is the probability of the outcome z if the exact value is y.
 *
 * Law:      *out <= P[z given y] < *out + 2^(1-digits), a multiple of 2^-digits.
 * Privacy:  none.  The probabilities reveal y.
 * Fails:    SOTTO_EINVAL unless z is in the range; SOTTO_ERANGE if digits > 4096.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_truncated_probability_down(const struct sotto_truncated *m, int64_t y, int64_t z,
				 unsigned digits, struct sotto_rational *out);

#endif
