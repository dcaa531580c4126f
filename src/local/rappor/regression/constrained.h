/*
 * constrained.h - least squares under the constraints that shares of users obey
 */
#ifndef SOTTO_CONSTRAINED_H
#define SOTTO_CONSTRAINED_H

#include "local/rappor/regression/regression.h"

struct sotto_constrained {
	const struct sotto_columns *columns;
	size_t rows;
	const double *y, *weight; /* per row */
	const double *cap; /* per row: what the fit must not exceed */
	bool is_plain; /* x >= 0 is all that is asked: no cap, and any sum */
};

/*
 * x >= 0 with sum x <= 1 and X x <= cap that minimizes sum weight (y - X x)^2,
 * to about 1e-8; x >= 0 alone if is_plain.  x has columns->count numbers.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_constrained_solve(const struct sotto_constrained *c, double *x);

#endif
