/*
 * Fixed-point intervals of GMP integers; the argument is halved until it is small, and the
 * result is squared as often.
 */
#include "testlib/sampler/taylor.h"

#include <stdbool.h>

/* lo <= 2^point v <= hi for the number v it stands for */
struct interval {
	mpz_t lo, hi;
	unsigned point;
};

static void interval_init(struct interval *v, unsigned point)
{
	mpz_inits(v->lo, v->hi, NULL);
	v->point = point;
}

static void interval_release(struct interval *v)
{
	mpz_clears(v->lo, v->hi, NULL);
}

static void interval_set(struct interval *v, const mpq_t x)
{
	mpz_mul_2exp(v->hi, mpq_numref(x), v->point);
	mpz_fdiv_q(v->lo, v->hi, mpq_denref(x));
	mpz_cdiv_q(v->hi, v->hi, mpq_denref(x));
}

/* a <- a b for numbers that are not negative */
static void interval_multiply(struct interval *a, const struct interval *b)
{
	mpz_mul(a->lo, a->lo, b->lo);
	mpz_fdiv_q_2exp(a->lo, a->lo, a->point);
	mpz_mul(a->hi, a->hi, b->hi);
	mpz_cdiv_q_2exp(a->hi, a->hi, a->point);
}

static void interval_divide_ui(struct interval *a, unsigned n)
{
	mpz_fdiv_q_ui(a->lo, a->lo, n);
	mpz_cdiv_q_ui(a->hi, a->hi, n);
}

/* sum +- term */
static void interval_accumulate(struct interval *sum, const struct interval *term, bool minus)
{
	if (minus) {
		mpz_sub(sum->lo, sum->lo, term->hi);
		mpz_sub(sum->hi, sum->hi, term->lo);
	} else {
		mpz_add(sum->lo, sum->lo, term->lo);
		mpz_add(sum->hi, sum->hi, term->hi);
	}
}

/*
 * exp(-y), 0 < y < 1: 1 - y + y^2/2 - ...  The terms fall and alternate, so what
 * is left after some of them lies between 0 and the first one left out.
 */
static void series(struct interval *sum, const struct interval *y)
{
	struct interval term;
	bool minus = true;

	interval_init(&term, y->point);
	mpz_set_ui(sum->lo, 1);
	mpz_mul_2exp(sum->lo, sum->lo, sum->point);
	mpz_set(sum->hi, sum->lo);
	mpz_set(term.lo, sum->lo);
	mpz_set(term.hi, sum->lo);
	for (unsigned n = 1;; n++, minus = !minus) {
		interval_multiply(&term, y);
		interval_divide_ui(&term, n);
		if (mpz_cmp_ui(term.hi, 2) < 0)
			break;
		interval_accumulate(sum, &term, minus);
	}
	mpz_sub(sum->lo, sum->lo, term.hi);
	mpz_add(sum->hi, sum->hi, term.hi);
	interval_release(&term);
}

/* exp(-x) = exp(-x/2^s)^(2^s), with x/2^s below 2^-8 */
static void interval_exp(struct interval *out, const mpq_t x)
{
	size_t num = mpz_sizeinbase(mpq_numref(x), 2), den = mpz_sizeinbase(mpq_denref(x), 2);
	unsigned halvings = num + 9 > den ? (unsigned)(num + 9 - den) : 0;
	struct interval y;
	mpq_t small;

	mpq_init(small);
	mpq_div_2exp(small, x, halvings);
	interval_init(&y, out->point);
	interval_set(&y, small);
	series(out, &y);
	for (unsigned i = 0; i < halvings; i++)
		interval_multiply(out, out);
	interval_release(&y);
	mpq_clear(small);
}

/* a/(1 + a), which grows with a */
static void interval_logistic(struct interval *a)
{
	mpz_t one, below;

	mpz_inits(one, below, NULL);
	mpz_set_ui(one, 1);
	mpz_mul_2exp(one, one, a->point);
	mpz_add(below, one, a->lo);
	mpz_mul_2exp(a->lo, a->lo, a->point);
	mpz_fdiv_q(a->lo, a->lo, below);
	mpz_add(below, one, a->hi);
	mpz_mul_2exp(a->hi, a->hi, a->point);
	mpz_cdiv_q(a->hi, a->hi, below);
	mpz_clears(one, below, NULL);
}

static void digits(const mpq_t x, bool logistic, unsigned bits, mpz_t out)
{
	bool agree = false;

	for (unsigned point = bits + 96; !agree; point *= 2) {
		struct interval v;

		interval_init(&v, point);
		interval_exp(&v, x);
		if (logistic)
			interval_logistic(&v);
		mpz_fdiv_q_2exp(v.lo, v.lo, point - bits);
		mpz_fdiv_q_2exp(v.hi, v.hi, point - bits);
		agree = mpz_cmp(v.lo, v.hi) == 0;
		mpz_set(out, v.lo);
		interval_release(&v);
	}
}

void taylor_exp_digits(const mpq_t x, unsigned bits, mpz_t out)
{
	digits(x, false, bits, out);
}

void taylor_logistic_digits(const mpq_t x, unsigned bits, mpz_t out)
{
	digits(x, true, bits, out);
}
