/*
 * loss_cut.h - the curve of events some of which must be cut into cells
 *
 * There are two measures, one above the truth and one below, each composed by the contour.
 */
#ifndef SOTTO_LOSS_CUT_H
#define SOTTO_LOSS_CUT_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/law.h"
#include "core/account/loss/loss_level.h"
#include "sotto/status.h"

struct sotto_cut;

/*
 * Makes the curve; borrows the terms.  Among many others, events with a law of their own need not
 * be cut, unless hopeless says that no contour handles them.  Fails: SOTTO_EREFUSED as
 * sotto_cells_of; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_cut_new(const struct sotto_terms *t,
						 enum sotto_direction direction, bool hopeless,
						 struct sotto_cut **out);
void sotto_cut_free(struct sotto_cut *c);

/* See sotto_curve_is_below; a later search for that delta finds everything cut already. */
SOTTO_MUST_CHECK enum sotto_status
sotto_cut_is_below(struct sotto_cut *c, double epsilon, double log_delta, bool *yes);

/* See sotto_curve_delta and sotto_curve_epsilon. */
SOTTO_MUST_CHECK enum sotto_status
sotto_cut_delta(struct sotto_cut *c, double epsilon, double *log_low, double *log_high);
SOTTO_MUST_CHECK enum sotto_status sotto_cut_epsilon(struct sotto_cut *c,
						     const struct sotto_level *level,
						     double *lower, double *upper);

#endif
