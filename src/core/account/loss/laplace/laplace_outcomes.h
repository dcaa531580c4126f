/*
 * laplace_outcomes.h - lists all outcomes of a few Laplace events and finite laws
 *
 * One outcome is a choice of sign for every Laplace event and of an outcome for every finite law;
 * equal events are merged (laplace_residues.md).
 */
#ifndef SOTTO_LAPLACE_OUTCOMES_H
#define SOTTO_LAPLACE_OUTCOMES_H

#include <mpfr.h>
#include <stddef.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/law.h"

struct sotto_laplace_outcome {
	unsigned down; /* how many Laplace events took the lower sign */
	mpfr_t shift, weight;
};

struct sotto_laplace_outcomes {
	struct sotto_laplace_outcome *at;
	size_t n, capacity;
};

/*
 * Fills an empty list.  On failure it contains what was listed so far.
 *
 * Fails:    SOTTO_ENOMEM; as sotto_pair_of; SOTTO_EREFUSED for a law without finite losses.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_outcomes_list(struct sotto_laplace_outcomes *l, const struct sotto_terms *t,
			    enum sotto_direction direction, mpfr_prec_t bits);
void sotto_laplace_outcomes_release(struct sotto_laplace_outcomes *l);

#endif
