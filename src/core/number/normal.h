/*
 * normal.h - tails and quantiles of the standard normal law, in doubles
 *
 * For intervals and predictions that people read; no privacy depends on them.
 */
#ifndef SOTTO_NORMAL_H
#define SOTTO_NORMAL_H

/* Returns P(N > z). */
double sotto_normal_tail(double z);

/* Returns the z with P(N > z) = tail; +-infinity at 0 and 1. */
double sotto_normal_upper(double tail);

#endif
