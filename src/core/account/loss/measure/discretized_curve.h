/*
 * discretized_curve.h - the curve of events of which some must be cut into cells
 *
 * Two measures, one above the truth and one below, each composed by the contour.
 */
#ifndef SOTTO_DISCRETIZED_CURVE_H
#define SOTTO_DISCRETIZED_CURVE_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/law.h"
#include "core/account/loss/loss_level.h"
#include "sotto/status.h"

struct sotto_discretized_curve;

/*
 * The terms are borrowed.  Beside many others events with a law of their own need not be cut, unless hopeless says
 * that no contour can go through these.  Fails: SOTTO_EREFUSED as sotto_cells_of; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_discretized_curve_new(const struct sotto_terms *t, enum sotto_direction direction,
			    bool hopeless, struct sotto_discretized_curve **out);
void sotto_discretized_curve_free(struct sotto_discretized_curve *c);

/* As sotto_curve_is_below; a search for that delta then finds everything cut already. */
SOTTO_MUST_CHECK enum sotto_status
sotto_discretized_curve_is_below(struct sotto_discretized_curve *c, double epsilon,
				 double log_delta, bool *yes);

/* As sotto_curve_delta and sotto_curve_epsilon. */
SOTTO_MUST_CHECK enum sotto_status
sotto_discretized_curve_delta(struct sotto_discretized_curve *c, double epsilon,
			      double *log_low, double *log_high);
SOTTO_MUST_CHECK enum sotto_status
sotto_discretized_curve_epsilon(struct sotto_discretized_curve *c,
				const struct sotto_level *level, double *lower, double *upper);

#endif
