/*
 * Mills' ratio of the normal law against MPFR's own erfc, on both sides of 0 and across the places
 * where one way of computing it takes over from another.
 *
 * Seen to fail: with half as many terms of the fraction, and with no more bits for what the series
 * near 0 cancels.
 */
#include <math.h>

#include "core/account/loss/mills_ratio.h"
#include "testlib/tap.h"

/* erfc(-t/sqrt 2)/2 times sqrt(2 pi) e^(t^2/2), with so many bits that none of it matters */
static void ratio_by_erfc(mpfr_t out, const mpfr_t t)
{
	mpfr_t x;

	mpfr_init2(x, mpfr_get_prec(out));
	mpfr_sqrt_ui(x, 2, MPFR_RNDN);
	mpfr_div(x, t, x, MPFR_RNDN);
	mpfr_neg(x, x, MPFR_RNDN);
	mpfr_erfc(out, x, MPFR_RNDN);
	mpfr_div_2ui(out, out, 1, MPFR_RNDN);
	mpfr_sqr(x, x, MPFR_RNDN);
	mpfr_exp(x, x, MPFR_RNDN);
	mpfr_mul(out, out, x, MPFR_RNDN);
	mpfr_const_pi(x, MPFR_RNDN);
	mpfr_mul_2ui(x, x, 1, MPFR_RNDN);
	mpfr_sqrt(x, x, MPFR_RNDN);
	mpfr_mul(out, out, x, MPFR_RNDN);
	mpfr_clear(x);
}

/* Bits that the two have in common. */
static double common_bits(double at, mpfr_prec_t bits)
{
	mpfr_t t, found, right;
	double common;

	mpfr_init2(t, 53);
	mpfr_init2(found, bits);
	mpfr_init2(right, 2 * bits + 200);
	mpfr_set_d(t, at, MPFR_RNDN);
	sotto_mills_ratio(found, t);
	ratio_by_erfc(right, t);
	mpfr_sub(t, right, found, MPFR_RNDA);
	common = mpfr_zero_p(t) ? INFINITY : (double)(mpfr_get_exp(right) - mpfr_get_exp(t));
	mpfr_clears(t, found, right, (mpfr_ptr)0);
	return common;
}

static void the_ratio_is_what_erfc_says(void)
{
	static const mpfr_prec_t precisions[] = {170, 240, 700};

	for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; i++)
		for (double at = -33; at < 12; at += 0.37) {
			double common = common_bits(at, precisions[i]);

			(void)tap_check(common > (double)precisions[i] - 16, __FILE__, __LINE__,
					"%g: %g bits of %ld", at, common, (long)precisions[i]);
		}
}

static void the_ratio_is_known_at_0_and_far_out(void)
{
	CHECK(common_bits(0, 240) > 224);
	CHECK(common_bits(-1e-30, 240) > 224);
	CHECK(common_bits(-29999, 170) > 154);
	CHECK(common_bits(-30001, 170) > 154); /* erfc has its own series there */
	CHECK(common_bits(150, 170) > 154);
}

int main(void)
{
	RUN(the_ratio_is_what_erfc_says);
	RUN(the_ratio_is_known_at_0_and_far_out);
	return tap_done();
}
