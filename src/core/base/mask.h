/*
 * mask.h - selects between values without a branch
 *
 * For secrets: both values are read, and the time is the same whichever is selected.
 */
#ifndef SOTTO_MASK_H
#define SOTTO_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/wide.h"

/* Returns all ones if the condition holds, else zero; the compiler cannot see which. */
static inline uint64_t sotto_mask(bool condition)
{
	uint64_t mask = -(uint64_t)condition;

	__asm__("" : "+r"(mask));
	return mask;
}

/* Each returns a if the condition holds, else b. */
static inline uint64_t sotto_mask_u64(bool condition, uint64_t a, uint64_t b)
{
	return b ^ ((a ^ b) & sotto_mask(condition));
}

static inline int64_t sotto_mask_i64(bool condition, int64_t a, int64_t b)
{
	return (int64_t)sotto_mask_u64(condition, (uint64_t)a, (uint64_t)b);
}

static inline size_t sotto_mask_size(bool condition, size_t a, size_t b)
{
	return b ^ ((a ^ b) & (size_t)sotto_mask(condition));
}

static inline sotto_u128 sotto_mask_u128(bool condition, sotto_u128 a, sotto_u128 b)
{
	uint64_t mask = sotto_mask(condition);

	return b ^ ((a ^ b) & ((sotto_u128)mask << 64 | mask));
}

static inline sotto_i128 sotto_mask_i128(bool condition, sotto_i128 a, sotto_i128 b)
{
	return (sotto_i128)sotto_mask_u128(condition, (sotto_u128)a, (sotto_u128)b);
}

/* Returns x, clamped to the range of int64_t. */
static inline int64_t sotto_mask_hold(sotto_i128 x)
{
	int64_t held = sotto_mask_i64(x > INT64_MAX, INT64_MAX, (int64_t)x);

	return sotto_mask_i64(x < INT64_MIN, INT64_MIN, held);
}

#endif
