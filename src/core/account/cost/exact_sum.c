/*
 * Splits the square of each double into two parts, each added to the bin of its exponent; runs
 * of equal exponents are added up first.
 */
#include "core/account/cost/exact_sum.h"

#include <string.h>

enum { LOW_BITS = 53 };

/* m^2 2^(2 exponent - 2150): the low bits and the others have a bin each. */
static void flush(struct sotto_exactsum *s, uint64_t exponent, __int128 low, __int128 high)
{
	if (exponent == 0)
		return;
	s->bins[2 * exponent - 1075] += low;
	s->bins[2 * exponent - 1075 + LOW_BITS] += high;
}

/* Numbers of one size in a row are summed before they go to their bins. */
void sotto_exactsum_add_squares(struct sotto_exactsum *s, const double *x, size_t n)
{
	const uint64_t one = UINT64_C(1) << 52, mask = (UINT64_C(1) << LOW_BITS) - 1;
	__int128 low = 0, high = 0;
	uint64_t last = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t bits, mantissa;
		unsigned __int128 square;

		memcpy(&bits, &x[i], sizeof bits);
		if (bits << 1 == 0)
			continue;
		if (bits >> 52 != last) {
			flush(s, last, low, high);
			low = high = 0;
			last = bits >> 52;
		}
		mantissa = (bits & (one - 1)) | one;
		square = (unsigned __int128)mantissa * mantissa;
		low += (__int128)((uint64_t)square & mask);
		high += (__int128)(square >> LOW_BITS);
	}
	flush(s, last, low, high);
}

void sotto_exactsum_total(const struct sotto_exactsum *s, mpq_t total)
{
	mpz_t sum, part;

	mpz_inits(sum, part, (mpz_ptr)0);
	for (int e = EXACTSUM_BINS - 1; e >= 0; e--) {
		unsigned __int128 bin = (unsigned __int128)s->bins[e];

		mpz_mul_2exp(sum, sum, 1);
		if (bin == 0)
			continue;
		mpz_set_ui(part, (unsigned long)(bin >> 64));
		mpz_mul_2exp(part, part, 64);
		mpz_add_ui(part, part, (unsigned long)bin);
		mpz_add(sum, sum, part);
	}
	mpq_set_z(total, sum);
	mpq_div_2exp(total, total, 1075);
	mpz_clears(sum, part, (mpz_ptr)0);
}
