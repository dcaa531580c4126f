/* ibu.h - the distribution of values that makes the reports most likely */
#ifndef SOTTO_IBU_H
#define SOTTO_IBU_H

#include "local/decode/consistency.h"

/*
 * The maximum of the reports' likelihood over all values 0 .. count-1, by
 * iterative Bayesian updates.
 * Fails: SOTTO_EINVAL if the counters do not hold that likelihood, SOTTO_ERANGE past
 *        2^31 pairs of outputs and values or if it does not settle in `most` rounds (0:
 *        10000), SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_post_ibu(const struct sotto_local_counts *c,
						  struct sotto_local_estimate *e, size_t count,
						  unsigned most, struct sotto_error *err);

#endif
