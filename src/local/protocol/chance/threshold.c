/*
 * Takes exp(eps) rounded down in MPFR, computes the chance as an exact fraction of that, and
 * rounds it once, to the side that the name says.
 */
#include "local/protocol/chance/threshold.h"

#include <mpfr.h>

#include "sotto/local.h"

/* exp(eps / shares) from below, as a dyadic rational. */
static void exp_down(const mpq_t eps, unsigned shares, mpq_t out)
{
	mpfr_t x;

	mpfr_init2(x, 256);
	mpfr_set_q(x, eps, MPFR_RNDD);
	mpfr_div_ui(x, x, shares, MPFR_RNDD);
	mpfr_exp(x, x, MPFR_RNDD);
	mpfr_get_q(out, x);
	mpfr_clear(x);
}

/* floor or ceiling of p 2^bits, then moved up to 64 bits */
static struct sotto_client_chance rounded(const mpq_t p, unsigned bits, bool up)
{
	struct sotto_client_chance chance = {0, false};
	mpz_t n;

	mpz_init(n);
	mpz_mul_2exp(n, mpq_numref(p), bits);
	if (up)
		mpz_cdiv_q(n, n, mpq_denref(p));
	else
		mpz_fdiv_q(n, n, mpq_denref(p));
	mpz_mul_2exp(n, n, 64 - bits);
	if (mpz_sizeinbase(n, 2) > 64)
		chance.certain = true;
	else
		mpz_export(&chance.numerator, NULL, -1, sizeof chance.numerator, 0, 0, n);
	mpz_clear(n);
	return chance;
}

struct sotto_client_chance sotto_chance_down(const mpq_t p, unsigned bits)
{
	return rounded(p, bits, false);
}

struct sotto_client_chance sotto_chance_up(const mpq_t p, unsigned bits)
{
	return rounded(p, bits, true);
}

void sotto_chance_get(struct sotto_client_chance chance, mpq_t out)
{
	if (chance.certain) {
		mpq_set_ui(out, 1, 1);
		return;
	}
	mpz_import(mpq_numref(out), 1, -1, sizeof chance.numerator, 0, 0, &chance.numerator);
	mpz_set_ui(mpq_denref(out), 1);
	mpz_mul_2exp(mpq_denref(out), mpq_denref(out), 64);
	mpq_canonicalize(out);
}

double sotto_local_log_up(const mpq_t x)
{
	mpfr_t y;
	double result;

	mpfr_init2(y, 256);
	mpfr_set_q(y, x, MPFR_RNDU);
	mpfr_log(y, y, MPFR_RNDU);
	result = mpfr_get_d(y, MPFR_RNDU);
	mpfr_clear(y);
	return result;
}

void sotto_local_chance_exact(struct sotto_client_chance chance, struct sotto_rational *out)
{
	sotto_chance_get(chance, out->q);
}

double sotto_local_chance(struct sotto_client_chance chance)
{
	return chance.certain ? 1 : (double)chance.numerator * 0x1p-64;
}

struct sotto_client_chance
sotto_chance_keep_down(const mpq_t eps, uint64_t weight, uint64_t others)
{
	struct sotto_client_chance keep;
	mpq_t p, rest;

	mpq_inits(p, rest, NULL);
	exp_down(eps, 1, p);
	mpq_set_ui(rest, weight, 1);
	mpq_mul(p, p, rest);
	mpq_set_ui(rest, others, 1);
	mpq_add(rest, rest, p);
	mpq_div(p, p, rest);
	keep = sotto_chance_down(p, 64);
	mpq_clears(p, rest, NULL);
	return keep;
}

struct sotto_client_chance sotto_chance_flip_up(const mpq_t eps, unsigned shares, unsigned bits)
{
	struct sotto_client_chance flip;
	mpq_t p, one;

	mpq_inits(p, one, NULL);
	exp_down(eps, shares, p);
	mpq_set_ui(one, 1, 1);
	mpq_add(p, p, one);
	mpq_inv(p, p);
	flip = sotto_chance_up(p, bits);
	mpq_clears(p, one, NULL);
	return flip;
}

struct sotto_client_chance sotto_chance_complement(struct sotto_client_chance p)
{
	if (p.certain)
		return (struct sotto_client_chance){0, false};
	return (struct sotto_client_chance){0 - p.numerator, p.numerator == 0};
}
