/*
 * Two ways, both relative to the first term f(m) = exp(-m^2/(2s)): term by term
 * where few terms matter, Euler-Maclaurin where s is large.
 */
#include "core/number/gauss_sum.h"

#include <assert.h>
#include <stdbool.h>

enum { DIRECT_BELOW = 1024, GUARD = 128, ORDER_MAX = 4000, FAR_EXPONENT = 24 };

/* e = exp(q) */
static void exp_rational(struct sotto_enclosure *e, const mpq_t q)
{
	sotto_enclosure_set_rational(e, q);
	sotto_enclosure_exp(e);
}

/* q = -(a m^2 + b m + c) / (2s), for small integers a, b, c */
static void exponent(mpq_t q, const mpz_t m, const mpq_t s, const long abc[3])
{
	mpz_t n;

	mpz_init_set(n, m);
	mpz_mul_si(n, n, abc[0]);
	mpz_add_ui(n, n, (unsigned long)abc[1]);
	mpz_mul(n, n, m);
	mpz_add_ui(n, n, (unsigned long)abc[2]);
	mpz_neg(n, n);
	mpq_set_z(q, n);
	mpz_clear(n);
	mpq_div(q, q, s);
	mpq_div_2exp(q, q, 1);
}

/*
 * sum = 1 + g_1 + g_2 + ..., g_j = f(m+j)/f(m).  The ratio of successive terms
 * itself shrinks by exp(-1/s), so what is left out after a term is at most that
 * term times r/(1-r), r the next ratio.
 */
static void sum_direct(struct sotto_enclosure *sum, const mpz_t m, const mpq_t s, unsigned bits)
{
	mpfr_prec_t precision = mpfr_get_prec(sum->lo);
	struct sotto_enclosure term, ratio, shrink, rest;
	mpq_t q;

	sotto_enclosure_init(&term, precision);
	sotto_enclosure_init(&ratio, precision);
	sotto_enclosure_init(&shrink, precision);
	sotto_enclosure_init(&rest, precision);
	mpq_init(q);
	exponent(q, m, s, (const long[]){0, 2, 1});
	exp_rational(&ratio, q);
	exponent(q, m, s, (const long[]){0, 0, 2});
	exp_rational(&shrink, q);
	sotto_enclosure_set_integer(&term, 1);
	sotto_enclosure_set_integer(sum, 0);
	do {
		sotto_enclosure_add(sum, sum, &term);
		sotto_enclosure_multiply(&term, &term, &ratio);
		sotto_enclosure_multiply(&ratio, &ratio, &shrink);
	} while (mpfr_cmp_ui_2exp(term.hi, 1, -(mpfr_exp_t)bits) > 0);
	sotto_enclosure_set_integer(&rest, 1);
	sotto_enclosure_subtract(&rest, &rest, &ratio);
	sotto_enclosure_divide(&rest, &term, &rest);
	mpfr_set_zero(rest.lo, 1); /* between nothing and the geometric bound */
	sotto_enclosure_add(sum, sum, &rest);
	sotto_enclosure_release(&term);
	sotto_enclosure_release(&ratio);
	sotto_enclosure_release(&shrink);
	sotto_enclosure_release(&rest);
	mpq_clear(q);
}

/* What one Euler-Maclaurin sum needs; all relative to f(m). */
struct series {
	mpq_t slope; /* m / s */
	mpq_t curve; /* 1 / s */
	struct sotto_enclosure h[2]; /* h_{n-1}, h_n: f^(n) = (-1)^n h_n f */
	struct sotto_enclosure two_pi_sq; /* (2 pi)^2 */
	struct sotto_enclosure power; /* (2 pi)^-(2k) */
	struct sotto_enclosure term, work; /* scratch */
	unsigned long order; /* n */
};

