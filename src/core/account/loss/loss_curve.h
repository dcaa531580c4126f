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
 * The terms are borrowed.  Fails: SOTTO_EREFUSED if an event has no loss
 * distribution (zcdp), or none that can be composed; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_curve_new(const struct sotto_terms *t,
						   enum sotto_direction direction,
						   struct sotto_curve **out);
void sotto_curve_free(struct sotto_curve *c);

/* log delta at epsilon >= 0.  Fails: SOTTO_EREFUSED without work left; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_curve_delta(struct sotto_curve *c, double epsilon, double *log_low, double *log_high);

/*
 * The least epsilon whose delta is at most the level's, bounded on both sides: upper is
 * INFINITY if there is none.  Fails as above.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_curve_epsilon(struct sotto_curve *c,
						       const struct sotto_level *level,
						       double *lower, double *upper);

/*
 * Whether log delta at epsilon >= 0 is surely below the one given; no is not a proof.  Less
 * work than a value.  Fails as above.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_curve_is_below(struct sotto_curve *c, double epsilon, double log_delta, bool *yes);

/*
 * From now on values of delta good to 2^-44 will do, because many are wanted.  True if each
 * takes about a microsecond then, false if much longer.
 */
bool sotto_curve_make_rough(struct sotto_curve *c);

/* True if the two directions have the same curve. */
bool sotto_curve_is_symmetric(const struct sotto_curve *c);

/* How the curve was computed, in a word for people ("closed form", "contour", ...). */
const char *sotto_curve_way(const struct sotto_curve *c);

#endif
