/*
 * composition.h - the theorems that treat events as black boxes: basic, advanced, optimal
 */
#ifndef SOTTO_COMPOSITION_H
#define SOTTO_COMPOSITION_H

#include <gmp.h>

#include "core/account/event/workload_terms.h"
#include "sotto/account.h"

/* Adds the events' own deltas to delta; *curves is how many events have no loss bound. */
void sotto_compose_survey(const struct sotto_terms *t, mpq_t delta, uint64_t *curves);

/*
 * Computes epsilon at delta < 1 by one of the three; INFINITY if there is none.
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_compose_epsilon(const struct sotto_terms *t, mpq_srcptr delta, enum sotto_method method,
		      double *epsilon);

/* Computes log delta at epsilon; 0 (delta 1) if there is no smaller bound. */
SOTTO_MUST_CHECK enum sotto_status
sotto_compose_log_delta(const struct sotto_terms *t, const struct sotto_rational *epsilon,
			enum sotto_method method, double *log_delta);

#endif