static void series_init(struct series *e, const mpz_t m, const mpq_t s, mpfr_prec_t precision)
{
	mpq_init(e->slope);
	mpq_init(e->curve);
	mpq_set_z(e->slope, m);
	mpq_div(e->slope, e->slope, s);
	mpq_inv(e->curve, s);
	sotto_enclosure_init(&e->h[0], precision);
	sotto_enclosure_init(&e->h[1], precision);
	sotto_enclosure_init(&e->two_pi_sq, precision);
	sotto_enclosure_init(&e->power, precision);
	sotto_enclosure_init(&e->term, precision);
	sotto_enclosure_init(&e->work, precision);
	sotto_enclosure_set_integer(&e->h[0], 1);
	sotto_enclosure_set_rational(&e->h[1], e->slope);
	e->order = 1;
	sotto_enclosure_set_pi(&e->two_pi_sq);
	sotto_enclosure_add(&e->two_pi_sq, &e->two_pi_sq, &e->two_pi_sq);
	sotto_enclosure_multiply(&e->two_pi_sq, &e->two_pi_sq, &e->two_pi_sq);
	sotto_enclosure_set_integer(&e->power, 1);
}

static void series_release(struct series *e)
{
	mpq_clear(e->slope);
	mpq_clear(e->curve);
	sotto_enclosure_release(&e->h[0]);
	sotto_enclosure_release(&e->h[1]);
	sotto_enclosure_release(&e->two_pi_sq);
	sotto_enclosure_release(&e->power);
	sotto_enclosure_release(&e->term);
	sotto_enclosure_release(&e->work);
}

/* h_{n+1} = (m/s) h_n - (n/s) h_{n-1}, as for Hermite polynomials. */
static void next_derivative(struct series *e)
{
	mpq_t factor;

	mpq_init(factor);
	mpq_set_ui(factor, e->order, 1);
	mpq_mul(factor, factor, e->curve);
	sotto_enclosure_multiply_rational(&e->term, &e->h[1], e->slope);
	sotto_enclosure_multiply_rational(&e->work, &e->h[0], factor);
	sotto_enclosure_set(&e->h[0], &e->h[1]);
	sotto_enclosure_subtract(&e->h[1], &e->term, &e->work);
	e->order++;
	mpq_clear(factor);
}

/* term = B_2k/(2k)! h_{2k-1}, B_2k/(2k)! = (-1)^(k+1) 2 zeta(2k) / (2 pi)^2k */
static void correction(struct series *e, unsigned long k)
{
	sotto_enclosure_divide(&e->power, &e->power, &e->two_pi_sq);
	mpfr_zeta_ui(e->work.lo, 2 * k, MPFR_RNDD);
	mpfr_zeta_ui(e->work.hi, 2 * k, MPFR_RNDU);
	sotto_enclosure_add(&e->work, &e->work, &e->work);
	sotto_enclosure_multiply(&e->work, &e->work, &e->power);
	sotto_enclosure_multiply(&e->term, &e->work, &e->h[1]);
	if (k % 2 == 0) {
		mpfr_neg(e->term.lo, e->term.lo, MPFR_RNDD);
		mpfr_neg(e->term.hi, e->term.hi, MPFR_RNDU);
		mpfr_swap(e->term.lo, e->term.hi);
	}
}

/*
 * work.hi = 4 (2 pi)^-n s^(1/2) (m/s + sqrt(n/s))^n exp(n/2) sqrt(2 pi), n = 2k: the
 * remainder after k corrections, bound (A) of gauss_sum.md.
 */
static void remainder_up(struct series *e, const mpq_t s, unsigned long k)
{
	struct sotto_enclosure *w = &e->work, *base = &e->term;
	mpq_t q;

	mpq_init(q);
	mpq_set_ui(q, 2 * k, 1);
	mpq_mul(q, q, e->curve);
	sotto_enclosure_set_rational(base, q);
	sotto_enclosure_sqrt(base);
	sotto_enclosure_set_rational(w, e->slope);
	sotto_enclosure_add(base, base, w);
	mpfr_pow_ui(w->hi, base->hi, 2 * k, MPFR_RNDU);
	mpfr_set_ui(base->hi, k, MPFR_RNDU);
	mpfr_exp(base->hi, base->hi, MPFR_RNDU);
	mpfr_mul(w->hi, w->hi, base->hi, MPFR_RNDU);
	mpfr_set_q(base->hi, s, MPFR_RNDU);
	mpfr_sqrt(base->hi, base->hi, MPFR_RNDU);
	mpfr_mul(w->hi, w->hi, base->hi, MPFR_RNDU);
	mpfr_mul(w->hi, w->hi, e->power.hi, MPFR_RNDU);
	mpfr_mul_ui(w->hi, w->hi, 11, MPFR_RNDU); /* 4 sqrt(2 pi) < 11 */
	mpq_clear(q);
}

