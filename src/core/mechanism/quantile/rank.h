/*
 * rank.h - what a rank means among a number of values
 */
#ifndef SOTTO_RANK_H
#define SOTTO_RANK_H

#include "core/base/wide.h"
#include "core/mechanism/quantile/quantile.h"

/* More values than this are refused, so that all scores fit an int64. */
#define SOTTO_RANK_VALUES_MAX ((int64_t)1 << 40)

/*
 * Returns the rank among n values, 0 <= n <= SOTTO_RANK_VALUES_MAX, in units of a value over 2
 * whole.
 */
sotto_i128 sotto_rank_target(const struct sotto_rank *r, int64_t n);

/*
 * Checks the histogram.  Fails: SOTTO_EINVAL unless values increase within lo .. hi and counts
 * are above 0.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_histogram_check(const struct sotto_histogram *h);

/*
 * Adds up the counts: sums[i] is the total before value i, sums[n] that of all.  The caller gives
 * *sums, which has n + 1 entries, to _forget.  Fails: SOTTO_EINVAL as _check does; SOTTO_ERANGE,
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_histogram_add_up(const struct sotto_histogram *h, int64_t **sums);
void sotto_histogram_forget(const struct sotto_histogram *h, int64_t *sums);

/*
 * Returns by how much adding `rows` values changes the score of any outcome, in units of a value
 * over 2 whole: max(q, 1 - q) values for each row without a margin, one with a margin.
 */
int64_t sotto_rank_sensitivity(const struct sotto_rank *r, int64_t rows);

#endif
