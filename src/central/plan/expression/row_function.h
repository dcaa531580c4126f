/*
 * row_function.h - the functions of one row
 *
 * A function is on the list after a review: total (an argument it would complain
 * about becomes NULL first), deterministic, and independent of row order.
 * tests/unit/central/plan/test_total.c throws every one of them at values that engines
 * dislike.
 */
#ifndef SOTTO_ROW_FUNCTION_H
#define SOTTO_ROW_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "central/parse/value/sql_type.h"
#include "central/plan/tree/operation.h"

/*
 * One function is one row of the table (docs/adding-an-engine-function.md).
 *
 * Arguments, one letter each: n number, b whole number with all its bits, t text, d date or
 * timestamp; and written out: i whole number, l short text, r short text without a
 * backslash, w part of a date, p regular expression, f format of a date, j path in a JSON
 * text, z time zone, v interval above 0, o date, x format in which a text is read as a date.  A capital
 * letter may be left out.
 */
enum sotto_length {
	SOTTO_LENGTH_NONE, /* it gives no text */
	SOTTO_LENGTH_SAME, /* at most as long as the first argument */
	SOTTO_LENGTH_FIRST, /* nor longer than the second argument, a number, says */
	SOTTO_LENGTH_PART, /* nor than the third says */
	SOTTO_LENGTH_PADDED, /* as long as the second argument says, up to SOTTO_TEXT_MADE */
	SOTTO_LENGTH_MADE, /* cut at SOTTO_TEXT_MADE */
	SOTTO_LENGTH_FORMAT, /* of a date */
	SOTTO_LENGTH_SHORT,
};

/* What a function costs at most (row_work.c), and how long a text it gives. */
struct sotto_function_load {
	unsigned each; /* nanoseconds for each character of the first argument, or of the
			  result if that is longer; two texts cost more */
	enum sotto_length length;
	unsigned fixed; /* nanoseconds besides; 0: the usual */
};

struct sotto_function {
	const char *name, *args;
	enum sotto_sql_type type;
	struct sotto_operation operation;
	bool has_gaps; /* it may be NULL although no argument is */
	double (*growing)(double); /* for the range; NULL: unknown */
	struct sotto_function_load load; /* zero: neither takes nor gives a text, nor is slow */
	struct {
		double (*one)(double);
		double (*two)(double, double); /* the second is 0 where it is left out */
	} answer; /* over aggregates, which are noisy already; NULL: not there */
};

/* NULL if it is not on the list. */
const struct sotto_function *sotto_function_find(const char *name);

/* The i-th of the list; NULL past the last. */
const struct sotto_function *sotto_function_at(size_t i);

/* Parts of a date: those that come round have a fixed set of values. */
struct sotto_date_part {
	const char *name;
	int lo, hi; /* hi 0: grows for ever */
};

/* NULL if there is no such part. */
const struct sotto_date_part *sotto_date_part(const char *name);

#endif
