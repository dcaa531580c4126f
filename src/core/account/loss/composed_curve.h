/*
 * composed_curve.h - the curve of many events together, by whichever way is sharp
 *
 *	exact sum	few finite laws: all outcomes
 *	contour		the general way; a few dozen nodes where the law is smooth
 *	residues	few Laplace events, whose atoms the contour handles slowly
 */
#ifndef SOTTO_COMPOSED_CURVE_H
#define SOTTO_COMPOSED_CURVE_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/law.h"
#include "core/account/loss/loss_level.h"
#include "sotto/status.h"

struct sotto_composed;

/* Makes the curve; borrows the terms.  Fails as sotto_curve_new. */
SOTTO_MUST_CHECK enum sotto_status sotto_composed_new(const struct sotto_terms *t,
						      enum sotto_direction direction,
						      struct sotto_composed **out);
void sotto_composed_free(struct sotto_composed *c);
/* See sotto_curve_is_below. */
SOTTO_MUST_CHECK enum sotto_status
sotto_composed_is_below(struct sotto_composed *c, double epsilon, double log_delta, bool *yes);
/* True if a value takes about a microsecond. */
bool sotto_composed_is_quick(const struct sotto_composed *c);
bool sotto_composed_is_symmetric(const struct sotto_composed *c);
const char *sotto_composed_way(const struct sotto_composed *c);

/* See sotto_curve_delta and sotto_curve_epsilon. */
SOTTO_MUST_CHECK enum sotto_status sotto_composed_delta(struct sotto_composed *c,
							double epsilon, double *log_low,
							double *log_high);
SOTTO_MUST_CHECK enum sotto_status sotto_composed_epsilon(struct sotto_composed *c,
							  const struct sotto_level *level,
							  double *lower, double *upper);

#endif
