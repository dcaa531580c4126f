/*
 * function.h - the functions of one row
 *
 * A function is on the list after a review: total (an argument it would complain
 * about becomes NULL first), deterministic, and independent of row order.
 * tests/unit/plan/test_total.c throws every one of them at values that engines
 * dislike.
 */
#ifndef SOTTO_PLAN_FUNCTION_H
#define SOTTO_PLAN_FUNCTION_H

#include "sql/type.h"

/*
 * Arguments, one letter each: n number, t text, d date or timestamp; and written
 * out: i whole number, l short text, w part of a date, p regular expression, f
 * format of a date.  A capital letter may be left away.
 */
struct sotto_function {
	const char *name, *args;
	enum sotto_sql_type type;
	const char *template;
	double (*growing)(double); /* for the range; NULL: unknown */
};

/* NULL if it is not on the list. */
const struct sotto_function *sotto_function_find(const char *name);

/* Parts of a date: those that come round have a fixed set of values. */
struct sotto_date_part {
	const char *name;
	int lo, hi; /* hi 0: grows for ever */
};

/* NULL if there is no such part. */
const struct sotto_date_part *sotto_date_part(const char *name);

#endif
