/*
 * bind.h - expressions over rows: names resolved, types checked, made total
 *
 * Binding turns an analyst's expression into a tree for the engine that cannot raise an
 * error on any row (casts that try, divisors that are never zero, arithmetic
 * that cannot overflow), with its type, its range, and the finite set of public
 * values it takes if it has one.
 */
#ifndef SOTTO_BIND_H
#define SOTTO_BIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "central/parse/parse_query.h"
#include "central/parse/syntax_tree.h"
#include "central/expression/binder.h"
#include "sotto/status.h"

SOTTO_MUST_CHECK enum sotto_status
sotto_bind(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out);

/* A number that is only computed with, or counted: it may be rough. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_rough(struct sotto_binder *b,
						    const struct sotto_sql_expr *e,
						    struct sotto_bound *out);

/* What is added up: a truth value is 0 or 1. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_summand(struct sotto_binder *b,
						      const struct sotto_sql_expr *e,
						      struct sotto_bound *out);

/* A condition: boolean, NULL counts as false for whoever filters by it. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_condition(struct sotto_binder *b,
							const struct sotto_sql_expr *e,
							struct sotto_bound *out);

/* ---- for the files of binding ------------------------------------------------- */

/* x as a value of the type, total.  Fails: SOTTO_EREFUSED if no such cast makes sense. */
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_as(struct sotto_binder *b, const struct sotto_sql_expr *e,
	      const struct sotto_bound *x, enum sotto_sql_type type,
	      const struct sotto_expression **out);

/*
 * A text of a table as a number, date or truth value.  One that is longer than any of them
 * is none: reading it would take as long as somebody likes to write, and behind a join
 * once for each row that the join makes.
 */
const struct sotto_expression *sotto_bind_read(struct sotto_arena *a,
					       const struct sotto_expression *text,
					       enum sotto_sql_type type);

/* column.field.field, table.column.field of a JSON text; *found false: there is no such column. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_field(struct sotto_binder *b,
						    const struct sotto_sql_expr *e,
						    struct sotto_bound *out, bool *found);

/* Any value as a text. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_text(struct sotto_binder *b,
						   const struct sotto_bound *x,
						   const struct sotto_expression **out);

/*
 * A date that is cast: NULL if it is outside of what a timestamp can be, where the engine
 * takes a hundred times as long.  Anything else stays as it is.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_near(struct sotto_binder *b,
						   const struct sotto_bound *x,
						   const struct sotto_expression **out);

/* A date or timestamp within years 1 to 9999, NULL outside: safe for every date function. */
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_temporal(struct sotto_binder *b, const struct sotto_sql_expr *e,
		    const struct sotto_bound *x, const struct sotto_expression **out);

/* An argument of a call, by its letter (row_function.h). */
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_argument(struct sotto_binder *b, const struct sotto_sql_expr *e, char letter,
		    struct sotto_bound *x, const struct sotto_expression **out);
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_literal_text(struct sotto_binder *b, const struct sotto_sql_expr *e,
			const struct sotto_bound *x, const struct sotto_expression **out);

/* A part of the time between two moments; *found false: e is not one, and *out is untouched. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_span(struct sotto_binder *b,
						   const struct sotto_sql_expr *e,
						   struct sotto_bound *out, bool *found);

/* A column that was meant, if it was written without the quotes that its name needs; or NULL. */
const char *sotto_scope_without_quotes(const struct sotto_scope *scope, const char *word);

/* x AT TIME ZONE zone, which is the call timezone(zone, x). */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_zone(struct sotto_binder *b,
						   const struct sotto_sql_expr *e,
						   struct sotto_bound *out);

/* A date moved by an interval, which is one side of e; or by a number of days. */
bool sotto_expr_is_interval(const struct sotto_sql_expr *e);

/* An interval that is written out. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_amount(struct sotto_binder *b,
						     const struct sotto_sql_expr *e,
						     const struct sotto_expression **out);

/* Of date_diff(part, from, to), where both have ranges in days. */
SOTTO_MUST_CHECK enum sotto_status
sotto_date_diff_range(struct sotto_arena *a, const char *part, struct sotto_value_range from,
		      struct sotto_value_range to, struct sotto_value_range *out);

/*
 * The range of a date written out, 'YYYY-MM-DD', in days after 1970-01-01 as all ranges of
 * dates and timestamps are; open if it is not one.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_date_range(struct sotto_arena *a, const char *text, struct sotto_value_range *out);

/* Does e read the day of each column and nothing finer: a truncated date, a year? */
bool sotto_expr_reads_days(const struct sotto_sql_expr *e);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_interval(struct sotto_binder *b,
						       const struct sotto_sql_expr *e,
						       struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_days(struct sotto_binder *b, const struct sotto_sql_expr *e,
		const struct sotto_bound *date, const struct sotto_bound *days,
		struct sotto_bound *out);

/* The type that two values are compared or merged in.  Fails: SOTTO_EREFUSED. */
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_common(struct sotto_binder *b, const struct sotto_sql_expr *e,
		  const struct sotto_bound *x, const struct sotto_bound *y,
		  enum sotto_sql_type *out);

SOTTO_MUST_CHECK enum sotto_status sotto_bind_operator(struct sotto_binder *b,
						       const struct sotto_sql_expr *e,
						       struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_in(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_subquery(struct sotto_binder *b,
						       const struct sotto_sql_expr *e,
						       struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_case(struct sotto_binder *b,
						   const struct sotto_sql_expr *e,
						   struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_merged(struct sotto_binder *b,
						     const struct sotto_sql_expr *e,
						     struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_window(struct sotto_binder *b,
						     const struct sotto_sql_expr *e,
						     struct sotto_bound *out);
/* x as ORDER BY names it. */
const struct sotto_expression *sotto_bind_order(struct sotto_arena *a,
						const struct sotto_sql_order *o,
						const struct sotto_expression *x);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_call(struct sotto_binder *b,
						   const struct sotto_sql_expr *e,
						   struct sotto_bound *out);

/*
 * x as a value in which equal ones are identical: -0.0 is 0.0 and there is one NaN, so
 * that what a group shows is not what one of its rows wrote.  NULL without memory.
 */
const struct sotto_expression *
sotto_bind_alike(struct sotto_arena *a, const struct sotto_bound *x);

/* One kind of expression each: bind_type.c and bind_arithmetic.c. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_literal(struct sotto_binder *b,
						      const struct sotto_sql_expr *e,
						      struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_cast(struct sotto_binder *b,
						   const struct sotto_sql_expr *e,
						   struct sotto_bound *out);
bool sotto_bind_is_arithmetic(enum sotto_sql_op op);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_arithmetic(struct sotto_binder *b,
							 const struct sotto_sql_expr *e,
							 struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_negate(struct sotto_binder *b,
						     const struct sotto_sql_expr *e,
						     struct sotto_bound *out);

#endif
