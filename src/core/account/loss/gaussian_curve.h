/*
 * gaussian_curve.h - the real Gaussian mechanism in closed form (gaussian_curve.md)
 */
#ifndef SOTTO_GAUSSIAN_CURVE_H
#define SOTTO_GAUSSIAN_CURVE_H

#include <gmp.h>
#include <stdbool.h>

/*
 * log delta(epsilon) for mu^2 = mu2 > 0 and epsilon >= 0, bounded on both sides;
 * log_low is -INFINITY where delta is below exp(-1e17).
 */
void sotto_gaussian_log_delta(mpq_srcptr mu2, double epsilon, double *log_low,
			      double *log_high);

/* How many steps (work.h) that takes, roughly. */
double sotto_gaussian_steps(mpq_srcptr mu2, double epsilon);

/* mu of mu^2, to an ulp of a long double. */
long double sotto_gaussian_mu(mpq_srcptr mu2);

/*
 * The same to SOTTO_GAUSSIAN_ROUGH, in a microsecond or few; false, and nothing written, where
 * that takes more than hardware has: mu above SOTTO_GAUSSIAN_ROUGH_MU, or delta very far down.
 */
#define SOTTO_GAUSSIAN_ROUGH 0x1p-45
#define SOTTO_GAUSSIAN_ROUGH_MU 4000
bool sotto_gaussian_log_delta_rough(long double mu, double epsilon, double *log_low,
				    double *log_high);

#endif
