/*
 * Conversions between GMP integers and 128-bit words, limb by limb; fractions are rounded down.
 */
#include "core/number/exp/fixed_point.h"

#include <assert.h>

sotto_u128 sotto_fixed_from_mpz(const mpz_t z)
{
	sotto_u128 x = 0;

	_Static_assert(GMP_NUMB_BITS == 64, "a limb is a word");
	assert(mpz_sgn(z) >= 0 && mpz_size(z) <= 2);
	for (size_t i = mpz_size(z); i-- > 0;)
		x = x << 64 | mpz_getlimbn(z, (mp_size_t)i);
	return x;
}

void sotto_fixed_to_mpz(sotto_u128 x, mpz_t out)
{
	mpz_set_ui(out, (uint64_t)(x >> 64));
	mpz_mul_2exp(out, out, 64);
	mpz_add_ui(out, out, (uint64_t)x);
}

sotto_u128 sotto_fixed_down(const mpq_t x, unsigned bits)
{
	sotto_u128 result;
	mpz_t z;

	mpz_init(z);
	mpz_mul_2exp(z, mpq_numref(x), bits);
	mpz_fdiv_q(z, z, mpq_denref(x));
	result = sotto_fixed_from_mpz(z);
	mpz_clear(z);
	return result;
}