/* work.hi: the same by Cramer's inequality, bound (B), in logarithms. */
static void remainder_cramer_up(struct series *e, const mpz_t m, const mpq_t s, unsigned long k)
{
	struct sotto_enclosure *w = &e->work, *x = &e->term;
	mpq_t q;

	mpq_init(q);
	exponent(q, m, s, (const long[]){1, 0, 0});
	mpq_neg(q, q);
	mpq_div_2exp(q, q, 1);
	mpfr_set_q(w->hi, q, MPFR_RNDU); /* m^2 / (4s) */
	mpfr_fac_ui(x->hi, 2 * k, MPFR_RNDU);
	mpfr_log(x->hi, x->hi, MPFR_RNDU);
	mpfr_div_ui(x->hi, x->hi, 2, MPFR_RNDU);
	mpfr_add(w->hi, w->hi, x->hi, MPFR_RNDU);
	mpfr_set_q(x->lo, s, MPFR_RNDD);
	mpfr_log(x->lo, x->lo, MPFR_RNDD);
	mpfr_div_ui(x->lo, x->lo, 2, MPFR_RNDD);
	mpfr_mul_ui(x->lo, x->lo, 2 * k - 1, MPFR_RNDD);
	mpfr_sub(w->hi, w->hi, x->lo, MPFR_RNDU);
	mpfr_exp(w->hi, w->hi, MPFR_RNDU);
	mpfr_mul(w->hi, w->hi, e->power.hi, MPFR_RNDU);
	mpfr_mul_ui(w->hi, w->hi, 8, MPFR_RNDU); /* 4 * 1.0865 * sqrt(pi) < 8 */
	mpq_clear(q);
}

static bool is_negligible(const struct sotto_enclosure *remainder, unsigned bits)
{
	return mpfr_cmp_ui_2exp(remainder->hi, 1, -(mpfr_exp_t)bits) <= 0;
}

/* Leaves a bound of the remainder in work.hi; true if it is small enough. */
static bool
close_series(struct series *e, const mpz_t m, const mpq_t s, unsigned long k, unsigned bits)
{
	remainder_up(e, s, k);
	if (is_negligible(&e->work, bits))
		return true;
	remainder_cramer_up(e, m, s, k);
	return is_negligible(&e->work, bits);
}

/* sum = (integral from m of f) / f(m) */
static void set_integral(struct sotto_enclosure *sum, const mpz_t m, const mpq_t s)
{
	struct sotto_enclosure x;
	mpq_t q;

	sotto_enclosure_init(&x, mpfr_get_prec(sum->lo));
	mpq_init(q);
	exponent(q, m, s, (const long[]){1, 0, 0});
	mpq_neg(q, q);
	sotto_enclosure_set_rational(&x, q);
	sotto_enclosure_sqrt(&x);
	sotto_enclosure_erfc(&x);
	exp_rational(sum, q);
	sotto_enclosure_multiply(sum, sum, &x);
	sotto_enclosure_set_pi(&x);
	mpq_div_2exp(q, s, 1);
	sotto_enclosure_multiply_rational(&x, &x, q);
	sotto_enclosure_sqrt(&x);
	sotto_enclosure_multiply(sum, sum, &x);
	sotto_enclosure_release(&x);
	mpq_clear(q);
}

static void sum_series(struct sotto_enclosure *sum, const mpz_t m, const mpq_t s, unsigned bits)
{
	struct series e;
	bool closed = false;
	mpq_t half;

	series_init(&e, m, s, mpfr_get_prec(sum->lo));
	set_integral(sum, m, s);
	mpq_init(half);
	mpq_set_ui(half, 1, 2);
	sotto_enclosure_set_rational(&e.term, half);
	sotto_enclosure_add(sum, sum, &e.term);
	for (unsigned long k = 1; !closed && k <= ORDER_MAX; k++) {
		if (k > 1) {
			next_derivative(&e);
			next_derivative(&e);
		}
		correction(&e, k);
		sotto_enclosure_add(sum, sum, &e.term);
		closed = close_series(&e, m, s, k, bits);
	}
	sotto_enclosure_widen(sum, &e.work);
	mpq_clear(half);
	series_release(&e);
}

