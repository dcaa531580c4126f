/*
 * Interval arithmetic in exact fractions, where NULL is an open end; functions in floating
 * point are rounded outwards by a few steps.
 */
#include "core/number/rational/rational_round.h"
#include "central/expression/range/value_range.h"

#include <math.h>

#include "core/base/arena_rational.h"
#include "core/base/failure.h"

bool sotto_range_is_closed(struct sotto_value_range r)
{
	return r.lo && r.hi;
}

static struct sotto_rational *fresh(struct sotto_arena *a)
{
	return sotto_arena_rational(a);
}

enum sotto_status
sotto_range_of(struct sotto_arena *a, long lo, long hi, struct sotto_value_range *out)
{
	struct sotto_rational *l = fresh(a), *h = fresh(a);

	if (!l || !h)
		return SOTTO_ENOMEM;
	mpq_set_si(l->q, lo, 1);
	mpq_set_si(h->q, hi, 1);
	*out = (struct sotto_value_range){l, h};
	return SOTTO_OK;
}

/* The sum or difference of two ends; open if one of them is. */
static enum sotto_status combine(struct sotto_arena *a, const struct sotto_rational *x,
				 const struct sotto_rational *y, bool subtract,
				 const struct sotto_rational **out)
{
	struct sotto_rational *r;

	*out = NULL;
	if (!x || !y)
		return SOTTO_OK;
	r = fresh(a);
	if (!r)
		return SOTTO_ENOMEM;
	if (subtract)
		sotto_rational_subtract(r, x, y);
	else
		sotto_rational_add(r, x, y);
	*out = r;
	return SOTTO_OK;
}

enum sotto_status sotto_range_add(struct sotto_arena *a, struct sotto_value_range x,
				  struct sotto_value_range y, struct sotto_value_range *out)
{
	SOTTO_TRY(combine(a, x.lo, y.lo, false, &out->lo));
	return combine(a, x.hi, y.hi, false, &out->hi);
}

enum sotto_status sotto_range_subtract(struct sotto_arena *a, struct sotto_value_range x,
				       struct sotto_value_range y,
				       struct sotto_value_range *out)
{
	SOTTO_TRY(combine(a, x.lo, y.hi, true, &out->lo));
	return combine(a, x.hi, y.lo, true, &out->hi);
}

enum sotto_status sotto_range_negate(struct sotto_arena *a, struct sotto_value_range x,
				     struct sotto_value_range *out)
{
	struct sotto_value_range zero;

	SOTTO_TRY(sotto_range_of(a, 0, 0, &zero));
	return sotto_range_subtract(a, zero, x, out);
}

static void
widen(struct sotto_rational *lo, struct sotto_rational *hi, const struct sotto_rational *x)
{
	if (sotto_rational_compare(x, lo) < 0)
		sotto_rational_set(lo, x);
	if (sotto_rational_compare(x, hi) > 0)
		sotto_rational_set(hi, x);
}

/* The extremes of a product lie at the corners; an open end opens both. */
enum sotto_status sotto_range_multiply(struct sotto_arena *a, struct sotto_value_range x,
				       struct sotto_value_range y,
				       struct sotto_value_range *out)
{
	const struct sotto_rational *xs[] = {x.lo, x.hi}, *ys[] = {y.lo, y.hi};
	struct sotto_rational *lo = fresh(a), *hi = fresh(a), *corner = fresh(a);

	if (!lo || !hi || !corner)
		return SOTTO_ENOMEM;
	*out = (struct sotto_value_range){NULL, NULL};
	if (!sotto_range_is_closed(x) || !sotto_range_is_closed(y))
		return SOTTO_OK;
	sotto_rational_multiply(lo, x.lo, y.lo);
	sotto_rational_set(hi, lo);
	for (int i = 0; i < 4; i++) {
		sotto_rational_multiply(corner, xs[i / 2], ys[i % 2]);
		widen(lo, hi, corner);
	}
	*out = (struct sotto_value_range){lo, hi};
	return SOTTO_OK;
}

/* Closed only when the divisor keeps away from zero. */
enum sotto_status sotto_range_divide(struct sotto_arena *a, struct sotto_value_range x,
				     struct sotto_value_range y, struct sotto_value_range *out)
{
	struct sotto_rational *lo = fresh(a), *hi = fresh(a);

