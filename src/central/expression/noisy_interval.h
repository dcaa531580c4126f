/*
 * noisy_interval.h - intervals of what is computed from finished answers
 *
 * The engine has the ends of each noisy number beside it, as columns of the finished answer.
 * Arithmetic and aggregates combine the ends (src/central/session/answer/answer.md says what that covers).
 */
#ifndef SOTTO_NOISY_INTERVAL_H
#define SOTTO_NOISY_INTERVAL_H

#include "central/expression/binder.h"

/* x op y, of which args are the numbers; nothing if neither has ends. */
SOTTO_MUST_CHECK enum sotto_status
sotto_interval_arithmetic(struct sotto_binder *b, enum sotto_sql_op op,
			  const struct sotto_bound *x, const struct sotto_bound *y,
			  const struct sotto_expression *const *args, struct sotto_bound *out);

/* The wider ends between which it lies together with all of b->together. */
SOTTO_MUST_CHECK enum sotto_status
sotto_interval_stretch(struct sotto_binder *b, struct sotto_bound *x);

/* -x */
SOTTO_MUST_CHECK enum sotto_status sotto_interval_negate(struct sotto_binder *b,
							 const struct sotto_bound *x,
							 struct sotto_bound *out);

/* end where all numbers x have ends, else NULL; over may be NULL. */
const struct sotto_expression *
sotto_interval_known(struct sotto_arena *a, const struct sotto_bound *x,
		     const struct sotto_over *over, const struct sotto_expression *end);

/*
 * Must all intervals hold together?  MIN and MAX pick the number that noise moved the farthest, and so may
 * what picks the rows.
 */
bool sotto_interval_needs_all(const struct sotto_binder *b,
			      enum sotto_operation_name operation);

/* SUM, AVG, MIN or MAX, which grow with each of their values; over may be NULL. */
SOTTO_MUST_CHECK enum sotto_status
sotto_interval_aggregate(struct sotto_binder *b, enum sotto_operation_name operation,
			 const struct sotto_bound *x, const struct sotto_over *over,
			 struct sotto_bound *out);

/* A call that never falls as its first argument, x, grows, and whose others have no noise. */
SOTTO_MUST_CHECK enum sotto_status
sotto_interval_growing(struct sotto_binder *b, const struct sotto_operation *operation,
		       const struct sotto_expression *const *values, size_t count,
		       const struct sotto_bound *x, struct sotto_bound *out);

/* |x| */
SOTTO_MUST_CHECK enum sotto_status sotto_interval_abs(struct sotto_binder *b,
						      const struct sotto_bound *x,
						      struct sotto_bound *out);

/* Values that are put together, as COALESCE, GREATEST or CASE does. */
struct sotto_merged {
	const struct sotto_bound *parts;
	const struct sotto_expression *const *values; /* of the parts, in the common type */
	size_t count;
};

/* COALESCE, GREATEST, LEAST or NULLIF, of which out has the value. */
SOTTO_MUST_CHECK enum sotto_status
sotto_interval_merged(struct sotto_binder *b, enum sotto_operation_name operation,
		      const struct sotto_merged *m, struct sotto_bound *out);

/*
 * CASE, of which out has the value; the last part stands after ELSE if there is one condition less.
 * Where conditions are noisy another part may be the true one: the ends are those of all parts.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_interval_case(struct sotto_binder *b, const struct sotto_expression *const *conditions,
		    size_t count, bool noisy, const struct sotto_merged *m,
		    struct sotto_bound *out);

/* The end of the least interval that holds those of all rows, in their group or window. */
const struct sotto_expression *
sotto_interval_hull_end(struct sotto_arena *a, enum sotto_operation_name extreme,
			const struct sotto_expression *x, const struct sotto_over *over);

/*
 * A noisy column outside of aggregates, which has one value in all rows of a group: it gets that hull
 * (src/central/session/answer/answer.md).
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_interval_of_group(struct sotto_binder *b, struct sotto_bound *x);

#endif
