/*
 * row_function.h - the functions of one row
 *
 * A function is on the list after a review: total (an argument it would complain
 * about becomes NULL first), deterministic, and independent of row order.
 * tests/unit/central/expression/test_total.c throws every one of them at values that engines
 * dislike.
 */
#ifndef SOTTO_ROW_FUNCTION_H
#define SOTTO_ROW_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "central/parse/value/sql_type.h"
#include "central/tree/operation.h"

/*
 * One function is one row of the table (docs/adding-an-engine-function.md).
 *
 * Arguments, one letter each: n number, b whole number with all its bits, t text, d date or
 * timestamp; and written out: i whole number, l short text, r short text without a
 * backslash, s short text with groups of the pattern like \1, w part of a date, p regular expression, f format of a date, j path in a JSON
 * text, z time zone, v interval above 0, o date, x format in which a text is read as a date.  A capital
 * letter may be left out.
 */
enum sotto_length {
	SOTTO_LENGTH_NONE, /* it gives no text */
	SOTTO_LENGTH_SAME, /* at most as long as the first argument */
	SOTTO_LENGTH_FIRST, /* the same, and at most so many as the second argument says */
	SOTTO_LENGTH_PART, /* the same, and at most so many as the third argument says */
	SOTTO_LENGTH_PADDED, /* as long as the second argument says, up to SOTTO_TEXT_MADE */
	SOTTO_LENGTH_REPLACED, /* any part of the first argument may be the third one instead,
				  up to SOTTO_TEXT_MADE */
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
	bool folds_case; /* its pattern matches letters in either case */
	bool everywhere; /* it looks for all matches of its pattern, not for one */
	bool captures; /* it asks what the groups of its pattern have matched */
};

/*
 * What is known of a result besides its type: its range, its public values, and how digits of
 * decimals and whole numbers are kept (bind_call.c, call_range.c).
 */
enum sotto_function_known {
	SOTTO_KNOWN_NOTHING,
	SOTTO_KNOWN_WHOLE, /* a whole number next to the argument */
	SOTTO_KNOWN_ROUND, /* to so many digits as the second argument says */
	SOTTO_KNOWN_TRUNCATE, /* the same, toward 0 */
	SOTTO_KNOWN_ABSOLUTE,
	SOTTO_KNOWN_WITHIN_ONE, /* from -1 to 1 */
	SOTTO_KNOWN_POWER,
	SOTTO_KNOWN_QUOTIENT, /* the whole part of it */
	SOTTO_KNOWN_BUCKET,
	SOTTO_KNOWN_MAGNITUDE,
	SOTTO_KNOWN_DATE_START, /* of the part, or bucket, of time that the second argument lies in */
	SOTTO_KNOWN_DATE_PART,
	SOTTO_KNOWN_DATE_DIFFERENCE,
	SOTTO_KNOWN_MONTH_NAME,
	SOTTO_KNOWN_DAY_NAME,
	SOTTO_KNOWN_LENGTH, /* of the text, or a place in it */
	SOTTO_KNOWN_BYTES,
};

/* Where a function of a noisy value can have its extremes; the ends of an interval are enough
 * for one that only grows or only falls (noise_region.c). */
enum sotto_function_shape {
	SOTTO_SHAPE_MONOTONE,
	SOTTO_SHAPE_ROOT, /* the same, and there are no values below 0 */
	SOTTO_SHAPE_TURNS, /* at 0 */
	SOTTO_SHAPE_WAVES, /* anywhere */
	SOTTO_SHAPE_DIVIDES, /* where the second argument is 0 */
};

/* Does a function of a date, as it stands in a column, read the day alone and not the time? */
enum sotto_function_day {
	SOTTO_DAY_UNKNOWN,
	SOTTO_DAY_ALONE,
	SOTTO_DAY_BY_PART, /* as its first argument, a part of a date, says */
	SOTTO_DAY_BY_FORMAT, /* as its second argument, a format, says */
};

struct sotto_function {
	const char *name, *args;
	enum sotto_sql_type type;
	struct sotto_operation operation;
	enum sotto_function_known known;
	enum sotto_function_day day;
	bool has_gaps; /* it may be NULL although no argument is */
	double (*growing)(double); /* for the range; NULL: unknown */
	struct sotto_function_load load; /* zero: neither takes nor gives a text, nor is slow */
	struct {
		double (*one)(double);
		double (*two)(double, double); /* the second is 0 where it is left out */
		enum sotto_function_shape shape;
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
