/*
 * regression.h - weighted least squares on a sparse 0/1 matrix
 *
 * Rows are the bits of the cohorts in use, columns the candidates, maybe with a
 * constant column for what no candidate explains.
 */
#ifndef SOTTO_REGRESSION_H
#define SOTTO_REGRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

/* Rows come cohort by cohort, `bits` of each. */
struct sotto_rows {
	size_t count;
	size_t bits;
	double *y; /* debiased share of users with this bit */
	double *weight; /* 1 / variance of y, users drawn from a population */
	const double *pull; /* what a fit weighs rows by; NULL: weight, which is best */
	double *noise; /* variance of y with the users' own bits given */
	double *users; /* per cohort */
};

struct sotto_columns {
	size_t count;
	size_t *start; /* count + 1 places in rows */
	uint32_t *rows; /* ascending in each column, no repeats */
};

struct sotto_regression_solution {
	double *x; /* per column */
	double *variance; /* INFINITY for a column that others explain */
	double *noise; /* the part of variance that comes from the reports' noise */
	double constant; /* 0 without one */
	double residual; /* sum of weight (y - fit)^2 */
	size_t worst; /* the cohort with the greatest part of it, by number of its rows */
	double worst_residual;
	size_t degrees; /* rows minus columns fitted */
	size_t aliased;
};

/* x, variance and noise are arrays of columns->count.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_solution_init(struct sotto_regression_solution *s, size_t count);
void sotto_solution_release(struct sotto_regression_solution *s);

/*
 * Least squares, weighted by the rows' pull.  The bits of one user come together, so rows of one
 * cohort are correlated: variance is that of the estimator under the fitted
 * distribution of values, not only the inverse of X'WX (rappor.md).
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_regress(const struct sotto_rows *rows, const struct sotto_columns *columns, bool constant,
	      struct sotto_regression_solution *out);

/* The same without variance and noise, which take most of the time. */
SOTTO_MUST_CHECK enum sotto_status
sotto_regress_shares(const struct sotto_rows *rows, const struct sotto_columns *columns,
		     bool constant, struct sotto_regression_solution *out);

static inline const double *sotto_rows_pull(const struct sotto_rows *rows)
{
	return rows->pull ? rows->pull : rows->weight;
}

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

/* For each row the columns that have it.  Fails: SOTTO_ENOMEM; the caller releases. */
SOTTO_MUST_CHECK enum sotto_status
sotto_columns_transpose(const struct sotto_columns *c, size_t rows, struct sotto_columns *out);

/*
 * The variances of a fit whose X'WX has this inverse (columns->count, and one
 * more for a constant).  x is the fit.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_regress_variance(const struct sotto_rows *rows, const struct sotto_columns *columns,
		       bool constant, const double *inverse,
		       struct sotto_regression_solution *out);

/* Lower triangle of X' diag(weight) X, n = columns->count + constant; the constant is last. */
SOTTO_MUST_CHECK enum sotto_status sotto_gram(const struct sotto_columns *c, size_t rows,
					      const double *weight, bool constant, double *a);

/* out = X x and out = X' y. */
void sotto_columns_apply(const struct sotto_columns *c, size_t rows, const double *x,
			 double *out);
void sotto_columns_apply_transposed(const struct sotto_columns *c, const double *y,
				    double *out);

/* A copy of the columns that keep[] marks; the caller releases it. */
SOTTO_MUST_CHECK enum sotto_status sotto_columns_select(const struct sotto_columns *from,
							const bool *keep,
							struct sotto_columns *out);
void sotto_columns_release(struct sotto_columns *c);

#endif
