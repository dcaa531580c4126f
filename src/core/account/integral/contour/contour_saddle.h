/*
 * contour_saddle.h - roughly the best place for a contour; no bound depends on it
 */
#ifndef SOTTO_CONTOUR_SADDLE_H
#define SOTTO_CONTOUR_SADDLE_H

#include "core/account/loss/measure/loss_measure.h"

/* An epsilon, roughly, at which log delta of the finite part is the one given. */
double sotto_saddle_epsilon(const struct sotto_loss_measure *m, double log_delta);

/* The minimiser of K(c) - c epsilon - log(c (c+1)), and roughly log delta(epsilon). */
double sotto_saddle_point(const struct sotto_loss_measure *m, double epsilon, double *log_delta,
			  double *curvature);

#endif
