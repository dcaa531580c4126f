/*
 * census_quantile.h - how many standard deviations an interval has on each side
 */
#ifndef SOTTO_CENSUS_QUANTILE_H
#define SOTTO_CENSUS_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>

/* Of a normal law: P[|X| <= q sd] = confidence. */
double sotto_census_normal_quantile(double confidence);

/* Of a sum of the given number of equal Laplace laws; of a normal one if not laplace. */
double sotto_census_sum_quantile(bool laplace, double confidence, size_t terms);

/* Of what was drawn: the confidence-quantile of n ratios |error|/sd, which are sorted. */
double sotto_census_sample_quantile(double *ratios, size_t n, double confidence);

/*
 * Half an interval.  Noise is whole: an estimate that is whole too is off by more than h
 * exactly if it is off by h + 1 or more, and below a deviation of 1 that shows in any estimate.
 */
double sotto_census_half_width(double quantile, double sd, bool whole);

#endif
