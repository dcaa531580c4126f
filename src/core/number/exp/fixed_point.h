/*
 * fixed_point.h - fractions as 128-bit fixed-point integers, and their products
 */
#ifndef SOTTO_FIXED_POINT_H
#define SOTTO_FIXED_POINT_H

#include <gmp.h>
#include <stdint.h>

#include "core/base/wide.h"

/* Returns floor(2^bits x), which must fit; x >= 0. */
sotto_u128 sotto_fixed_down(const mpq_t x, unsigned bits);

/* Converts an integer of up to two words. */
sotto_u128 sotto_fixed_from_mpz(const mpz_t z);
void sotto_fixed_to_mpz(sotto_u128 x, mpz_t out);

/* Returns a b / 2^128, too small by less than 3: the lowest of the four products is left out. */
static inline sotto_u128 sotto_fixed_product(sotto_u128 a, sotto_u128 b)
{
	uint64_t a_high = (uint64_t)(a >> 64), b_high = (uint64_t)(b >> 64);
	sotto_u128 cross = ((sotto_u128)a_high * (uint64_t)b >> 64) +
			   ((sotto_u128)b_high * (uint64_t)a >> 64);

	return (sotto_u128)a_high * b_high + cross;
}

#endif
