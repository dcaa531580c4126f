/*
 * rank.h - the meaning of a rank among a number of values
 */
#ifndef SOTTO_RANK_H
#define SOTTO_RANK_H

#include "core/base/wide.h"
#include "core/mechanism/quantile/quantile.h"

/* More values than this are refused: all scores then fit an int64. */
#define SOTTO_RANK_VALUES_MAX ((int64_t)1 << 40)

/*
 * The rank among n values, n within 0 .. SOTTO_RANK_VALUES_MAX, in units of a value
 * over 2 whole.
 */
sotto_i128 sotto_rank_target(const struct sotto_rank *r, int64_t n);

/* Fails: SOTTO_EINVAL unless values grow within lo .. hi and counts are more than 0. */
SOTTO_MUST_CHECK enum sotto_status sotto_histogram_check(const struct sotto_histogram *h);

/*
 * The sums of the counts: sums[i] of those before value i, sums[n] of all.  The caller
 * gives *sums, n + 1 of them, to _forget.  Fails: SOTTO_EINVAL as _check does;
 * SOTTO_ERANGE, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_histogram_add_up(const struct sotto_histogram *h, int64_t **sums);
void sotto_histogram_forget(const struct sotto_histogram *h, int64_t *sums);

/*
 * By how much adding `rows` values moves the score of any outcome, in units of a value
 * over 2 whole: max(q, 1 - q) values for each of them without a margin, one with it.
 */
int64_t sotto_rank_sensitivity(const struct sotto_rank *r, int64_t rows);

#endif
