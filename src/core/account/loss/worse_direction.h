/*
 * worse_direction.h - the worse of the two directions, each composed separately
 *
 * One person is either added or removed everywhere, so the maximum is taken after composing.  A
 * lower side is never above its upper side: if they cross, nothing is claimed (0 and INFINITY, or
 * log delta -INFINITY and 0).
 */
#ifndef SOTTO_WORSE_DIRECTION_H
#define SOTTO_WORSE_DIRECTION_H

#include <stdbool.h>

#include "core/account/loss/loss_curve.h"

/*
 * Checks every pair of bounds that is published.  Sides that cross, or are not numbers, prove
 * that one of them is wrong but not which: then only none to most is claimed, and the result is
 * false.
 */
bool sotto_sides_settle(double *low, double *high, double none, double most);

/* As sotto_curve_epsilon and sotto_curve_delta; fail as sotto_curve_new too. */
SOTTO_MUST_CHECK enum sotto_status
sotto_worse_direction_epsilon(const struct sotto_terms *t, const struct sotto_level *level,
			      double *lower, double *upper);
SOTTO_MUST_CHECK enum sotto_status sotto_worse_direction_delta(const struct sotto_terms *t,
							       double epsilon, double *log_low,
							       double *log_high);

/*
 * Computes only the upper side, to about 1e-9, near a guess: for many events one after another.
 * Fails as above.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_worse_direction_epsilon_near(const struct sotto_terms *t, const struct sotto_level *level,
				   double guess, double *upper);

/*
 * Computes delta at several epsilons in ascending order; claims nothing for those for which no
 * work is left.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_worse_direction_curve(const struct sotto_terms *t, const double *epsilon, size_t n,
			    double *log_low, double *log_high, const char **way);

#endif
