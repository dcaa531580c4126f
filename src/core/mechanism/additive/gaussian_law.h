/*
 * gaussian_law.h - computes the cost and the errors of the discrete Gaussian
 *
 * These are certified numbers about the law: no randomness, no private value.  Formulas:
 * gaussian_law.md.
 */
#ifndef SOTTO_GAUSSIAN_LAW_H
#define SOTTO_GAUSSIAN_LAW_H

#include <stddef.h>
#include <stdint.h>

#include "core/number/enclosure.h"
#include "sotto/rational.h"
#include "sotto/status.h"

/* The ranges within which the bounds below are proved and fast. */
enum {
	SOTTO_GAUSSIAN_SIGMA2_LEAST = -20, /* exponents of two */
	SOTTO_GAUSSIAN_SIGMA2_MOST = 96,
	SOTTO_GAUSSIAN_EPSILON_LEAST = -60,
	SOTTO_GAUSSIAN_EPSILON_MOST = 20,
	SOTTO_GAUSSIAN_DELTA_LEAST = -1000
};

/*
 * Encloses delta(epsilon) of one value whose neighbours differ by `sensitivity`:
 * P[X > t] - exp(epsilon) P[X > t + sensitivity], t = epsilon sigma2/sensitivity -
 * sensitivity/2.  `bits` is the precision relative to the first tail.
 */
void sotto_gaussian_law_delta(struct sotto_enclosure *delta, const mpq_t sigma2,
			      int64_t sensitivity, const mpq_t epsilon, unsigned bits);

/*
 * Does the same for a vector with this L2 sensitivity, from rho-zCDP with rho = sensitivity^2 /
 * (2 sigma2): both ends are upper bounds of the true delta.
 */
void sotto_gaussian_law_delta_zcdp(struct sotto_enclosure *delta, const mpq_t sigma2,
				   int64_t sensitivity, const mpq_t epsilon);

/* See sotto_gaussian_error_up. */
SOTTO_MUST_CHECK enum sotto_status
sotto_gaussian_law_error_up(const struct sotto_rational *sigma2, size_t n,
			    const struct sotto_rational *beta, int64_t *error);

#endif
