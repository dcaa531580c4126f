/*
 * Iterative Bayesian updates (Agrawal, Aggarwal 2001): share_v <- sum over outputs y of
 * (c_y / n) share_v A(y|v) / sum_u share_u A(y|u), to the maximum of the likelihood.
 *
 * In these protocols A(y|v) has two values for each output, one for the values that
 * it supports and one for the others: a bit per pair is enough.
 */
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
