/*
 * tradeoff.h - error rates of the best test between two neighbours
 */
#ifndef SOTTO_TRADEOFF_H
#define SOTTO_TRADEOFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/account.h"

/*
 * Computes the largest possible true positive rate of a test between two neighbours with false
 * positive rate fpr under mu-GDP, rounded up.
 * Fails:    SOTTO_EINVAL unless mu >= 0 and 0 <= fpr <= 1.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_closed_gaussian_tpr_up(const struct sotto_rational *mu, const struct sotto_rational *fpr,
			     double *tpr);

/*
 * Computes its least possible false negative rate under (epsilon, delta), rounded down.
 * Fails:    SOTTO_EINVAL unless epsilon >= 0, and delta and fpr lie between 0 and 1.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_closed_tradeoff_down(const struct sotto_rational *epsilon,
			   const struct sotto_rational *delta, const struct sotto_rational *fpr,
			   double *fnr);

#endif
