/* lasso_path_bulk.h - chooses columns along the path of a non-negative lasso */
#ifndef SOTTO_LASSO_PATH_BULK_H
#define SOTTO_LASSO_PATH_BULK_H

#include "local/rappor/regression/regression.h"

/*
 * Marks the columns of the last non-negative lasso fit (with a constant, rows
 * alike) that has at most so many of them, along 100 penalties that fall to a
 * hundredth (a ten-thousandth with fewer columns than rows) of the first.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_lasso_path(const struct sotto_columns *c, size_t rows,
						    const double *y, size_t most, bool *keep);

#endif
