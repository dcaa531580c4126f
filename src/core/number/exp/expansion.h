/*
 * expansion.h - certified binary digits of exp(-x) and 1/(1 + exp(x))
 *
 * For a rational x > 0 both numbers lie in (0, 1) and are irrational, so their
 * binary expansions never end and rising precision always separates them from
 * any dyadic number.
 */
#ifndef SOTTO_EXPANSION_H
#define SOTTO_EXPANSION_H

#include <gmp.h>
#include <stdint.h>

enum sotto_expansion {
	SOTTO_EXPANSION_EXP, /* exp(-x) */
	SOTTO_EXPANSION_LOGISTIC, /* 1/(1 + exp(x)) */
};

/*
 * Computes floor(2^bits value(x)) exactly: a lower and an upper bound of the value are refined
 * until their floors agree.  Takes microseconds; for tables and slow paths.  x > 0.
 */
void sotto_expansion_floor(enum sotto_expansion kind, const mpq_t x, unsigned bits, mpz_t out);

/*
 * Computes floor(2^bits (num/den) exp(-x)) for x >= 0 and a nonzero factor; for x = 0 this is the
 * exact floor of a fraction.
 */
void sotto_expansion_scaled_floor(const mpq_t x, uint64_t num, uint64_t den, unsigned bits,
				  mpz_t out);

/* Returns binary digits offset to offset + 63 after the point, the first as the highest bit. */
uint64_t sotto_expansion_word(enum sotto_expansion kind, const mpq_t x, unsigned offset);

#endif
