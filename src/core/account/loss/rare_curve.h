/*
 * rare_curve.h - the curve of many events each of which has a usual outcome and some rare ones (rare.md)
 */
#ifndef SOTTO_RARE_CURVE_H
#define SOTTO_RARE_CURVE_H

#include "core/account/loss/measure/loss_measure.h"

struct sotto_rare_curve;

/*
 * Makes the curve of the finite part of a measure, which is borrowed.  Fails: SOTTO_EREFUSED if too few of its laws have rare outcomes; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_rare_curve_new(const struct sotto_loss_measure *m, struct sotto_rare_curve **out);
void sotto_rare_curve_free(struct sotto_rare_curve *c);

/* Computes log delta(epsilon), bounded on both sides.  Fails: SOTTO_EREFUSED if no work is left; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_rare_curve_delta(struct sotto_rare_curve *c,
							  double epsilon, double *log_low,
							  double *log_high);

/* Finds out, roughly, whether log delta(epsilon) is below this: not if it is not sure.  Fails the same way. */
SOTTO_MUST_CHECK enum sotto_status sotto_rare_curve_is_below(struct sotto_rare_curve *c,
							     double epsilon, double log_delta,
							     bool *yes);

/*
 * Computes an *upper at which log delta is at most log_down, and a *lower at which it is at least log_up; both finite.  Fails the same way.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_rare_curve_epsilon(struct sotto_rare_curve *c,
							    double log_down, double log_up,
							    double *lower, double *upper);

#endif
