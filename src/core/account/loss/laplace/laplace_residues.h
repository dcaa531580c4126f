/*
 * laplace_residues.h - computes delta(epsilon) of a few Laplace events and finite laws by
 * residues
 *
 * A few Laplace events leave atoms that a contour handles slowly; for them the sum over residues
 * is exact and short (laplace_residues.md).
 */
#ifndef SOTTO_LAPLACE_RESIDUES_H
#define SOTTO_LAPLACE_RESIDUES_H

#include "core/account/event/workload_terms.h"
#include "core/account/law/law.h"

struct sotto_laplace_sum;

/* True if t has Laplace events, otherwise only finite laws, and few of both. */
bool sotto_laplace_sum_fits(const struct sotto_terms *t);

/*
 * Prepares the sum; borrows t.  Fails: SOTTO_ENOMEM, SOTTO_EREFUSED if it does not fit after all.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_laplace_sum_new(const struct sotto_terms *t,
							 enum sotto_direction direction,
							 struct sotto_laplace_sum **out);
void sotto_laplace_sum_free(struct sotto_laplace_sum *s);

/* Computes log delta of the finite part, bounded on both sides.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_laplace_sum_delta(struct sotto_laplace_sum *s,
							   double epsilon, double *log_low,
							   double *log_high);

#endif
