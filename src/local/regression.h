/*
 * regression.h - weighted least squares on a sparse 0/1 matrix
 *
 * Rows are the bits of the cohorts in use, columns the candidates, maybe with a
 * constant column for what no candidate explains.
 */
#ifndef SOTTO_LOCAL_REGRESSION_H
#define SOTTO_LOCAL_REGRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_rows {
	size_t count;
	double *y; /* debiased share of users with this bit */
	double *weight; /* 1 / variance of y */
};

struct sotto_columns {
	size_t count;
	size_t *start; /* count + 1 places in rows */
	uint32_t *rows; /* ascending in each column, no repeats */
};

struct sotto_solution {
	double *x; /* per column */
	double *variance; /* INFINITY for a column that others explain */
	double constant; /* 0 without one */
	double residual; /* sum of weight (y - fit)^2 */
	size_t degrees; /* rows minus columns fitted */
	size_t aliased;
};

/* x and variance are arrays of columns->count that the caller gives. */
SOTTO_MUST_CHECK enum sotto_status sotto_regress(const struct sotto_rows *rows,
						 const struct sotto_columns *columns,
						 bool constant, struct sotto_solution *out);

/*
 * score[s] = mean of y over the column's rows, by weight, over its standard error.
 * Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_regress_screen(const struct sotto_rows *rows,
							const struct sotto_columns *columns,
							double *score);

/*
 * Non-negative lasso by coordinate descent: x >= 0 minimizing
 * sum w (y - Xx)^2 / 2 + penalty sum_s norm_s x_s, norm_s^2 = sum of the
 * weights of the column.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_regress_lasso(const struct sotto_rows *rows,
						       const struct sotto_columns *columns,
						       double penalty, double *x);

/* A copy of the columns that keep[] marks; the caller releases it. */
SOTTO_MUST_CHECK enum sotto_status sotto_columns_select(const struct sotto_columns *from,
							const bool *keep,
							struct sotto_columns *out);
void sotto_columns_release(struct sotto_columns *c);

#endif
