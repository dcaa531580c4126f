/*
 * census_quantile.h - how many standard deviations an interval has on each side
 */
#ifndef SOTTO_CENSUS_QUANTILE_H
#define SOTTO_CENSUS_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the quantile of a sum of `terms` equal Laplace laws, of a normal law if not laplace:
 * P[|X| <= q sd] = confidence.
 */
double sotto_census_sum_quantile(bool laplace, double confidence, size_t terms);

/* Returns that of a sample: the confidence-quantile of n ratios |error|/sd, which it sorts. */
double sotto_census_sample_quantile(double *ratios, size_t n, double confidence);

/*
 * Returns half the width of an interval.  Noise is whole: an estimate that is whole too is off by
 * more than h exactly if it is off by h + 1 or more, and below a deviation of 1 that shows in any
 * estimate.
 */
double sotto_census_half_width(double quantile, double sd, bool whole);

#endif
