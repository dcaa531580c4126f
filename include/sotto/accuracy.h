/*
 * sotto/accuracy.h - before a release: the sensitivity of a query and the error of its answer
 *
 * No function here reads data, and all results are free to show.
 */
#ifndef SOTTO_ACCURACY_H
#define SOTTO_ACCURACY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/rational.h"
#include "sotto/status.h"

/*
 * ---- How much one privacy unit can change the answer to a common query
 *
 * Computed from what is declared (bounds, a minimum number of records), never from the data.
 * Every number is exact.  Derivations: src/core/mechanism/sensitivity.md.
 */

enum sotto_query {
	SOTTO_QUERY_COUNT, /* records that satisfy a condition */
	SOTTO_QUERY_COUNTS, /* several counts over the same records, which may overlap */
	SOTTO_QUERY_HISTOGRAM, /* counts of cells that do not overlap */
	SOTTO_QUERY_SUM,
	SOTTO_QUERY_AVERAGE,
	SOTTO_QUERY_PERCENTAGE, /* of records that satisfy a condition, 0 .. 100 */
	SOTTO_QUERY_QUANTILE, /* maximum, minimum, median: the value of a record */
	SOTTO_QUERY_VARIANCE, /* divided by the number of records */
	SOTTO_QUERY_SAMPLE_VARIANCE, /* divided by one less */
};

struct sotto_sensitivity_options {
	enum sotto_query query;
	/* true: neighbours differ by replacing one unit; false: by adding or removing one */
	bool replace;
	/* bounds of a value, A <= B, for all queries but counts and percentages; else NULL */
	const struct sotto_rational *low;
	const struct sotto_rational *high;
	uint64_t minimum; /* both neighbours have at least this many records; 0: no minimum */
	/* the answer if there are no records; NULL for the lower bound, or 0 of variances and percentages */
	const struct sotto_rational *empty;
	uint64_t counts; /* of SOTTO_QUERY_COUNTS; else 0 or 1 */
	uint64_t contributions; /* records that one unit may have; 0 means 1 */
	const struct sotto_rational *factor; /* the answer is multiplied by it; NULL for 1 */
};

struct sotto_sensitivity {
	struct sotto_rational
		l1; /* sum of absolute changes; the change itself for one number */
	struct sotto_rational l2_squared; /* sum of squared changes */
	const char *formula; /* static text, in A, B, m, k, e and c, the contributions */
	const char *reason; /* static text: the worst pair of neighbours */
};

/* Pair each _init with one _release. */
SOTTO_API void sotto_sensitivity_init(struct sotto_sensitivity *s);
SOTTO_API void sotto_sensitivity_release(struct sotto_sensitivity *s);

/*
 * The sensitivity of counts and sums grows in proportion to the records of a unit; that of
 * the other queries never exceeds the range of the values.
 *
 * Fails:    SOTTO_EINVAL, err says what is missing or not allowed; *s is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_sensitivity_set(struct sotto_sensitivity *s,
		      const struct sotto_sensitivity_options *options, struct sotto_error *err);

/*
 * Bounds on the grid of this step: records are clipped and rounded before they are added,
 * so that a sum has exactly this sensitivity, in whole steps: max(|A|, |B|) of the rounded
 * bounds, or B - A if replace.
 *
 * Fails:    SOTTO_EINVAL unless step > 0 and low <= high; SOTTO_EOVERFLOW past int64_t.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_sensitivity_sum_steps(const struct sotto_rational *low, const struct sotto_rational *high,
			    const struct sotto_rational *step, bool replace, int64_t *steps);

/*
 * ---- How large the error will be, before anything is spent
 *
 * The error for an epsilon and the epsilon for an error, for vectors of n values.  The
 * formulas are those of continuous noise, which noise on a fine grid approaches.  On a
 * coarse grid an answer can be further off: noise comes in whole steps, and rounding adds
 * up to half a step.  For a mechanism on its own grid, sotto_laplace_error_up and
 * sotto_gaussian_error_up give exact bounds on the noise; if the value was rounded to the
 * grid, add half a step.  All this depends on the noise, not on data: it is free to show.
 */

struct sotto_accuracy {
	double scale; /* b of Laplace, sigma of Gauss */
	double deviation; /* standard deviation of one value's noise */
	double mean_error; /* its mean absolute value */
	double error; /* with probability at least 1 - beta no value is off by more */
};

/*
 * Laplace noise for n values that one unit changes by at most l1 in total: scale = l1/epsilon,
 * error = scale ln(n/beta).
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, l1 > 0, n >= 1 and 0 < beta < 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_accuracy_laplace(const struct sotto_rational *epsilon, const struct sotto_rational *l1,
		       size_t n, double beta, struct sotto_accuracy *out);

/*
 * The smallest epsilon, rounded up to a multiple of 2^-32, at which the error is at most
 * `error`: l1 ln(n/beta) / error.
 *
 * Fails:    as above, and SOTTO_EINVAL unless error > 0.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_accuracy_laplace_epsilon_up(const struct sotto_rational *error,
				  const struct sotto_rational *l1, size_t n, double beta,
				  struct sotto_rational *epsilon);

/* P[|noise| > error] of one value: exp(-error/scale). */
SOTTO_API double sotto_accuracy_laplace_tail(double scale, double error);

/* The same of Gaussian noise: erfc(error / (sigma sqrt 2)). */
SOTTO_API double sotto_accuracy_gaussian_tail(double sigma, double error);

struct sotto_accuracy_choice {
	struct sotto_accuracy laplace;
	struct sotto_accuracy gaussian;
	bool gaussian_wins; /* the error of Gaussian noise is smaller */
};

/*
 * Which noise is better for n values with these L1 and L2 sensitivities at (epsilon,
 * delta): Laplace by itself, with pure epsilon, or the Gaussian that
 * sotto_gaussian_calibrate_up gives on a fine grid.
 *
 * Fails:    SOTTO_EINVAL, also unless 0 < delta < 1 and l2 > 0; SOTTO_ERANGE as
 *           sotto_gaussian_calibrate_up.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_accuracy_choose(const struct sotto_rational *epsilon, const struct sotto_rational *delta,
		      const struct sotto_rational *l1, const struct sotto_rational *l2,
		      size_t n, double beta, struct sotto_accuracy_choice *out);

#endif
