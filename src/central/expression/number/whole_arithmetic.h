/*
 * whole_arithmetic.h - arithmetic of whole numbers that is exact for all 64 bits
 */
#ifndef SOTTO_WHOLE_ARITHMETIC_H
#define SOTTO_WHOLE_ARITHMETIC_H

#include "central/expression/binder.h"
#include "central/expression/row_function.h"

/* Is x a whole number that the engine has as one, or as a DOUBLE that is small enough? */
bool sotto_whole_is(const struct sotto_bound *x);

/* x, for which that is so, or a NULL written out, with 64 bits. */
SOTTO_MUST_CHECK enum sotto_status sotto_whole_value(struct sotto_binder *b,
						     const struct sotto_bound *x,
						     const struct sotto_expression **out);

/*
 * Would doubles do for x and y, or x alone (y is NULL), and their result, by their ranges?
 * Up to 2^53 they are exact, and they take less time.
 */
bool sotto_whole_fits_doubles(const struct sotto_bound *x, const struct sotto_bound *y,
			      struct sotto_value_range result);

/*
 * x op y of two whole numbers: +, -, *, / cut towards zero, and %.  What does not fit 64 bits,
 * or is divided by 0, is NULL.  Sets type and value of out.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_whole_arithmetic(struct sotto_binder *b, enum sotto_sql_op op,
		       const struct sotto_bound *x, const struct sotto_bound *y,
		       struct sotto_bound *out);

/* -x of a whole number; NULL for the least one. */
SOTTO_MUST_CHECK enum sotto_status sotto_whole_negate(struct sotto_binder *b,
						      const struct sotto_bound *x,
						      struct sotto_bound *out);

/*
 * ABS, FLOOR, CEIL, ROUND and TRUNC of a whole number, with how many digits after the point are
 * kept (below 0: tens, hundreds).  *done is false if the function is left to doubles, which are
 * exact for its range, or is another one.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_whole_function(struct sotto_binder *b, enum sotto_function_known known,
		     const struct sotto_bound *x, long digits, struct sotto_bound *out,
		     bool *done);

#endif
