/*
 * Three ways, by how far t is from 0: a series of positive terms, a continued fraction, and an
 * asymptotic series.  MPFR's own erfc takes up to a hundred times as long between the first two.
 */
#include "core/account/loss/mills_ratio.h"

#include <math.h>

/* Up to the square of x that is this part of the bits the series has the fewer terms. */
#define NEAR 0.35
/* Bits that sums of up to a few thousand terms may lose. */
enum { SPARE = 16 };

/* sqrt(2 pi) e^(x^2/2) = 1/density(x) */
static void inverse_density(mpfr_t out, const mpfr_t x)
{
	mpfr_t pi;

	mpfr_init2(pi, mpfr_get_prec(out));
	mpfr_const_pi(pi, MPFR_RNDN);
	mpfr_mul_2ui(pi, pi, 1, MPFR_RNDN);
	mpfr_sqrt(pi, pi, MPFR_RNDN);
	mpfr_sqr(out, x, MPFR_RNDN);
	mpfr_div_2ui(out, out, 1, MPFR_RNDN);
	mpfr_exp(out, out, MPFR_RNDN);
	mpfr_mul(out, out, pi, MPFR_RNDN);
	mpfr_clear(pi);
}

/* (Phi(x) - 1/2)/density(x) = x + x^3/3 + x^5/15 + ..., x >= 0; ends where terms halve and are nothing. */
static void half_series(mpfr_t out, const mpfr_t x)
{
	mpfr_prec_t bits = mpfr_get_prec(out);
	mpfr_t term, square;

	mpfr_inits2(bits, term, square, (mpfr_ptr)0);
	mpfr_sqr(square, x, MPFR_RNDN);
	mpfr_set(term, x, MPFR_RNDN);
	mpfr_set(out, x, MPFR_RNDN);
	for (unsigned long odd = 3; !mpfr_zero_p(term); odd += 2) {
		mpfr_mul(term, term, square, MPFR_RNDN);
		mpfr_div_ui(term, term, odd, MPFR_RNDN);
		mpfr_add(out, out, term, MPFR_RNDN);
		if (mpfr_cmp_ui(square, odd / 2) < 0 &&
		    mpfr_get_exp(term) < mpfr_get_exp(out) - bits)
			break;
	}
	mpfr_clears(term, square, (mpfr_ptr)0);
}

/* Near 0, on either side: 1/(2 density) with the series added, or taken off with as many more bits as that costs. */
static void near_ratio(mpfr_t out, const mpfr_t t)
{
	double x = mpfr_get_d(t, MPFR_RNDN);
	mpfr_prec_t bits = mpfr_get_prec(out) + SPARE +
			   (mpfr_prec_t)(0.73 * x * x + 4 * log2(fabs(x) + 2));
	mpfr_t whole, half, size;

	mpfr_inits2(bits, whole, half, size, (mpfr_ptr)0);
	mpfr_abs(size, t, MPFR_RNDN);
	half_series(half, size);
	inverse_density(whole, size);
	mpfr_div_2ui(whole, whole, 1, MPFR_RNDN);
	if (mpfr_sgn(t) < 0)
		mpfr_neg(half, half, MPFR_RNDN);
	mpfr_add(out, whole, half, MPFR_RNDN);
	mpfr_clears(whole, half, size, (mpfr_ptr)0);
}

/*
 * How many terms of the fraction at x leave less than 2^-bits of it: the gap between two convergents shrinks by n/(r s), r and
 * s the ratios of their denominators, from 1/x on, and the value is at least x/(x^2 + 1).
 */
static unsigned long fraction_terms(double x, double bits)
{
	double r = x, gap = log2(1 + 1 / (x * x));
	unsigned long n = 0;

	while (gap > -bits) {
		double s = x + (double)++n / r;

		gap += log2((double)n / (r * s));
		r = s;
	}
	return n;
}

/* Phi(-x)/density(x) = 1/(x + 1/(x + 2/(x + 3/(x + ...)))), of positive terms: convergents enclose it. */
static void fraction(mpfr_t out, const mpfr_t x)
{
	mpfr_prec_t bits = mpfr_get_prec(out);

	mpfr_set(out, x, MPFR_RNDN);
	for (unsigned long n = fraction_terms(mpfr_get_d(x, MPFR_RNDD), (double)bits); n > 0;
	     n--) {
		mpfr_ui_div(out, n, out, MPFR_RNDN);
		mpfr_add(out, out, x, MPFR_RNDN);
	}
	mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

/* x^-1 - x^-3 + 3 x^-5 - ...; the first term left out is 1e-40 of it */
static void far_fraction(mpfr_t out, const mpfr_t x)
{
	static const int ahead[] = {9, 7, 5, 3, 1};
	mpfr_t square;

	mpfr_init2(square, mpfr_get_prec(out));
	mpfr_sqr(square, x, MPFR_RNDN);
	mpfr_set_ui(out, 1, MPFR_RNDN);
	for (int i = 0; i < 5; i++) {
		mpfr_mul_si(out, out, -ahead[i], MPFR_RNDN);
		mpfr_div(out, out, square, MPFR_RNDN);
		mpfr_add_ui(out, out, 1, MPFR_RNDN);
	}
	mpfr_div(out, out, x, MPFR_RNDN);
	mpfr_clear(square);
}

void sotto_mills_ratio(mpfr_t out, const mpfr_t t)
{
	double far = fabs(mpfr_get_d(t, MPFR_RNDN));
	mpfr_prec_t bits = mpfr_get_prec(out);
	mpfr_t x;

	if (far * far < NEAR * (double)bits) {
		near_ratio(out, t);
		return;
	}
	mpfr_init2(x, bits);
	mpfr_abs(x, t, MPFR_RNDN);
	if (far > SOTTO_MILLS_FAR)
		far_fraction(out, x);
	else
		fraction(out, x);
	if (mpfr_sgn(t) > 0) { /* Phi(t) = 1 - Phi(-t) */
		mpfr_t whole;

		mpfr_init2(whole, bits);
		inverse_density(whole, x);
		mpfr_sub(out, whole, out, MPFR_RNDN);
		mpfr_clear(whole);
	}
	mpfr_clear(x);
}
