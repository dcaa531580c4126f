/*
 * gaussian.h - the real Gaussian mechanism in closed form (gaussian.md)
 */
#ifndef SOTTO_ACCOUNT_GAUSSIAN_H
#define SOTTO_ACCOUNT_GAUSSIAN_H

#include <gmp.h>

/*
 * log delta(epsilon) for mu^2 = mu2 > 0 and epsilon >= 0, bounded on both sides;
 * log_low is -INFINITY where delta is below exp(-1e17).
 */
void sotto_gaussian_log_delta(mpq_srcptr mu2, double epsilon, double *log_low,
			      double *log_high);

#endif
