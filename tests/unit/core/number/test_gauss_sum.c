/*
 * Enclosures keep the truth inside; Gaussian sums agree with plain summation at
 * another precision on both sides of every change of method.
 */
#include "core/number/gauss_sum.h"

#include "testlib/tap.h"

enum { BITS = 160, PLAIN = 512 };

/* The sum term by term, with exp for every term: slow, simple, at 512 bits. */
static void plain_tail(mpfr_t sum, long m, const mpq_t s)
{
	mpfr_t term, first;
	mpq_t q;

	mpfr_init2(term, PLAIN);
	mpfr_init2(first, PLAIN);
	mpq_init(q);
	mpfr_set_ui(sum, 0, MPFR_RNDN);
	mpfr_set_ui(first, 0, MPFR_RNDN);
	for (long y = m;; y++) {
		mpq_set_si(q, y, 1);
		mpq_mul(q, q, q);
		mpq_div(q, q, s);
		mpq_div_2exp(q, q, 1);
		mpq_neg(q, q);
		mpfr_set_q(term, q, MPFR_RNDN);
		mpfr_exp(term, term, MPFR_RNDN);
		mpfr_add(sum, sum, term, MPFR_RNDN);
		if (mpfr_cmp(term, first) > 0)
			mpfr_set(first, term, MPFR_RNDN);
		mpfr_div_2ui(first, first, 300, MPFR_RNDN);
		if (y > 0 && mpfr_cmp(term, first) < 0)
			break;
		mpfr_mul_2ui(first, first, 300, MPFR_RNDN);
	}
	mpfr_clear(term);
	mpfr_clear(first);
	mpq_clear(q);
}

/* The truth is inside, and the enclosure is 2^-100 wide at most. */
static void check_tail(long m, long num, long den)
{
	struct sotto_enclosure e;
	mpfr_t truth, width;
	mpz_t start;
	mpq_t s;

	sotto_enclosure_init(&e, BITS + 128);
	mpfr_init2(truth, PLAIN);
	mpfr_init2(width, PLAIN);
	mpz_init_set_si(start, m);
	mpq_init(s);
	mpq_set_si(s, num, (unsigned long)den);
	mpq_canonicalize(s);
	sotto_gauss_sum_tail(&e, start, s, BITS);
	plain_tail(truth, m, s);
	mpfr_sub(width, e.hi, e.lo, MPFR_RNDU);
	mpfr_div(width, width, truth, MPFR_RNDU);
	(void)tap_check(mpfr_cmp(e.lo, truth) <= 0 && mpfr_cmp(truth, e.hi) <= 0, __FILE__,
			__LINE__, "m = %ld, s = %ld/%ld: the truth is outside", m, num, den);
	(void)tap_check(mpfr_cmp_ui_2exp(width, 1, -100) < 0, __FILE__, __LINE__,
			"m = %ld, s = %ld/%ld: too wide, %g", m, num, den,
			mpfr_get_d(width, MPFR_RNDN));
	sotto_enclosure_release(&e);
	mpfr_clear(truth);
	mpfr_clear(width);
	mpz_clear(start);
	mpq_clear(s);
}

static void sums_of_few_terms_are_right(void)
{
	check_tail(1, 1, 1 << 20);
	check_tail(0, 1, 3);
	check_tail(1, 1, 1);
	check_tail(-5, 7, 2);
	check_tail(40, 100, 1);
	check_tail(1, 1023, 1);
	check_tail(300, 1023, 1);
}

static void sums_of_many_terms_are_right(void)
{
	check_tail(1, 1024, 1);
	check_tail(0, 1024, 1);
	check_tail(-77, 2048, 1);
	check_tail(255, 1024, 1);
	check_tail(256, 1024, 1);
	check_tail(257, 1024, 1);
	check_tail(1, 1000001, 7);
	check_tail(500, 40000, 1);
	check_tail(2500, 250000, 1);
	check_tail(9999, 40000, 1);
	check_tail(10001, 40000, 1);
}

