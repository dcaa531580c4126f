/*
 * exact_sum.h - adds doubles exactly, in any order
 *
 * It keeps one wide integer for each binary exponent: adding needs no shift, and the total is
 * formed once, as a rational.
 */
#ifndef SOTTO_EXACT_SUM_H
#define SOTTO_EXACT_SUM_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { EXACTSUM_BINS = 2048 };

struct sotto_exactsum {
	__int128 bins[EXACTSUM_BINS]; /* bin e holds multiples of 2^(e - 1075) */
};

/* Adds x, finite and >= 0; at most 2^74 - 1 times. */
static inline void sotto_exactsum_add(struct sotto_exactsum *s, double x)
{
	uint64_t bits, exponent, mantissa;

	memcpy(&bits, &x, sizeof bits);
	exponent = bits >> 52;
	mantissa = bits & ((UINT64_C(1) << 52) - 1);
	if (exponent)
		mantissa |= UINT64_C(1) << 52;
	else
		exponent = 1;
	s->bins[exponent] += mantissa;
}

/* Adds the exact squares of n numbers, each 0 or within 2^+-480. */
void sotto_exactsum_add_squares(struct sotto_exactsum *s, const double *x, size_t n);

void sotto_exactsum_total(const struct sotto_exactsum *s, mpq_t total);

#endif
