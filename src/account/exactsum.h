/*
 * exactsum.h - the exact sum of doubles, in any order
 *
 * One wide integer per binary exponent: adding is a shift-free addition, and the
 * total is formed once, as a rational.
 */
#ifndef SOTTO_ACCOUNT_EXACTSUM_H
#define SOTTO_ACCOUNT_EXACTSUM_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { EXACTSUM_BINS = 2048 };

struct sotto_exactsum {
	__int128 bins[EXACTSUM_BINS]; /* bin e holds multiples of 2^(e - 1075) */
};

/* x finite and >= 0; fewer than 2^74 additions. */
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

/* The exact square of x, x within 2^+-480, as a sum of doubles. */
static inline void sotto_exactsum_add_square(struct sotto_exactsum *s, double x)
{
	uint64_t bits, exponent, mantissa;
	unsigned __int128 square;

	memcpy(&bits, &x, sizeof bits);
	exponent = bits >> 52;
	mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
	square = (unsigned __int128)mantissa * mantissa;
	/* m^2 2^(2 exponent - 2150): the low and the high 53 bits to their bins */
	s->bins[2 * exponent - 1075] += (__int128)(square & ((UINT64_C(1) << 53) - 1));
	s->bins[2 * exponent - 1075 + 53] += (__int128)(square >> 53);
}

void sotto_exactsum_total(const struct sotto_exactsum *s, mpq_t total);

#endif
