/*
 * Computes the three coefficients once, from exact fractions to 128-bit integers rounded down;
 * sigma decides how many bits of y matter.
 */
#include "core/random/gaussian/dgauss_exponent.h"

/* (y - sigma2/t)^2 / (2 sigma2), or y^2 / (2 sigma2) for t = 0 */
void sotto_dgauss_exponent_exact(const mpq_t sigma2, const mpz_t t, uint64_t magnitude,
				 mpq_t out)
{
	mpq_t centre;

	mpq_init(centre);
	if (mpz_sgn(t) != 0) {
		mpq_set_z(centre, t);
		mpq_div(centre, sigma2, centre);
	}
	mpq_set_ui(out, magnitude, 1);
	mpq_sub(out, out, centre);
	mpq_mul(out, out, out);
	mpq_div(out, out, sigma2);
	mpq_div_2exp(out, out, 1);
	mpq_clear(centre);
}

/* The least bits with 4^bits / (2 sigma2) >= 128. */
static unsigned bits_of(const mpq_t sigma2)
{
	unsigned bits = 0;
	mpq_t reach;

	mpq_init(reach);
	for (mpq_inv(reach, sigma2); mpq_cmp_ui(reach, 256, 1) < 0; bits++)
		mpq_mul_2exp(reach, reach, 2);
	mpq_clear(reach);
	return bits;
}

void sotto_dgauss_exponent_init(struct sotto_dgauss_exponent *e, const mpq_t sigma2,
				const mpz_t t)
{
	mpq_t v;

	*e = (struct sotto_dgauss_exponent){.bits = bits_of(sigma2)};
	mpq_init(v);
	mpq_inv(v, sigma2);
	mpq_mul_2exp(v, v, 2 * e->bits);
	mpq_div_2exp(v, v, 1);
	if (e->bits > 0)
		e->square = sotto_fixed_down(v, SOTTO_EXP_FRACTION);
	if (mpz_sgn(t) != 0) {
		sotto_dgauss_exponent_exact(sigma2, t, 0, v);
		e->constant = sotto_fixed_down(v, SOTTO_EXP_FRACTION) + SOTTO_DGAUSS_SLACK / 2;
		mpq_set_z(v, t);
		mpq_inv(v, v);
		mpq_mul_2exp(v, v, e->bits);
		e->linear = sotto_fixed_down(v, SOTTO_EXP_FRACTION);
	}
	mpq_clear(v);
}
