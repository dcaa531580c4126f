/*
 * enclosure.h - encloses real numbers between two bounds
 *
 * Every operation rounds the lower end down and the upper end up, so the true result stays inside
 * at any precision.
 */
#ifndef SOTTO_ENCLOSURE_H
#define SOTTO_ENCLOSURE_H

#include <gmp.h>
#include <mpfr.h>
#include <stdbool.h>

struct sotto_enclosure {
	mpfr_t lo;
	mpfr_t hi;
};

/* Initializes to zero.  Pair each _init with one _release. */
void sotto_enclosure_init(struct sotto_enclosure *e, mpfr_prec_t bits);
void sotto_enclosure_release(struct sotto_enclosure *e);

void sotto_enclosure_set(struct sotto_enclosure *e, const struct sotto_enclosure *from);
void sotto_enclosure_set_rational(struct sotto_enclosure *e, const mpq_t q);
void sotto_enclosure_set_integer(struct sotto_enclosure *e, long n);
void sotto_enclosure_set_pi(struct sotto_enclosure *e);

/* r may be one of the operands. */
void sotto_enclosure_add(struct sotto_enclosure *r, const struct sotto_enclosure *a,
			 const struct sotto_enclosure *b);
void sotto_enclosure_subtract(struct sotto_enclosure *r, const struct sotto_enclosure *a,
			      const struct sotto_enclosure *b);
void sotto_enclosure_multiply(struct sotto_enclosure *r, const struct sotto_enclosure *a,
			      const struct sotto_enclosure *b);
void sotto_enclosure_divide(struct sotto_enclosure *r, const struct sotto_enclosure *a,
			    const struct sotto_enclosure *b); /* b > 0 */
void sotto_enclosure_multiply_rational(struct sotto_enclosure *r,
				       const struct sotto_enclosure *a, const mpq_t q);

/* Work in place; sqrt and log need a positive argument. */
void sotto_enclosure_exp(struct sotto_enclosure *e);
void sotto_enclosure_sqrt(struct sotto_enclosure *e);
void sotto_enclosure_erfc(struct sotto_enclosure *e);

/* Moves both ends outward by the upper end of radius. */
void sotto_enclosure_widen(struct sotto_enclosure *e, const struct sotto_enclosure *radius);

#endif
