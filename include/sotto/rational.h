/*
 * sotto/rational.h - exact fractions for epsilons, deltas, scales and budgets
 *
 * "0.1" is 1/10 here, and ten of them are 1.  Nothing is rounded unless the
 * function's name says which way (_up, _down).  A zeroed struct is a valid zero.
 */
#ifndef SOTTO_RATIONAL_H
#define SOTTO_RATIONAL_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

/*
 * Keep it on the stack or inside a struct of your own, and do not use its members.
 * Inside the library (SOTTO_INSIDE, after <gmp.h>) it is a GMP fraction.
 */
struct sotto_rational {
#ifdef SOTTO_INSIDE
	mpq_t q;
#else
	struct {
		int allocated, used;
		void *digits;
	} numerator, denominator;
#endif
};

/*
 * Makes zero.  Pair each _init with one _release, after which the struct is zeroed:
 * releasing it again, or NULL, does nothing.
 */
SOTTO_API void sotto_rational_init(struct sotto_rational *r);
SOTTO_API void sotto_rational_release(struct sotto_rational *r);

SOTTO_API void sotto_rational_set(struct sotto_rational *r, const struct sotto_rational *from);

SOTTO_API void sotto_rational_set_integer(struct sotto_rational *r, int64_t x);

/* r = num / den.  Fails: SOTTO_EINVAL if den is 0. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_rational_set_ratio(struct sotto_rational *r, int64_t num, int64_t den);

/*
 * The dyadic fraction that a double holds: 0.1 becomes 3602879701896397/2^55.
 * Fails: SOTTO_EINVAL for a NaN or an infinity.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_rational_set_double(struct sotto_rational *r, double x);

/*
 * Reads "12", "-0.25", "1e-6", "2.5E+3" or "1/3" (each part of a fraction may
 * itself be decimal), the whole of text, no spaces around it.
 *
 * Fails: SOTTO_EPARSE, err says at which character; SOTTO_ERANGE past 4096
 * characters or an exponent beyond 10000.  r is then untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_rational_parse(struct sotto_rational *r, const char *text, struct sotto_error *err);

/* -1, 0 or 1. */
SOTTO_API int sotto_rational_sign(const struct sotto_rational *r);
SOTTO_API int
sotto_rational_compare(const struct sotto_rational *a, const struct sotto_rational *b);

/* r may be one of the operands.  _divide fails with SOTTO_EINVAL when b is 0. */
SOTTO_API void sotto_rational_add(struct sotto_rational *r, const struct sotto_rational *a,
				  const struct sotto_rational *b);
SOTTO_API void sotto_rational_subtract(struct sotto_rational *r, const struct sotto_rational *a,
				       const struct sotto_rational *b);
SOTTO_API void sotto_rational_multiply(struct sotto_rational *r, const struct sotto_rational *a,
				       const struct sotto_rational *b);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_rational_divide(struct sotto_rational *r, const struct sotto_rational *a,
		      const struct sotto_rational *b);

/* r = a 2^exponent. */
SOTTO_API void
sotto_rational_scale(struct sotto_rational *r, const struct sotto_rational *a, int exponent);

/* The largest whole number that is not above r.  Fails: SOTTO_EOVERFLOW. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_rational_floor(const struct sotto_rational *r, int64_t *out);

/* The nearest double on the named side (an infinity past the range). */
SOTTO_API double sotto_rational_double_down(const struct sotto_rational *r);
SOTTO_API double sotto_rational_double_up(const struct sotto_rational *r);

/*
 * Writes r exactly: as a decimal if it ends within 40 digits after the point,
 * else as a fraction.  The result is a malloc'd string that the caller frees.
 * _parse of it gives r back.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_rational_format(const struct sotto_rational *r, char **out);

/* The same, always as a fraction in lowest terms: "1/4", or "3" for a whole number. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_rational_format_fraction(const struct sotto_rational *r, char **out);

/*
 * Writes r for people, as a decimal with at most `digits` significant digits (up to
 * 1000), like 0.25, 1.23508 or 1e-7, rounded down or up.  The caller frees *out.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_rational_format_down(const struct sotto_rational *r, unsigned digits, char **out);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_rational_format_up(const struct sotto_rational *r, unsigned digits, char **out);

#endif
