/*
 * laplace_curve.h - a single Laplace event in closed form
 *
 * delta = 1 - exp((epsilon - epsilon0)/2) up to epsilon0, and 0 beyond.
 */
#ifndef SOTTO_LAPLACE_CURVE_H
#define SOTTO_LAPLACE_CURVE_H

#include <gmp.h>
#include <mpfr.h>

/* Computes log delta at epsilon >= 0, bounded on both sides. */
void sotto_laplace_once_delta(mpq_srcptr epsilon0, double epsilon, double *log_low,
			      double *log_high);

/* Computes the least epsilon with this delta, 0 <= delta < 1, rounded both ways. */
void sotto_laplace_once_epsilon(mpq_srcptr epsilon0, const mpfr_t delta, double *lower,
				double *upper);

#endif
