/*
 * contour_saddle.h - finds roughly the best place for a contour; no bound depends on it
 */
#ifndef SOTTO_CONTOUR_SADDLE_H
#define SOTTO_CONTOUR_SADDLE_H

#include "core/account/loss/measure/loss_measure.h"

/* Returns roughly the epsilon at which the finite part has this log delta. */
double sotto_saddle_epsilon(const struct sotto_loss_measure *m, double log_delta);

/* Returns the minimiser of K(c) - c epsilon - log(c (c+1)), and roughly log delta(epsilon). */
double sotto_saddle_point(const struct sotto_loss_measure *m, double epsilon, double *log_delta,
			  double *curvature);

#endif
