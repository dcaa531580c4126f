/*
 * checked.h - integer arithmetic that reports overflow
 *
 * Each function returns false, and leaves *out alone, if the result does not fit.
 */
#ifndef SOTTO_CHECKED_H
#define SOTTO_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool sotto_checked_mul_i64(int64_t a, int64_t b, int64_t *out)
{
	int64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*out = product;
	return true;
}

static inline bool sotto_checked_mul_size(size_t a, size_t b, size_t *out)
{
	size_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*out = product;
	return true;
}

/*
 * Returns a + b, clamped to the range of int64_t.  Only for noisy values: clamping an exact value
 * before noise would hide a wrong sum.  Takes the same time for every a and b.
 */
static inline int64_t sotto_saturating_add_i64(int64_t a, int64_t b)
{
	int64_t sum, beyond = -(int64_t)__builtin_add_overflow(a, b, &sum);
	int64_t end = (b >> 63) ^ INT64_MAX;

	return sum ^ ((sum ^ end) & beyond);
}

#endif
