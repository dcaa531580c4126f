/*
 * slaplace_ends.h - the density of sampled Laplace noise at its ends, which far nodes see
 *
 * As a density of the loss L after sampling, times e^(cL) over M(c).  Its logarithm first falls, then rises, or does one of both (sample.md).
 */
#ifndef SOTTO_SLAPLACE_ENDS_H
#define SOTTO_SLAPLACE_ENDS_H

#include "core/account/law/law.h"

struct sotto_slaplace_ends {
	double low, high;
	double bend; /* |its slope| at both ends, times 2 */
};

/* log of the density where the loss is x before sampling, but for M(c). */
double sotto_slaplace_log_density(const struct sotto_law *law, double c, double x);

/* log_m is log M(c). */
void sotto_slaplace_ends_find(const struct sotto_law *law, double c, double log_m,
			      struct sotto_slaplace_ends *out);

/* What the density at its ends errs by at a node, relative to itself: its exponent, and the phase t L. */
double sotto_slaplace_ends_error(const struct sotto_law *law, double c, double t);

#endif
