/*
 * share_split.h - how epsilon or rho is divided over measures and choices
 *
 * Evenly, unless another division errs clearly less for the answer as a whole, or the
 * analyst weighs the columns.  Argument: share_split.md.
 */
#ifndef SOTTO_SHARE_SPLIT_H
#define SOTTO_SHARE_SPLIT_H

#include "central/plan/plan.h"

/*
 * Sets plan->weights: measures first, then choices; a share is its weight over the sum.  Reads
 * the plan and plan->output_weights alone.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_split_shares(struct sotto_plan *plan, enum sotto_noise_kind kind);

/* share = all weight_i / sum of the weights */
void sotto_split_share(const struct sotto_plan *plan, size_t i,
		       const struct sotto_rational *all, struct sotto_rational *share);

#endif
