/*
 * sgauss_told.h - sampled Gaussian noise so small that an outcome tells whether a unit was sampled (sample.md): bounds in closed form
 */
#ifndef SOTTO_SGAUSS_TOLD_H
#define SOTTO_SGAUSS_TOLD_H

#include <stdbool.h>

#include "core/account/law/law.h"

/* Whether there is a bound of K of one of many laws at a real order. */
bool sotto_sgauss_is_told(const struct sotto_law *law, double s);

/* An upper bound of K of one event, and roughly K' and K''. */
void sotto_sgauss_told_cumulants(const struct sotto_law *law, double s, double k[3]);

/* Bounds of |M(c+iu)/M(c)| for far nodes, where log_m is K(c); empty if there are none. */
void sotto_sgauss_told_ladder(const struct sotto_law *law, double c, double log_m,
			      struct sotto_ladder *ladder);

#endif
