/*
 * convolved_curve.h - epsilon of a few events of any kind, by rounding their losses to one grid
 *
 * For workloads that are too small for far nodes of a contour to be nothing, and whose events have no list of few
 * outcomes (convolved.md).
 */
#ifndef SOTTO_CONVOLVED_CURVE_H
#define SOTTO_CONVOLVED_CURVE_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/law.h"
#include "core/account/loss/convolved/convolved_line.h"
#include "core/account/loss/loss_level.h"
#include "sotto/status.h"

/* Few enough of them. */
bool sotto_convolved_curve_fits(const struct sotto_terms *t);

/*
 * Where the grid for that delta lies.  Fails: SOTTO_EREFUSED if an event has no curve, the largest loss is met, or a rough look at all
 * curves takes more than the most steps (work.h); SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_convolved_curve_place(const struct sotto_terms *t, enum sotto_direction direction,
			    const struct sotto_level *level, double most,
			    struct sotto_convolved_line *line);

/*
 * Bounds of epsilon at that delta, which may be 0 and INFINITY.  Fails: SOTTO_EREFUSED if not enough work is left;
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_convolved_curve_epsilon(const struct sotto_terms *t, enum sotto_direction direction,
			      const struct sotto_level *level,
			      const struct sotto_convolved_line *line, double *lower,
			      double *upper);

#endif
