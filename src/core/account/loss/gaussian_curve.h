/*
 * gaussian_curve.h - the real Gaussian mechanism in closed form (gaussian_curve.md)
 */
#ifndef SOTTO_GAUSSIAN_CURVE_H
#define SOTTO_GAUSSIAN_CURVE_H

#include <gmp.h>
#include <stdbool.h>

/*
 * Computes log delta(epsilon) for mu^2 = mu2 > 0 and epsilon >= 0, bounded on both sides; log_low
 * is -INFINITY if delta is below exp(-1e17).
 */
void sotto_gaussian_log_delta(mpq_srcptr mu2, double epsilon, double *log_low,
			      double *log_high);

/* Returns roughly how many steps (work.h) that takes. */
double sotto_gaussian_steps(mpq_srcptr mu2, double epsilon);

/* Returns mu to an ulp of a long double. */
long double sotto_gaussian_mu(mpq_srcptr mu2);

/*
 * Computes the same to within SOTTO_GAUSSIAN_ROUGH in a few microseconds.  False, with nothing
 * written, if hardware precision is not enough: mu above SOTTO_GAUSSIAN_ROUGH_MU, or an extremely
 * small delta.
 */
#define SOTTO_GAUSSIAN_ROUGH 0x1p-45
#define SOTTO_GAUSSIAN_ROUGH_MU 4000
bool sotto_gaussian_log_delta_rough(long double mu, double epsilon, double *log_low,
				    double *log_high);

/* Returns roughly how many steps (work.h) that takes. */
double sotto_gaussian_rough_steps(long double mu, double epsilon);

#endif
