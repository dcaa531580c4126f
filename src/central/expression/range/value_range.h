/*
 * value_range.h - what values an expression can take, from declared bounds
 *
 * Ranges choose where a sum is clipped and how fine its grid is.  Privacy does
 * not rest on them: whatever an expression yields is clipped to its range in
 * integers before it is added, so a range that is too narrow costs accuracy
 * and nothing else.
 */
#ifndef SOTTO_VALUE_RANGE_H
#define SOTTO_VALUE_RANGE_H

#include <stdbool.h>

#include "core/base/arena.h"
#include "sotto/rational.h"
#include "sotto/status.h"

/* An end that is NULL is open.  Ends are shared, never changed once made. */
struct sotto_value_range {
	const struct sotto_rational *lo, *hi;
};

bool sotto_range_is_closed(struct sotto_value_range r);

/* Each fails with SOTTO_ENOMEM only. */
typedef enum sotto_status (*sotto_range_fn)(struct sotto_arena *a, struct sotto_value_range x,
					    struct sotto_value_range y,
					    struct sotto_value_range *out);
SOTTO_MUST_CHECK enum sotto_status
sotto_range_add(struct sotto_arena *a, struct sotto_value_range x, struct sotto_value_range y,
		struct sotto_value_range *out);
SOTTO_MUST_CHECK enum sotto_status
sotto_range_subtract(struct sotto_arena *a, struct sotto_value_range x,
		     struct sotto_value_range y, struct sotto_value_range *out);
SOTTO_MUST_CHECK enum sotto_status
sotto_range_multiply(struct sotto_arena *a, struct sotto_value_range x,
		     struct sotto_value_range y, struct sotto_value_range *out);
SOTTO_MUST_CHECK enum sotto_status
sotto_range_divide(struct sotto_arena *a, struct sotto_value_range x,
		   struct sotto_value_range y, struct sotto_value_range *out);
SOTTO_MUST_CHECK enum sotto_status sotto_range_negate(struct sotto_arena *a,
						      struct sotto_value_range x,
						      struct sotto_value_range *out);
SOTTO_MUST_CHECK enum sotto_status sotto_range_absolute(struct sotto_arena *a,
							struct sotto_value_range x,
							struct sotto_value_range *out);

/* Both together; where both hold; the larger and the smaller of two values. */
struct sotto_value_range
sotto_range_hull(struct sotto_value_range x, struct sotto_value_range y);
struct sotto_value_range
sotto_range_greatest(struct sotto_value_range x, struct sotto_value_range y);
struct sotto_value_range
sotto_range_least(struct sotto_value_range x, struct sotto_value_range y);

/* Ends rounded to whole numbers outwards (what FLOOR, CEIL, ROUND, TRUNC can give). */
SOTTO_MUST_CHECK enum sotto_status sotto_range_whole(struct sotto_arena *a,
						     struct sotto_value_range x,
						     struct sotto_value_range *out);

/* The image of a growing function, computed in doubles and widened. */
SOTTO_MUST_CHECK enum sotto_status
sotto_range_growing(struct sotto_arena *a, struct sotto_value_range x, double (*f)(double),
		    struct sotto_value_range *out);

/* [lo, hi] of two whole numbers. */
SOTTO_MUST_CHECK enum sotto_status
sotto_range_of(struct sotto_arena *a, long lo, long hi, struct sotto_value_range *out);

#endif
