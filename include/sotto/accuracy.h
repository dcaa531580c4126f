/*
 * sotto/accuracy.h - how wrong, before anything is spent
 *
 * Errors for an epsilon and the epsilon for an error, for vectors of n values.  The
 * formulas are those of the real-valued laws, to which noise on a fine grid tends.  On a
 * coarse grid an answer can be further off: noise comes in whole steps, and rounding adds
 * up to half a step.  The bounds for a prepared mechanism on its own grid
 * (sotto_laplace_error_up, sotto_gaussian_error_up) are exact and are about the noise;
 * whoever rounded the value adds half a step to them.  Everything here is about noise, not
 * about data: free to show.
 */
#ifndef SOTTO_ACCURACY_H
#define SOTTO_ACCURACY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/rational.h"
#include "sotto/status.h"

struct sotto_accuracy {
	double scale; /* b of Laplace, sigma of Gauss */
	double deviation; /* standard deviation of one value's noise */
	double mean_error; /* its mean absolute value */
	double error; /* with probability at least 1 - beta no value is off by more */
};

/*
 * Laplace noise for n values that one unit moves by at most l1 in all: scale l1/epsilon,
 * error scale ln(n/beta).
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, l1 > 0, n >= 1 and 0 < beta < 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_accuracy_laplace(const struct sotto_rational *epsilon, const struct sotto_rational *l1,
		       size_t n, double beta, struct sotto_accuracy *out);

/*
 * The least epsilon, rounded up to a multiple of 2^-32, at which the error is at most
 * `error`: l1 ln(n/beta) / error.
 *
 * Fails:    as above, and SOTTO_EINVAL unless error > 0.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_accuracy_laplace_epsilon_up(const struct sotto_rational *error,
				  const struct sotto_rational *l1, size_t n, double beta,
				  struct sotto_rational *epsilon);

/* P[|noise| > error] of one value: exp(-error/scale). */
SOTTO_API double sotto_accuracy_laplace_tail(double scale, double error);

/* P[|noise| > steps] of discrete Laplace noise: 2 a^(steps+1) / (1+a), a = exp(-1/scale). */
SOTTO_API double sotto_accuracy_discrete_tail(double scale, int64_t steps);

/*
 * Gaussian noise on n values: error sigma sqrt(2) erfc^-1(beta/n).
 *
 * Fails:    SOTTO_EINVAL unless sigma > 0, n >= 1 and 0 < beta < 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_accuracy_gaussian(double sigma, size_t n, double beta, struct sotto_accuracy *out);
SOTTO_API double sotto_accuracy_gaussian_tail(double sigma, double error);

struct sotto_accuracy_choice {
	struct sotto_accuracy laplace;
	struct sotto_accuracy gaussian;
	bool gaussian_wins; /* its error is the smaller one */
};

/*
 * Which noise is better for n values with these L1 and L2 sensitivities at (epsilon,
 * delta): Laplace by itself, with pure epsilon, or the Gaussian that
 * sotto_gaussian_calibrate_up gives on a fine grid.
 *
 * Fails:    SOTTO_EINVAL, also unless 0 < delta < 1 and l2 > 0; SOTTO_ERANGE as
 *           sotto_gaussian_calibrate_up.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_accuracy_choose(const struct sotto_rational *epsilon, const struct sotto_rational *delta,
		      const struct sotto_rational *l1, const struct sotto_rational *l2,
		      size_t n, double beta, struct sotto_accuracy_choice *out);

#endif
