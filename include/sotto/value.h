/*
 * sotto/value.h - values before and after noise are different types
 *
 * A struct sotto_exact was computed from private data and may not be shown; a
 * struct sotto_noisy came out of a mechanism and may.  Only a mechanism turns
 * one into the other, so printing an un-noised answer does not compile.
 */
#ifndef SOTTO_VALUE_H
#define SOTTO_VALUE_H

#include <stdint.h>

/* An integer on the mechanism's grid, from private data.  Read only by mechanisms. */
struct sotto_exact {
	int64_t secret;
};

/* An integer on the same grid, free to show. */
struct sotto_noisy {
	int64_t value;
};

static inline struct sotto_exact sotto_exact_of(int64_t secret)
{
	struct sotto_exact x = {secret};

	return x;
}

#endif
