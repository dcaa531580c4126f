/*
 * summand.h - the values of rows that aggregates count and add up
 */
#ifndef SOTTO_SUMMAND_H
#define SOTTO_SUMMAND_H

#include "central/aggregate/measure/measure_add.h"
#include "central/plan/plan.h"

/* A value of one row on a grid: what sums and quantiles of one expression share. */
struct sotto_summand {
	struct sotto_bound x;
	struct sotto_rational *step;
	int64_t lo, hi; /* in steps */
	size_t column;
	bool distinct; /* each value once */
	bool moments; /* set by whoever takes dates and timestamps too */
	enum sotto_sql_type shown; /* the type that the value had */
};

/*
 * Binds an argument of the aggregate `call`, whose FILTER applies.  Fails:
 * SOTTO_EREFUSED if it is not a number, has no bounds or too many steps.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_summand_bind(struct sotto_plan *plan, struct sotto_binder *b,
		   const struct sotto_sql_expr *call, const struct sotto_sql_expr *arg,
		   struct sotto_summand *s);

/*
 * Binds the same argument, with its bounds under the FILTER: those declared, or those of a public
 * column's values.  Fails: SOTTO_EREFUSED if it has none, and is not a truth value.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_summand_within(struct sotto_binder *b, const struct sotto_sql_expr *call,
		     const struct sotto_sql_expr *arg, struct sotto_bound *out);

/* SOTTO_EREFUSED, with what to write instead for a value that has no bounds. */
SOTTO_MUST_CHECK enum sotto_status
sotto_summand_refuse_open(struct sotto_binder *b, const struct sotto_sql_expr *call,
			  const struct sotto_sql_expr *arg, const struct sotto_bound *x);

/* "an expression of a, b": what people are told of a value that is not a column; NULL: no memory. */
const char *sotto_summand_columns(struct sotto_arena *a, const struct sotto_bound *x);

/* A value that is NULL exactly where the row does not count. */
SOTTO_MUST_CHECK enum sotto_status
sotto_presence_bind(struct sotto_binder *b, const struct sotto_sql_expr *call,
		    const struct sotto_expression *value, const struct sotto_expression **out);

/* The same for a call that has that argument alone: SUM(x), SUM(DISTINCT x). */
SOTTO_MUST_CHECK enum sotto_status
sotto_summand_bind_only(struct sotto_plan *plan, struct sotto_binder *b,
			const struct sotto_sql_expr *call, struct sotto_summand *s);

/* x, or NULL for NaN. */
SOTTO_MUST_CHECK enum sotto_status sotto_without_nan(struct sotto_binder *b,
						     const struct sotto_bound *x,
						     const struct sotto_expression **out);

/* ---- measures: each is shared with an equal one that is there already ----------------------- */

/* Rows, units or different values where `value` is not NULL (NULL: all), and FILTER holds. */
SOTTO_MUST_CHECK enum sotto_status
sotto_count_measure(struct sotto_plan *plan, struct sotto_binder *b,
		    const struct sotto_sql_expr *call, enum sotto_measure_kind kind,
		    const struct sotto_expression *value, const char *label, size_t *index);

/* Does every row have a value?  A NaN is none; a column that sealing found filled has no NaN. */
bool sotto_has_all_values(const struct sotto_bound *x);

/* Rows with a value of x. */
SOTTO_MUST_CHECK enum sotto_status
sotto_count_values(struct sotto_plan *plan, struct sotto_binder *b,
		   const struct sotto_sql_expr *call, const struct sotto_bound *x,
		   size_t *index);

/* How many values are added: rows with one, or different values. */
SOTTO_MUST_CHECK enum sotto_status
sotto_count_summands(struct sotto_plan *plan, struct sotto_binder *b,
		     const struct sotto_sql_expr *call, const struct sotto_summand *s,
		     size_t *index);

/* Sums of values, and of their squares, counted from the centre, which is in steps. */
SOTTO_MUST_CHECK enum sotto_status sotto_sum_measure(struct sotto_plan *plan,
						     const struct sotto_summand *s,
						     int64_t centre, size_t *index);
SOTTO_MUST_CHECK enum sotto_status sotto_square_measure(struct sotto_plan *plan,
							const struct sotto_summand *s,
							int64_t centre, size_t *index);

/* The centre of sums for an average, and what it is worth. */
int64_t sotto_summand_centre(const struct sotto_plan *plan, const struct sotto_summand *s);
SOTTO_MUST_CHECK enum sotto_status
sotto_centre_value(struct sotto_plan *plan, const struct sotto_summand *s, int64_t centre,
		   const struct sotto_rational **out);

#endif
