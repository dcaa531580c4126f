/*
 * Rounds a rational to a multiple of a power of two.
 */
#include "core/number/rational/rational_round.h"

#include <gmp.h>

static void round_to(struct sotto_rational *r, unsigned bits,
		     void (*divide)(mpz_ptr, mpz_srcptr, mpz_srcptr))
{
	mpz_t scaled;

	if (mpq_sgn(r->q) == 0)
		return;
	mpz_init(scaled);
	mpz_mul_2exp(scaled, mpq_numref(r->q), bits);
	divide(mpq_numref(r->q), scaled, mpq_denref(r->q));
	mpz_set_ui(mpq_denref(r->q), 1);
	mpz_mul_2exp(mpq_denref(r->q), mpq_denref(r->q), bits);
	mpq_canonicalize(r->q);
	mpz_clear(scaled);
}

void sotto_rational_round_down(struct sotto_rational *r, unsigned bits)
{
	round_to(r, bits, mpz_fdiv_q);
}

void sotto_rational_round_up(struct sotto_rational *r, unsigned bits)
{
	round_to(r, bits, mpz_cdiv_q);
}