/* Z = sqrt(2 pi s) (1 + 2 exp(-2 pi^2 s) + ...): another formula altogether. */
static void the_total_is_that_of_poisson(void)
{
	struct sotto_enclosure e;
	mpfr_t z, x;
	mpq_t s;

	sotto_enclosure_init(&e, BITS + 128);
	mpfr_init2(z, PLAIN);
	mpfr_init2(x, PLAIN);
	mpq_init(s);
	for (int k = 5; k <= 96; k += 13) {
		mpq_set_ui(s, 1, 1);
		mpq_mul_2exp(s, s, (mp_bitcnt_t)k);
		sotto_gauss_sum_total(&e, s, BITS);
		mpfr_const_pi(z, MPFR_RNDN);
		mpfr_mul_2ui(z, z, (unsigned long)k + 1, MPFR_RNDN);
		mpfr_sqrt(z, z, MPFR_RNDN);
		mpfr_sub(x, e.hi, e.lo, MPFR_RNDU);
		mpfr_div(x, x, z, MPFR_RNDU);
		CHECK(mpfr_cmp_ui_2exp(x, 1, -100) < 0);
		mpfr_sub(x, e.lo, z, MPFR_RNDN); /* the next term is below 2^-900 of it */
		mpfr_div(x, x, z, MPFR_RNDN);
		mpfr_abs(x, x, MPFR_RNDN);
		CHECK(mpfr_cmp_ui_2exp(x, 1, -100) < 0);
	}
	sotto_enclosure_release(&e);
	mpfr_clear(z);
	mpfr_clear(x);
	mpq_clear(s);
}

/* m = s/10 for growing s: from a sharp tail to one that no exponent can hold. */
static void far_tails_are_never_less_than_certain(void)
{
	struct sotto_enclosure e;
	mpz_t m;
	mpq_t s;

	sotto_enclosure_init(&e, BITS + 128);
	mpz_init(m);
	mpq_init(s);
	for (unsigned k = 20; k <= 96; k++) {
		mpz_ui_pow_ui(m, 2, k);
		mpq_set_z(s, m);
		mpz_tdiv_q_ui(m, m, 10);
		sotto_gauss_sum_tail(&e, m, s, BITS);
		CHECK(mpfr_regular_p(e.hi) && mpfr_sgn(e.hi) > 0);
		CHECK(mpfr_sgn(e.lo) >= 0 && mpfr_cmp(e.lo, e.hi) < 0);
		if (k >= 40)
			CHECK(mpfr_cmp_ui_2exp(e.hi, 1, -10000000) < 0);
	}
	sotto_enclosure_release(&e);
	mpz_clear(m);
	mpq_clear(s);
}

/* (1/3 - 2/5) * (-7/11) / (1/13), wide arguments of both signs. */
static void enclosures_keep_the_truth_inside(void)
{
	struct sotto_enclosure a, b;
	mpq_t q;

	mpq_init(q);
	sotto_enclosure_init(&a, 8);
	sotto_enclosure_init(&b, 8);
	mpq_set_ui(q, 1, 3);
	sotto_enclosure_set_rational(&a, q);
	mpq_set_ui(q, 2, 5);
	sotto_enclosure_set_rational(&b, q);
	sotto_enclosure_subtract(&a, &a, &b);
	mpq_set_si(q, -7, 11);
	sotto_enclosure_multiply_rational(&a, &a, q);
	mpq_set_ui(q, 1, 13);
	sotto_enclosure_set_rational(&b, q);
	sotto_enclosure_divide(&a, &a, &b);
	mpq_set_ui(q, 91, 165);
	CHECK(mpfr_cmp_q(a.lo, q) < 0 && mpfr_cmp_q(a.hi, q) > 0);
	sotto_enclosure_set_integer(&a, -1);
	mpfr_set_ui(a.hi, 2, MPFR_RNDN);
	sotto_enclosure_multiply(&b, &a, &a); /* [-1, 2] squared as a product: [-2, 4] */
	CHECK(mpfr_cmp_si(b.lo, -2) == 0 && mpfr_cmp_ui(b.hi, 4) == 0);
	sotto_enclosure_subtract(&a, &a, &a);
	CHECK(mpfr_cmp_si(a.lo, -3) == 0 && mpfr_cmp_ui(a.hi, 3) == 0);
	sotto_enclosure_erfc(&a);
	CHECK(mpfr_cmp(a.lo, a.hi) < 0 && mpfr_cmp_ui(a.hi, 2) <= 0);
	sotto_enclosure_release(&a);
	sotto_enclosure_release(&b);
	mpq_clear(q);
}

int main(void)
{
	RUN(enclosures_keep_the_truth_inside);
	RUN(sums_of_few_terms_are_right);
	RUN(sums_of_many_terms_are_right);
	RUN(the_total_is_that_of_poisson);
	RUN(far_tails_are_never_less_than_certain);
	return tap_done();
}
