/*
 * evaluate.h - evaluates expressions over keys and noisy values
 *
 * This is post-processing and costs nothing.  Text is compared by its bytes; a division by zero,
 * or a type that does not fit, gives NULL.
 */
#ifndef SOTTO_EVALUATE_H
#define SOTTO_EVALUATE_H

#include "central/parse/syntax_tree.h"
#include "core/base/arena.h"
#include "sotto/query.h"

struct sotto_evaluation {
	const struct sotto_value *keys; /* of the row: keys, then values derived from them */
	const struct sotto_value *aggregates;
	struct sotto_arena *arena; /* for new texts */
};

struct sotto_value
sotto_evaluate(const struct sotto_evaluation *v, const struct sotto_sql_expr *e);

struct sotto_value sotto_value_of_number(double x);

/* ---- evaluate_text.c --------------------------------------------------------------- */

/*
 * Returns days, or seconds, since 1970 as a date or a timestamp.  NULL outside the years 1 to
 * 9999.
 */
struct sotto_value
sotto_value_of_moment(struct sotto_arena *a, double x, enum sotto_sql_type type);

/* The day of a date or a timestamp that is a text. */
struct sotto_value sotto_value_of_day(struct sotto_arena *a, const struct sotto_value *x);

/* The values as texts, one after another; those that are NULL are left out. */
struct sotto_value
sotto_value_joined(struct sotto_arena *a, const struct sotto_value *values, size_t count);

/*
 * Returns -1, 0 or 1.  NULL is larger than everything; truth values come before numbers, numbers
 * before text; NaN is above all numbers.  Different values are never equal, so that sorted rows
 * do not keep the engine's order.
 */
int sotto_value_compare(const struct sotto_value *x, const struct sotto_value *y);

#endif
