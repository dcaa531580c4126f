/*
 * loss_curve.h - delta(epsilon) of a workload in one direction, certified on both sides
 */
#ifndef SOTTO_LOSS_CURVE_H
#define SOTTO_LOSS_CURVE_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/law.h"
#include "core/account/loss/loss_level.h"
#include "sotto/status.h"

struct sotto_curve;

/*
 * Makes the curve; borrows the terms.  Fails: SOTTO_EREFUSED if an event has no loss distribution
 * (zcdp), or none that can be composed; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_curve_new(const struct sotto_terms *t,
						   enum sotto_direction direction,
						   struct sotto_curve **out);
void sotto_curve_free(struct sotto_curve *c);

/* Computes log delta at epsilon >= 0.  Fails: SOTTO_EREFUSED if no work is left; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_curve_delta(struct sotto_curve *c, double epsilon, double *log_low, double *log_high);

/*
 * Finds the least epsilon whose delta is at most the level's, bounded on both sides: upper is
 * INFINITY if there is none.  Fails as above.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_curve_epsilon(struct sotto_curve *c,
						       const struct sotto_level *level,
						       double *lower, double *upper);

/*
 * Sets *yes if log delta at epsilon >= 0 is certainly below the given one; false proves nothing.
 * Less work than a value.  Fails as above.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_curve_is_below(struct sotto_curve *c, double epsilon, double log_delta, bool *yes);

/*
 * Allows values of delta that are accurate only to 2^-44, because many are needed.  True if each
 * then takes about a microsecond, false if much longer.
 */
bool sotto_curve_make_rough(struct sotto_curve *c);

/*
 * Makes tables for cells with shuffled reports, of which a value takes long, as fine as so many points (convolved_table.h).  Fails:
 * SOTTO_EREFUSED; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_curve_make_tables(struct sotto_curve *c, size_t points);

/* True if the two directions have the same curve. */
bool sotto_curve_is_symmetric(const struct sotto_curve *c);

/* Returns how the curve was computed, in a word for people ("closed form", "contour", ...). */
const char *sotto_curve_way(const struct sotto_curve *c);

#endif