/* m^2/(2s) > 2^24: f(m) is below every probability anybody asks for. */
static bool is_far(const mpz_t m, const mpq_t s)
{
	bool result;
	mpq_t q;

	mpq_init(q);
	exponent(q, m, s, (const long[]){1, 0, 0});
	mpq_div_2exp(q, q, FAR_EXPONENT);
	result = mpq_cmp_si(q, -1, 1) < 0;
	mpq_clear(q);
	return result;
}

/* sum between 1 and 1 + s/m, as the integral from m of f is at most f(m) s/m */
static void sum_far(struct sotto_enclosure *sum, const mpz_t m, const mpq_t s)
{
	mpq_t q;

	mpq_init(q);
	mpq_set_z(q, m);
	mpq_div(q, s, q);
	sotto_enclosure_set_rational(sum, q);
	mpfr_add_ui(sum->hi, sum->hi, 1, MPFR_RNDU);
	mpfr_set_ui(sum->lo, 1, MPFR_RNDD);
	mpq_clear(q);
}

/* Few terms matter if s is small, or if the first ones already fall fast. */
static bool is_short(const mpz_t m, const mpq_t s)
{
	bool result;
	mpq_t q;

	if (mpq_cmp_ui(s, DIRECT_BELOW, 1) < 0)
		return true;
	mpq_init(q);
	mpq_set_z(q, m);
	mpq_mul_2exp(q, q, 2);
	result = mpq_cmp(q, s) > 0;
	mpq_clear(q);
	return result;
}

/* m > 0 */
static void
positive_tail(struct sotto_enclosure *out, const mpz_t m, const mpq_t s, unsigned bits)
{
	struct sotto_enclosure sum, first;
	mpq_t q;

	sotto_enclosure_init(&sum, bits + GUARD);
	sotto_enclosure_init(&first, bits + GUARD);
	mpq_init(q);
	if (is_short(m, s))
		sum_direct(&sum, m, s, bits);
	else if (is_far(m, s))
		sum_far(&sum, m, s);
	else
		sum_series(&sum, m, s, bits);
	exponent(q, m, s, (const long[]){1, 0, 0});
	exp_rational(&first, q);
	sotto_enclosure_multiply(out, &sum, &first);
	sotto_enclosure_release(&sum);
	sotto_enclosure_release(&first);
	mpq_clear(q);
}

void sotto_gauss_sum_total(struct sotto_enclosure *out, const mpq_t s, unsigned bits)
{
	struct sotto_enclosure one;
	mpz_t m;

	mpz_init_set_ui(m, 1);
	sotto_enclosure_init(&one, bits + GUARD);
	sotto_enclosure_set_integer(&one, 1);
	positive_tail(out, m, s, bits);
	sotto_enclosure_add(out, out, out);
	sotto_enclosure_add(out, out, &one);
	sotto_enclosure_release(&one);
	mpz_clear(m);
}

void sotto_gauss_sum_tail(struct sotto_enclosure *out, const mpz_t m, const mpq_t s,
			  unsigned bits)
{
	struct sotto_enclosure above;
	mpz_t mirror;

	assert(mpq_sgn(s) > 0);
	if (mpz_sgn(m) > 0) {
		positive_tail(out, m, s, bits);
		return;
	}
	sotto_enclosure_init(&above, bits + GUARD);
	mpz_init_set_ui(mirror, 1);
	mpz_sub(mirror, mirror, m); /* y < m are as many as y > -m */
	positive_tail(&above, mirror, s, bits);
	sotto_gauss_sum_total(out, s, bits);
	sotto_enclosure_subtract(out, out, &above);
	sotto_enclosure_release(&above);
	mpz_clear(mirror);
}
