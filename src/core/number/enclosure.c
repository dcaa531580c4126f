/*
 * Each operation on MPFR numbers is done twice, once for each end; a product takes the extremes
 * of four.
 */
#include "core/number/enclosure.h"

#include <assert.h>

void sotto_enclosure_init(struct sotto_enclosure *e, mpfr_prec_t bits)
{
	mpfr_init2(e->lo, bits);
	mpfr_init2(e->hi, bits);
	sotto_enclosure_set_integer(e, 0);
}

void sotto_enclosure_release(struct sotto_enclosure *e)
{
	mpfr_clear(e->lo);
	mpfr_clear(e->hi);
}

void sotto_enclosure_set(struct sotto_enclosure *e, const struct sotto_enclosure *from)
{
	mpfr_set(e->lo, from->lo, MPFR_RNDD);
	mpfr_set(e->hi, from->hi, MPFR_RNDU);
}

void sotto_enclosure_set_rational(struct sotto_enclosure *e, const mpq_t q)
{
	mpfr_set_q(e->lo, q, MPFR_RNDD);
	mpfr_set_q(e->hi, q, MPFR_RNDU);
}

void sotto_enclosure_set_integer(struct sotto_enclosure *e, long n)
{
	mpfr_set_si(e->lo, n, MPFR_RNDD);
	mpfr_set_si(e->hi, n, MPFR_RNDU);
}

void sotto_enclosure_set_pi(struct sotto_enclosure *e)
{
	mpfr_const_pi(e->lo, MPFR_RNDD);
	mpfr_const_pi(e->hi, MPFR_RNDU);
}

void sotto_enclosure_add(struct sotto_enclosure *r, const struct sotto_enclosure *a,
			 const struct sotto_enclosure *b)
{
	mpfr_add(r->lo, a->lo, b->lo, MPFR_RNDD);
	mpfr_add(r->hi, a->hi, b->hi, MPFR_RNDU);
}

void sotto_enclosure_subtract(struct sotto_enclosure *r, const struct sotto_enclosure *a,
			      const struct sotto_enclosure *b)
{
	mpfr_t lo;

	mpfr_init2(lo, mpfr_get_prec(r->lo));
	mpfr_sub(lo, a->lo, b->hi, MPFR_RNDD);
	mpfr_sub(r->hi, a->hi, b->lo, MPFR_RNDU);
	mpfr_swap(r->lo, lo);
	mpfr_clear(lo);
}

/* The least (greatest) product of an end of a and an end of b, rounded down (up). */
static void extreme_product(mpfr_t out, const struct sotto_enclosure *a,
			    const struct sotto_enclosure *b, mpfr_rnd_t direction)
{
	int (*choose)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t) =
		direction == MPFR_RNDD ? mpfr_min : mpfr_max;
	const mpfr_srcptr x[] = {a->lo, a->lo, a->hi, a->hi};
	const mpfr_srcptr y[] = {b->lo, b->hi, b->lo, b->hi};
	mpfr_t product;

	mpfr_init2(product, mpfr_get_prec(out));
	mpfr_mul(out, x[0], y[0], direction);
	for (size_t i = 1; i < 4; i++) {
		mpfr_mul(product, x[i], y[i], direction);
		choose(out, out, product, direction);
	}
	mpfr_clear(product);
}

void sotto_enclosure_multiply(struct sotto_enclosure *r, const struct sotto_enclosure *a,
			      const struct sotto_enclosure *b)
{
	mpfr_prec_t bits = mpfr_get_prec(r->lo);
	mpfr_t lo, hi;

	mpfr_init2(lo, bits);
	mpfr_init2(hi, bits);
	extreme_product(lo, a, b, MPFR_RNDD);
	extreme_product(hi, a, b, MPFR_RNDU);
	mpfr_swap(r->lo, lo);
	mpfr_swap(r->hi, hi);
	mpfr_clear(lo);
	mpfr_clear(hi);
}

void sotto_enclosure_divide(struct sotto_enclosure *r, const struct sotto_enclosure *a,
			    const struct sotto_enclosure *b)
{
	struct sotto_enclosure inverse;

	assert(mpfr_sgn(b->lo) > 0);
	sotto_enclosure_init(&inverse, mpfr_get_prec(r->lo));
	mpfr_ui_div(inverse.lo, 1, b->hi, MPFR_RNDD);
	mpfr_ui_div(inverse.hi, 1, b->lo, MPFR_RNDU);
	sotto_enclosure_multiply(r, a, &inverse);
	sotto_enclosure_release(&inverse);
}

void sotto_enclosure_multiply_rational(struct sotto_enclosure *r,
				       const struct sotto_enclosure *a, const mpq_t q)
{
	struct sotto_enclosure factor;

	sotto_enclosure_init(&factor, mpfr_get_prec(r->lo));
	sotto_enclosure_set_rational(&factor, q);
	sotto_enclosure_multiply(r, a, &factor);
	sotto_enclosure_release(&factor);
}

void sotto_enclosure_exp(struct sotto_enclosure *e)
{
	mpfr_exp(e->lo, e->lo, MPFR_RNDD);
	mpfr_exp(e->hi, e->hi, MPFR_RNDU);
}

void sotto_enclosure_sqrt(struct sotto_enclosure *e)
{
	mpfr_sqrt(e->lo, e->lo, MPFR_RNDD);
	mpfr_sqrt(e->hi, e->hi, MPFR_RNDU);
}

void sotto_enclosure_erfc(struct sotto_enclosure *e)
{
	mpfr_erfc(e->lo, e->lo, MPFR_RNDU);
	mpfr_erfc(e->hi, e->hi, MPFR_RNDD);
	mpfr_swap(e->lo, e->hi); /* erfc falls */
}

void sotto_enclosure_widen(struct sotto_enclosure *e, const struct sotto_enclosure *radius)
{
	mpfr_sub(e->lo, e->lo, radius->hi, MPFR_RNDD);
	mpfr_add(e->hi, e->hi, radius->hi, MPFR_RNDU);
}
