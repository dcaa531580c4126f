/*
 * decimal.h - numbers that are whole multiples of a power of ten
 *
 * Such a number is a DOUBLE in the engine, the nearest one to its value: then equal values
 * are equal and smaller ones smaller, as in exact arithmetic.  The result of +, - and * is
 * only near its value (rough) until it is settled: rounded to the digits that it has.
 * decimal.md says when that is exact, and what happens otherwise.
 */
#ifndef SOTTO_DECIMAL_H
#define SOTTO_DECIMAL_H

#include "central/expression/binder.h"

/* More digits after the point are not followed: such a number is any DOUBLE. */
enum { SOTTO_SCALE_MAX = 15 };

/* The digits after the point that a number needs; false if it has too many, or no end. */
bool sotto_decimal_digits(const struct sotto_rational *r, unsigned *scale);

/* The scale of x; false if x is not a decimal.  Whole numbers have scale 0. */
bool sotto_decimal_scale(const struct sotto_bound *x, unsigned *scale);

/* Does the engine have it as a DECIMAL of more than 64 bits?  A DOUBLE of that takes long. */
bool sotto_decimal_is_wide(const struct sotto_bound *x);

/* out, which is settled, has x's scale; or the larger of both, if both are decimals. */
void sotto_decimal_take(struct sotto_bound *out, const struct sotto_bound *x);
void sotto_decimal_meet(struct sotto_bound *out, const struct sotto_bound *x,
			const struct sotto_bound *y);

/* The scale of an operator's result, which is then rough. */
void sotto_decimal_arithmetic(enum sotto_sql_op op, const struct sotto_bound *x,
			      const struct sotto_bound *y, struct sotto_bound *out);

/*
 * The operator on two numbers written out, exactly; *done says whether it was computed.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_decimal_fold(struct sotto_binder *b, enum sotto_sql_op op, const struct sotto_bound *x,
		   const struct sotto_bound *y, struct sotto_bound *out, bool *done);

/* Rounds what is rough. */
SOTTO_MUST_CHECK enum sotto_status
sotto_decimal_settle(struct sotto_binder *b, struct sotto_bound *x);

/* value times 10^scale, a whole number; value is a DOUBLE.  NULL without memory. */
const struct sotto_expression *sotto_decimal_scaled(struct sotto_arena *a,
						    const struct sotto_expression *value,
						    unsigned scale);

/* 10^scale as a DOUBLE.  NULL without memory. */
const struct sotto_expression *sotto_decimal_power(struct sotto_arena *a, unsigned scale);

/*
 * ROUND or TRUNC to the given number of digits, which are fewer than x has; cut says which.
 * NULL without memory.
 */
const struct sotto_expression *sotto_decimal_round(struct sotto_arena *a,
						   const struct sotto_expression *x,
						   unsigned scale, unsigned digits, bool cut);

/* The remainder of two DOUBLEs of one scale.  NULL without memory. */
const struct sotto_expression *
sotto_decimal_modulo(struct sotto_arena *a, const struct sotto_expression *x,
		     const struct sotto_expression *y, unsigned scale);

/*
 * Both as they lie in the table, or written out, if the engine can compare them as
 * DECIMALs without a cast that a value could break; false if not.
 */
bool sotto_decimal_native(struct sotto_arena *a, const struct sotto_bound *x,
			  const struct sotto_bound *y, const struct sotto_expression *out[2]);

#endif