	if (!lo || !hi)
		return SOTTO_ENOMEM;
	*out = (struct sotto_value_range){NULL, NULL};
	if (!sotto_range_is_closed(y) ||
	    sotto_rational_sign(y.lo) * sotto_rational_sign(y.hi) <= 0)
		return SOTTO_OK;
	mpq_inv(lo->q, y.hi->q);
	mpq_inv(hi->q, y.lo->q);
	return sotto_range_multiply(a, x, (struct sotto_value_range){lo, hi}, out);
}

enum sotto_status sotto_range_absolute(struct sotto_arena *a, struct sotto_value_range x,
				       struct sotto_value_range *out)
{
	struct sotto_value_range zero, mirrored;

	SOTTO_TRY(sotto_range_of(a, 0, 0, &zero));
	SOTTO_TRY(sotto_range_negate(a, x, &mirrored));
	*out = sotto_range_greatest(sotto_range_greatest(x, mirrored), zero);
	return SOTTO_OK;
}

static const struct sotto_rational *
larger(const struct sotto_rational *x, const struct sotto_rational *y)
{
	return sotto_rational_compare(x, y) >= 0 ? x : y;
}

static const struct sotto_rational *
smaller(const struct sotto_rational *x, const struct sotto_rational *y)
{
	return sotto_rational_compare(x, y) <= 0 ? x : y;
}

struct sotto_value_range
sotto_range_hull(struct sotto_value_range x, struct sotto_value_range y)
{
	return (struct sotto_value_range){x.lo && y.lo ? smaller(x.lo, y.lo) : NULL,
					  x.hi && y.hi ? larger(x.hi, y.hi) : NULL};
}

struct sotto_value_range
sotto_range_greatest(struct sotto_value_range x, struct sotto_value_range y)
{
	return (struct sotto_value_range){x.lo && y.lo ? larger(x.lo, y.lo)
						       : (x.lo ? x.lo : y.lo),
					  x.hi && y.hi ? larger(x.hi, y.hi) : NULL};
}

struct sotto_value_range
sotto_range_least(struct sotto_value_range x, struct sotto_value_range y)
{
	return (struct sotto_value_range){x.lo && y.lo ? smaller(x.lo, y.lo) : NULL,
					  x.hi && y.hi ? smaller(x.hi, y.hi)
						       : (x.hi ? x.hi : y.hi)};
}

static enum sotto_status whole_end(struct sotto_arena *a, const struct sotto_rational *x,
				   bool up, const struct sotto_rational **out)
{
	struct sotto_rational *r;

	*out = NULL;
	if (!x)
		return SOTTO_OK;
	r = fresh(a);
	if (!r)
		return SOTTO_ENOMEM;
	sotto_rational_set(r, x);
	if (up)
		sotto_rational_round_up(r, 0);
	else
		sotto_rational_round_down(r, 0);
	*out = r;
	return SOTTO_OK;
}

enum sotto_status sotto_range_whole(struct sotto_arena *a, struct sotto_value_range x,
				    struct sotto_value_range *out)
{
	SOTTO_TRY(whole_end(a, x.lo, false, &out->lo));
	return whole_end(a, x.hi, true, &out->hi);
}

static enum sotto_status growing_end(struct sotto_arena *a, double value, double towards,
				     const struct sotto_rational **out)
{
	struct sotto_rational *r = fresh(a);

	if (!r)
		return SOTTO_ENOMEM;
	for (int i = 0; i < 4; i++)
		value = nextafter(value, towards);
	*out = sotto_rational_set_double(r, value) == SOTTO_OK ? r : NULL;
	return SOTTO_OK;
}

enum sotto_status sotto_range_growing(struct sotto_arena *a, struct sotto_value_range x,
				      double (*f)(double), struct sotto_value_range *out)
{
	*out = (struct sotto_value_range){NULL, NULL};
	if (x.lo)
		SOTTO_TRY(growing_end(a, f(sotto_rational_double_down(x.lo)), -INFINITY,
				      &out->lo));
	if (x.hi)
		SOTTO_TRY(
			growing_end(a, f(sotto_rational_double_up(x.hi)), INFINITY, &out->hi));
	return SOTTO_OK;
}
