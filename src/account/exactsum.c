#include "account/exactsum.h"

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
