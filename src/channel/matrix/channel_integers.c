/*
 * Multiplies by the least common multiple of the denominators, which is found one cell at a
 * time.
 */
#include "channel/matrix/channel_integers.h"

#include <stdlib.h>

mpz_t *sotto_integers_new(size_t n)
{
	mpz_t *x = calloc(n ? n : 1, sizeof *x);

	for (size_t i = 0; x && i < n; i++)
		mpz_init(x[i]);
	return x;
}

void sotto_integers_free(mpz_t *x, size_t n)
{
	for (size_t i = 0; x && i < n; i++)
		mpz_clear(x[i]);
	free(x);
}

void sotto_integers_of(const mpq_t *cells, size_t stride, size_t n, mpz_t *out,
		       mpz_t denominator)
{
	mpz_set_ui(denominator, 1);
	for (size_t i = 0; i < n; i++)
		if (!mpz_divisible_p(denominator, mpq_denref(cells[i * stride])))
			mpz_lcm(denominator, denominator, mpq_denref(cells[i * stride]));
	for (size_t i = 0; out && i < n; i++) {
		mpz_divexact(out[i], denominator, mpq_denref(cells[i * stride]));
		mpz_mul(out[i], out[i], mpq_numref(cells[i * stride]));
	}
}
