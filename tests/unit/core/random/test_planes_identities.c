/* What planes.md rests on, in exact fractions: bits, tail, sign, and the table's recurrence. */
#include <gmp.h>
#include <stdlib.h>

#include "testlib/tap.h"

enum { K = 4, TAIL_STEPS = 3 };

static const struct {
	unsigned num, den;
} fractions[] = {{2, 5}, {1, 2}, {9, 10}, {1, 17}, {99, 100}, {355, 452}};
enum { FRACTIONS = sizeof fractions / sizeof fractions[0] };

static void power(mpq_t out, const mpq_t a, unsigned n)
{
	mpz_pow_ui(mpq_numref(out), mpq_numref(a), n);
	mpz_pow_ui(mpq_denref(out), mpq_denref(a), n);
}

/* out = 1 - x */
static void complement(mpq_t out, const mpq_t x)
{
	mpq_t one;

	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	mpq_sub(out, one, x);
	mpq_clear(one);
}

/* p = a^(2^k) / (1 + a^(2^k)) */
static void bit_probability(mpq_t p, const mpq_t a, unsigned k)
{
	mpq_t one;

	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	power(p, a, 1u << k);
	mpq_add(one, one, p);
	mpq_div(p, p, one);
	mpq_clear(one);
}

/* P(the K low bits are those of x) as a product over the bits */
static void low_bits_probability(mpq_t out, const mpq_t a, unsigned x)
{
	mpq_t p;

	mpq_init(p);
	mpq_set_ui(out, 1, 1);
	for (unsigned k = 0; k < K; k++) {
		bit_probability(p, a, k);
		if (!(x >> k & 1))
			complement(p, p);
		mpq_mul(out, out, p);
	}
	mpq_clear(p);
}

/* (1 - a) a^x */
static void geometric(mpq_t out, const mpq_t a, unsigned x)
{
	mpq_t scale;

	mpq_init(scale);
	complement(scale, a);
	power(out, a, x);
	mpq_mul(out, out, scale);
	mpq_clear(scale);
}

static void bits_and_tail_together_are_the_geometric(void)
{
	mpq_t a, tail, no_tail, p, want;

	mpq_inits(a, tail, no_tail, p, want, NULL);
	for (int i = 0; i < FRACTIONS; i++) {
		mpq_set_ui(a, fractions[i].num, fractions[i].den);
		mpq_canonicalize(a);
		power(tail, a, 1u << K);
		complement(no_tail, tail);
		for (unsigned x = 0; x < (1 + TAIL_STEPS) << K; x++) {
			/* G = low + 2^K j: the tail bit and then j - 1 more successes, one failure */
			low_bits_probability(p, a, x % (1u << K));
			for (unsigned j = 0; j < x >> K; j++)
				mpq_mul(p, p, tail);
			mpq_mul(p, p, no_tail);
			geometric(want, a, x);
			CHECK(mpq_equal(p, want));
		}
	}
	mpq_clears(a, tail, no_tail, p, want, NULL);
}

static void geometric_and_sign_make_the_discrete_laplace(void)
{
	mpq_t a, sign, g, p, want, scale;

	mpq_inits(a, sign, g, p, want, scale, NULL);
	for (int i = 0; i < FRACTIONS; i++) {
		mpq_set_ui(a, fractions[i].num, fractions[i].den);
		mpq_canonicalize(a);
		bit_probability(sign, a, 0);
		for (int z = -20; z <= 20; z++) {
			int s = z < 0;

			/* Z = G ^ -s: the one G and s that give z */
			geometric(g, a, (unsigned)(z ^ -s));
			mpq_set(p, sign);
			if (!s)
				complement(p, p);
			mpq_mul(p, p, g);
			/* (1 - a)/(1 + a) a^abs(z) */
			mpq_set_ui(scale, 1, 1);
			mpq_add(scale, scale, a);
			geometric(want, a, (unsigned)abs(z));
			mpq_div(want, want, scale);
			CHECK(mpq_equal(p, want));
		}
	}
	mpq_clears(a, sign, g, p, want, scale, NULL);
}

/* r_k = 1/(1 - a_k): t = r_(k+1) a_k; r_k = r_(k+1) + t; 1/(1 + a_k) = r_(k+1) - t */
static void the_recurrence_of_the_table_gives_each_plane(void)
{
	mpq_t a, a_k, r, t, p, want;

	mpq_inits(a, a_k, r, t, p, want, NULL);
	for (int i = 0; i < FRACTIONS; i++) {
		mpq_set_ui(a, fractions[i].num, fractions[i].den);
		mpq_canonicalize(a);
		power(r, a, 1u << K);
		complement(r, r);
		mpq_inv(r, r);
		for (unsigned k = K; k-- > 0;) {
			power(a_k, a, 1u << k);
			mpq_mul(t, r, a_k);
			mpq_sub(p, r, t);
			complement(p, p);
			bit_probability(want, a, k);
			CHECK(mpq_equal(p, want));
			mpq_add(r, r, t);
			complement(want, a_k);
			mpq_inv(want, want);
			CHECK(mpq_equal(r, want));
		}
	}
	mpq_clears(a, a_k, r, t, p, want, NULL);
}

/*
 * The error of planes_table.c in units of 2^-384, by the inequalities of planes.md:
 * e is that of a_k, rel that of r_k divided by r_k.  Returns the largest error of
 * any stored plane.
 */
static double table_error(double eps, unsigned value_bits)
{
	const unsigned top = value_bits + 3;
	double e[64] = {2}, rel = 1, worst;

	for (unsigned k = 0; k < top; k++)
		e[k + 1] = 2 * exp(-ldexp(eps, (int)k)) * e[k] + 1 + 1e-9;
	worst = e[value_bits];
	for (unsigned k = top; k-- > 0;) {
		double a = exp(-ldexp(eps, (int)k)),
		       r_above = 1 / -expm1(-ldexp(eps, (int)k + 1));
		double plane = rel / (1 + a) + r_above * e[k] + 1;

		worst = plane > worst ? plane : worst;
		rel = rel + e[k] / (1 + a) + 1;
	}
	return worst;
}

static void the_error_of_a_table_stays_far_below_what_is_certified(void)
{
	const double certified = ldexp(1, 62);
	double worst = 0;

	for (unsigned bits = 0; bits <= 56; bits++)
		for (int part = 0; part < 8; part++) {
			double eps = ldexp(45 * (1 + part / 8.0), -(int)bits);
			double error = table_error(eps, bits);

			worst = error > worst ? error : worst;
		}
	CHECK(worst > ldexp(1, 50)); /* the squarings at eps = 2^-50 are counted */
	CHECK(worst < certified / 256);
}

int main(void)
{
	RUN(bits_and_tail_together_are_the_geometric);
	RUN(geometric_and_sign_make_the_discrete_laplace);
	RUN(the_recurrence_of_the_table_gives_each_plane);
	RUN(the_error_of_a_table_stays_far_below_what_is_certified);
	return tap_done();
}
