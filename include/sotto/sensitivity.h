/*
 * sotto/sensitivity.h - how far one privacy unit moves the answer of a usual query
 *
 * From what is declared (bounds, a minimum number of records), never from the data.  Every
 * number is exact.  Derivations: src/mechanism/sensitivity.md.
 */
#ifndef SOTTO_SENSITIVITY_H
#define SOTTO_SENSITIVITY_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/error.h"
#include "sotto/rational.h"
#include "sotto/status.h"

enum sotto_query {
	SOTTO_QUERY_COUNT, /* records that satisfy something */
	SOTTO_QUERY_COUNTS, /* several counts over the same records, which may overlap */
	SOTTO_QUERY_HISTOGRAM, /* counts of cells that do not overlap */
	SOTTO_QUERY_SUM,
	SOTTO_QUERY_AVERAGE,
	SOTTO_QUERY_PERCENTAGE, /* of records that satisfy something, 0 .. 100 */
	SOTTO_QUERY_QUANTILE, /* maximum, minimum, median: the value of a record */
	SOTTO_QUERY_VARIANCE, /* divided by the number of records */
	SOTTO_QUERY_SAMPLE_VARIANCE, /* divided by one less */
};

struct sotto_sensitivity_options {
	enum sotto_query query;
	/* neighbours differ in one unit replaced by one with as many records; else one more */
	bool replace;
	/* bounds of a value, A <= B, for all queries but counts and percentages; else NULL */
	const struct sotto_rational *low;
	const struct sotto_rational *high;
	uint64_t minimum; /* records that there are for sure, in both neighbours; 0: none */
	/* what is answered when there is no record; NULL for the lower bound (or 0) */
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
 * Counts and sums move by as much again for each record of a unit; all others by no more
 * than the range of values lets them.
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
 * The default grid for real values whose sensitivity is `sensitivity`: the largest power of
 * two that is at most sensitivity 2^-20, which costs less than a millionth of epsilon.
 *
 * Fails:    SOTTO_EINVAL unless sensitivity > 0.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_sensitivity_default_step(const struct sotto_rational *sensitivity,
			       struct sotto_rational *step);

#endif
