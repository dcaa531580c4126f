/* Exact fractions: arithmetic and rounding. */
#include "sotto/rational.h"

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"

void sotto_rational_init(struct sotto_rational *r)
{
	mpq_init(r->q);
}

void sotto_rational_release(struct sotto_rational *r)
{
	if (!r)
		return;
	mpq_clear(r->q);
	memset(r, 0, sizeof *r);
}

void sotto_rational_set(struct sotto_rational *r, const struct sotto_rational *from)
{
	mpq_set(r->q, sotto_rational_value(from));
}

void sotto_rational_set_integer(struct sotto_rational *r, int64_t x)
{
	mpq_set_si(r->q, x, 1);
}

enum sotto_status sotto_rational_set_ratio(struct sotto_rational *r, int64_t num, int64_t den)
{
	_Static_assert(sizeof(long) == sizeof(int64_t), "mpz_set_si takes a long");
	if (!r || den == 0)
		return SOTTO_EINVAL;
	mpz_set_si(mpq_numref(r->q), num);
	mpz_set_si(mpq_denref(r->q), den);
	mpq_canonicalize(r->q);
	return SOTTO_OK;
}

enum sotto_status sotto_rational_set_double(struct sotto_rational *r, double x)
{
	if (!r || !isfinite(x))
		return SOTTO_EINVAL;
	mpq_set_d(r->q, x);
	return SOTTO_OK;
}

int sotto_rational_sign(const struct sotto_rational *r)
{
	return mpq_sgn(r->q);
}

int sotto_rational_compare(const struct sotto_rational *a, const struct sotto_rational *b)
{
	int c = mpq_cmp(sotto_rational_value(a), sotto_rational_value(b));

	return (c > 0) - (c < 0);
}

void sotto_rational_add(struct sotto_rational *r, const struct sotto_rational *a,
			const struct sotto_rational *b)
{
	mpq_add(r->q, sotto_rational_value(a), sotto_rational_value(b));
}

void sotto_rational_subtract(struct sotto_rational *r, const struct sotto_rational *a,
			     const struct sotto_rational *b)
{
	mpq_sub(r->q, sotto_rational_value(a), sotto_rational_value(b));
}

void sotto_rational_multiply(struct sotto_rational *r, const struct sotto_rational *a,
			     const struct sotto_rational *b)
{
	mpq_mul(r->q, sotto_rational_value(a), sotto_rational_value(b));
}

enum sotto_status sotto_rational_divide(struct sotto_rational *r,
					const struct sotto_rational *a,
					const struct sotto_rational *b)
{
	if (!r || !a || !b || mpq_sgn(b->q) == 0)
		return SOTTO_EINVAL;
	mpq_div(r->q, sotto_rational_value(a), sotto_rational_value(b));
	return SOTTO_OK;
}

void sotto_rational_scale(struct sotto_rational *r, const struct sotto_rational *a,
			  int exponent)
{
	if (exponent >= 0)
		mpq_mul_2exp(r->q, sotto_rational_value(a), (mp_bitcnt_t)exponent);
	else
		mpq_div_2exp(r->q, sotto_rational_value(a), -(mp_bitcnt_t)exponent);
}

enum sotto_status sotto_rational_floor(const struct sotto_rational *r, int64_t *out)
{
	mpz_t floor;
	bool fits;

	if (!r || !out)
		return SOTTO_EINVAL;
	r = sotto_rational_settled(r);
	mpz_init(floor);
	mpz_fdiv_q(floor, mpq_numref(r->q), mpq_denref(r->q));
	fits = mpz_fits_slong_p(floor);
	if (fits)
		*out = mpz_get_si(floor);
	mpz_clear(floor);
	return fits ? SOTTO_OK : SOTTO_EOVERFLOW;
}

static double to_double(const struct sotto_rational *r, mpfr_rnd_t direction)
{
	mpfr_t x;
	double d;

	mpfr_init2(x, 53);
	mpfr_set_q(x, sotto_rational_value(r), direction);
	d = mpfr_get_d(x, direction);
	mpfr_clear(x);
	return d;
}

double sotto_rational_double_down(const struct sotto_rational *r)
{
	return to_double(r, MPFR_RNDD);
}

double sotto_rational_double_up(const struct sotto_rational *r)
{
	return to_double(r, MPFR_RNDU);
}
