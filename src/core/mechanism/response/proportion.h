/*
 * proportion.h - confidence intervals for a probability, from a count of successes
 *
 * This is post-processing of noisy counts: floating point, but with guaranteed coverage.
 */
#ifndef SOTTO_PROPORTION_H
#define SOTTO_PROPORTION_H

#include <stdint.h>

/*
 * Computes the interval of Clopper and Pearson (1934): each side misses the probability behind
 * `successes` of n > 0 trials with probability at most beta / 2.  n is at most 2^40.
 */
void sotto_proportion_interval(uint64_t successes, uint64_t n, double beta, double *low,
			       double *high);

/* Returns P[Binomial(n, p) >= successes]. */
double sotto_proportion_tail(uint64_t successes, uint64_t n, double p);

#endif
