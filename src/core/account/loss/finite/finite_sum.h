/*
 * finite_sum.h - computes delta(epsilon) of a few finite laws by summing over all outcomes
 *
 * The laws are split into two groups, all sums of losses within each group are listed, and the
 * two lists are joined in one walk: 10^5 by 10^5 outcomes cost 10^5 steps (twopoint.md).
 */
#ifndef SOTTO_FINITE_SUM_H
#define SOTTO_FINITE_SUM_H

#include "core/account/loss/measure/loss_measure.h"

struct sotto_finite_sum;

/*
 * Returns how many different sums `count` draws from this many atoms have at most; few if the
 * losses are evenly spaced.
 */
double sotto_exact_sums(double atoms, double count, bool even);

/* True if all laws are finite and the lists fit into a few MiB. */
bool sotto_exact_fits(const struct sotto_loss_measure *m);

/* True if there are so few outcomes that nothing is faster than summing over them. */
bool sotto_exact_is_quick(const struct sotto_loss_measure *m);

/*
 * Lists the sums.  tilt > 0: they are weighted by exp(tilt loss), so that no sum underflows that
 * matters near the epsilon for which tilt is the saddle point.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_finite_sum_new(const struct sotto_loss_measure *m,
							double tilt,
							struct sotto_finite_sum **out);
void sotto_finite_sum_free(struct sotto_finite_sum *x);

/* Computes log delta of the finite part, bounded on both sides. */
void sotto_finite_sum_delta(const struct sotto_finite_sum *x, double epsilon, double *log_low,
			    double *log_high);

#endif
