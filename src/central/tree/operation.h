/*
 * operation.h - the operations that expressions are made of
 *
 * One row for each: how the engine is asked for it (emit/ reads the template), and so how
 * often each argument is computed.  Operations of analysts' functions are rows of
 * row_function.c.  A row is here after a review: it is total, whatever its arguments are.
 *
 * In a template $1 ... $9 stand for arguments, $, for all of them with commas, $| with OR
 * and $_ with spaces between them, $T for the type of a cast, $q for the query of a
 * subquery; and of a leaf $c for the column, $s for the text in quotes, $w for the digits.
 */
#ifndef SOTTO_OPERATION_H
#define SOTTO_OPERATION_H

#include <stddef.h>

enum sotto_operation_form {
	SOTTO_OPERATION_CALL, /* arguments only */
	SOTTO_OPERATION_CAST, /* and a type */
	SOTTO_OPERATION_QUERY, /* and a query */
	SOTTO_OPERATION_COLUMN,
	SOTTO_OPERATION_LITERAL,
};

struct sotto_operation {
	const char *template;
	enum sotto_operation_form form;
};

enum sotto_operation_name {
	SOTTO_OP_NONE,
	/* leaves */
	SOTTO_OP_COLUMN,
	SOTTO_OP_TEXT,
	SOTTO_OP_WHOLE,
	SOTTO_OP_WHOLE_DOUBLE,
	SOTTO_OP_DOUBLE,
	SOTTO_OP_DECIMAL,
	SOTTO_OP_NULL,
	SOTTO_OP_TRUE,
	SOTTO_OP_FALSE,
	SOTTO_OP_STAR,
	SOTTO_OP_STAR_OF, /* of one alias */
	/* lists */
	SOTTO_OP_LIST,
	SOTTO_OP_ANY,
	SOTTO_OP_BRANCHES,
	/* casts */
	SOTTO_OP_CAST,
	SOTTO_OP_TRY_CAST,
	SOTTO_OP_READ,
	SOTTO_OP_READ_MOMENT,
	SOTTO_OP_NEAR_DATE,
	SOTTO_OP_DATE_INSIDE,
	SOTTO_OP_TIMESTAMP_INSIDE,
	SOTTO_OP_ALIKE,
	SOTTO_OP_PLAIN,
	SOTTO_OP_PLUS_ZERO,
	SOTTO_OP_WITHOUT_NAN,
	SOTTO_OP_CAST_WITHOUT_NAN,
	SOTTO_OP_SHOWN_WHOLE,
	/* arithmetic */
	SOTTO_OP_ADD,
	SOTTO_OP_SUBTRACT,
	SOTTO_OP_MULTIPLY,
	SOTTO_OP_DIVIDE,
	SOTTO_OP_MODULO,
	SOTTO_OP_NEGATE,
	SOTTO_OP_TRUNC,
	SOTTO_OP_ROUND,
	SOTTO_OP_SCALED,
	SOTTO_OP_SETTLED,
	SOTTO_OP_ROUND_DIGITS,
	SOTTO_OP_CUT_DIGITS,
	SOTTO_OP_DIVIDED_BY, /* which is never zero */
	SOTTO_OP_CLIP,
	SOTTO_OP_HELD, /* as CLIP, of dates and whole numbers */
	SOTTO_OP_DAY, /* so many days after 1970-01-01 */
	SOTTO_OP_STEPS,
	SOTTO_OP_DECIMAL_NUMBER, /* a column that the engine has as a DECIMAL */
	SOTTO_OP_UNIT_STEPS,
	SOTTO_OP_CLIP_STEPS,
	SOTTO_OP_STEPS_SUM,
	SOTTO_OP_STEPS_AVERAGE,
	SOTTO_OP_PLUS,
	SOTTO_OP_TIMES,
	SOTTO_OP_GREATEST_ONE,
	SOTTO_OP_CHECKED,
	SOTTO_OP_CHECKED_OR_NONE, /* 0 for NULL */
	SOTTO_OP_WORK,
	/* texts */
	SOTTO_OP_WHOLE_ADD,
	SOTTO_OP_WHOLE_SUBTRACT,
	SOTTO_OP_WHOLE_MULTIPLY,
	SOTTO_OP_WHOLE_DIVIDE,
	SOTTO_OP_WHOLE_MODULO,
	SOTTO_OP_WHOLE_NEGATE,
	SOTTO_OP_WHOLE_ABSOLUTE,
	SOTTO_OP_WHOLE_ROUND, /* to the nearest multiple of a power of ten */
	SOTTO_OP_CONCAT,
	SOTTO_OP_CONCAT_CALL,
	SOTTO_OP_CONCAT_WS_CALL,
	SOTTO_OP_LEFT_MADE,
	SOTTO_OP_NO_KEY_IF_LONG,
	SOTTO_OP_CUT,
	SOTTO_OP_CUT_HERE, /* where the engine has functions of our own */
	SOTTO_OP_TEXT_SIZE, /* of what is written out as JSON, in bytes, at most; 0 for NULL */
	SOTTO_OP_LOWER,
	/* dates */
	SOTTO_OP_TO_MONTHS,
	SOTTO_OP_TO_DAYS,
	SOTTO_OP_TO_HOURS,
	SOTTO_OP_TO_MINUTES,
	SOTTO_OP_TO_SECONDS,
	SOTTO_OP_LATER,
	SOTTO_OP_EARLIER,
	SOTTO_OP_DAYS_LATER,
	SOTTO_OP_DAYS_EARLIER,
	SOTTO_OP_DAYS_BETWEEN,
	SOTTO_OP_DAYS_SINCE, /* 1970-01-01 */
	SOTTO_OP_SECONDS_SINCE,
	SOTTO_OP_SECONDS_BETWEEN,
	SOTTO_OP_WHOLE_DAYS, /* of seconds */
	/* truth */
	SOTTO_OP_EQ,
	SOTTO_OP_NE,
	SOTTO_OP_LT,
	SOTTO_OP_LE,
	SOTTO_OP_GT,
	SOTTO_OP_GE,
	SOTTO_OP_DISTINCT_FROM,
	SOTTO_OP_AND,
	SOTTO_OP_OR,
	SOTTO_OP_NOT,
	SOTTO_OP_IS_NULL,
	SOTTO_OP_IS_TRUE,
	SOTTO_OP_IS_FALSE,
	SOTTO_OP_SAME, /* = without parentheses around it */
	SOTTO_OP_BOTH, /* AND without */
	SOTTO_OP_PRESENT, /* IS NOT NULL without */
	SOTTO_OP_AT_MOST, /* <= without */
	SOTTO_OP_PREFIX,
	SOTTO_OP_SUFFIX,
	SOTTO_OP_CONTAINS,
	SOTTO_OP_ENDS,
	SOTTO_OP_FULL_MATCH,
	/* one of several */
	SOTTO_OP_COALESCE,
	SOTTO_OP_GREATEST,
	SOTTO_OP_LEAST,
	SOTTO_OP_NULLIF,
	SOTTO_OP_WHEN,
	SOTTO_OP_CASE,
	SOTTO_OP_ONLY_WHEN,
	SOTTO_OP_STRETCHED,
	SOTTO_OP_STRETCHED_BY, /* an end, of one interval of several that hold together */
	/* subqueries */
	SOTTO_OP_SCALAR,
	SOTTO_OP_EXISTS,
	SOTTO_OP_IN,
	SOTTO_OP_PRESENT_EXISTS,
	/* aggregates and windows */
	SOTTO_OP_COUNT,
	SOTTO_OP_COUNT_DISTINCT,
	SOTTO_OP_SUM,
	SOTTO_OP_AVG,
	SOTTO_OP_SUM_NEAR,
	SOTTO_OP_AVG_NEAR,
	SOTTO_OP_SUM_WHOLE,
	SOTTO_OP_SUM_OF_DIGITS,
	SOTTO_OP_AVG_OF_DIGITS,
	SOTTO_OP_VAR_POP,
	SOTTO_OP_VAR_SAMP,
	SOTTO_OP_STDDEV_POP,
	SOTTO_OP_STDDEV_SAMP,
	SOTTO_OP_MEDIAN,
	SOTTO_OP_MIN,
	SOTTO_OP_MAX,
	SOTTO_OP_MODE,
	SOTTO_OP_BOOL_AND,
	SOTTO_OP_BOOL_OR,
	SOTTO_OP_QUANTILE_CONT,
	SOTTO_OP_QUANTILE_DISC,
	SOTTO_OP_QUANTILE_DISC_ABOVE,
	SOTTO_OP_FILTER,
	SOTTO_OP_ROW_NUMBER,
	SOTTO_OP_RANK,
	SOTTO_OP_DENSE_RANK,
	SOTTO_OP_PERCENT_RANK,
	SOTTO_OP_CUME_DIST,
	SOTTO_OP_NTILE,
	SOTTO_OP_LEAST_WHOLE,
	SOTTO_OP_GREATEST_WHOLE,
	SOTTO_OP_LAG,
	SOTTO_OP_LEAD,
	SOTTO_OP_LAG_BY,
	SOTTO_OP_LEAD_BY,
	SOTTO_OP_LAG_OR,
	SOTTO_OP_LEAD_OR,
	SOTTO_OP_LAST_VALUE,
	SOTTO_OP_FIRST_VALUE,
	SOTTO_OP_OVER_ALL,
	SOTTO_OP_OVER_PARTS,
	SOTTO_OP_OVER_ORDERS,
	SOTTO_OP_OVER_BOTH,
	SOTTO_OP_OVER_ORDERS_ROWS,
	SOTTO_OP_OVER_BOTH_ROWS,
	SOTTO_OP_ROWS_BEFORE,
	SOTTO_OP_ROWS_AFTER,
	SOTTO_OP_ROWS_ALL_BEFORE,
	SOTTO_OP_ROWS_ALL_AFTER,
	SOTTO_OP_ASC_LAST,
	SOTTO_OP_ASC_FIRST,
	SOTTO_OP_DESC_LAST,
	SOTTO_OP_DESC_FIRST,
	SOTTO_OP_HASH,
	SOTTO_OP_SPLIT,
	SOTTO_OP_COUNT_OF_ROWS,
	SOTTO_OP_MOST_FREQUENT,
	SOTTO_OPERATION_COUNT
};

const struct sotto_operation *sotto_operation(enum sotto_operation_name name);

/*
 * How often the engine computes argument i, from 0, where it computes the operation once.
 * It writes the first argument of NULLIF twice.
 */
double sotto_operation_times(const struct sotto_operation *o, size_t i);

#endif
