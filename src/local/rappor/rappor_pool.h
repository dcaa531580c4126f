/* rappor_pool.h - decodes cohorts whose candidates can be told apart without a regression */
#ifndef SOTTO_RAPPOR_POOL_H
#define SOTTO_RAPPOR_POOL_H

#include "local/rappor/rappor_job.h"

/*
 * Pooled counts: with one bit in all, or a bit of its own for
 * each candidate in every cohort, cohorts are summed and each candidate is one
 * debiased rate with the intervals of a pure protocol.
 */
bool sotto_pool_takes(const struct sotto_local_cohorts *d, const struct sotto_local_map *m);

SOTTO_MUST_CHECK enum sotto_status
sotto_pool_decode(const struct sotto_local_cohorts *d, const struct sotto_local_map *m,
		  const struct sotto_local_options *o, struct sotto_local_estimate *out,
		  struct sotto_local_fit *fit);

#endif
