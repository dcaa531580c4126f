#include "account/root.h"

#include <math.h>

#include "base/failure.h"

enum { STEPS_MAX = 200 };

/*
 * Invariant: value > level at low, value <= level at high (or high is what the
 * caller vouches for, or infinite).  Checked points only: the answer is one end.
 */
struct search {
	double low, high;
	double f_low, f_high; /* value - level there; NAN if not evaluated */
};

/* By the secant through the ends, or the slope from one of them, else halving. */
static double propose(const struct search *s, double slope, double step)
{
	double x;

	if (!isnan(s->f_low) && !isnan(s->f_high) && isfinite(s->f_high) && isfinite(s->f_low))
		x = s->low + (s->high - s->low) * s->f_low / (s->f_low - s->f_high);
	else if (isfinite(s->f_low) && isfinite(s->high) && s->f_high == -INFINITY)
		x = s->high - (s->high - s->low) * exp(-s->f_low); /* log of a line to 0 */
	else if (!isnan(s->f_low) && isfinite(s->f_low))
		x = s->low - s->f_low / slope;
	else if (!isnan(s->f_high) && isfinite(s->f_high))
		x = s->high - s->f_high / slope;
	else
		x = 0.5 * (s->low + s->high);
	return x + step;
}

static bool inside(const struct search *s, double x)
{
	return x > s->low && x < s->high;
}

static double halve(const struct search *s)
{
	if (isinf(s->high))
		return 2 * s->low + 1;
	return s->low + 0.5 * (s->high - s->low);
}

/* Takes a value at x into the bracket; what is no number proves nothing for side. */
static void narrow(struct search *s, double x, double f, int side)
{
	if (f > 0 || (isnan(f) && side > 0)) {
		s->low = x;
		s->f_low = f;
	} else {
		s->high = x;
		s->f_high = f;
	}
}

/* What the last two values say about the slope, where that is a number. */
static double learn_slope(double slope, double dx, double df)
{
	double seen = df / dx;

	return seen < 0.01 * slope && seen > 100 * slope ? seen : slope;
}

static bool one_sided(const struct search *s)
{
	return isnan(s->f_low) || isnan(s->f_high);
}

/* A step just past the root; longer and longer while it has only been seen from one side. */
static double nudge(const struct sotto_root *r, double slope, double x, int doublings)
{
	return ldexp(0.4 * r->tolerance / -slope + 0x1p-52 * x, doublings);
}

/*
 * Runs until one end has a value within the tolerance of the level, or the ends
 * are neighbours.  side is +1 to aim just above the root, -1 just below.  0 is
 * evaluated only if the search gets there.
 */
static enum sotto_status run(const struct sotto_root *r, struct search *s, int side)
{
	double x = r->guess, width = INFINITY, slope = r->slope, last = NAN, f_last = NAN;

	for (int i = 0; i < STEPS_MAX; i++) {
		double f;

		if (x <= 0 && isnan(s->f_low))
			x = 0;
		else if (!inside(s, x))
			x = halve(s);
		if (x != 0 && !inside(s, x))
			break;
		SOTTO_TRY(r->value(r->context, x, &f));
		narrow(s, x, f - r->level, side);
		if (s->high == 0 || fabs(side > 0 ? s->f_high : s->f_low) <= r->tolerance)
			break;
		slope = learn_slope(slope, x - last, f - f_last);
		last = x;
		f_last = f;
		x = propose(s, slope, side * nudge(r, slope, x, one_sided(s) ? 2 * i : 0));
		if (i % 4 == 3 && !isnan(s->f_low) && !isnan(s->f_high)) {
			if (s->high - s->low >
			    0.3 * width) /* secants may creep from one side */
				x = halve(s);
			width = s->high - s->low;
		}
	}
	return SOTTO_OK;
}

enum sotto_status sotto_root_above(const struct sotto_root *r, double *x)
{
	struct search s = {0, r->most, NAN, NAN};

	SOTTO_TRY(run(r, &s, 1));
	*x = s.high;
	return SOTTO_OK;
}

enum sotto_status sotto_root_below(const struct sotto_root *r, double *x)
{
	struct search s = {0, r->most, NAN, NAN};

	SOTTO_TRY(run(r, &s, -1));
	*x = s.low;
	return SOTTO_OK;
}

enum sotto_status sotto_root_both(struct sotto_root *r, sotto_root_value *low,
				  sotto_root_value *high, double down, double up, double *lower,
				  double *upper)
{
	r->value = high;
	r->level = down;
	SOTTO_TRY(sotto_root_above(r, upper));
	if (isfinite(*upper))
		r->guess = *upper;
	r->value = low;
	r->level = up;
	return sotto_root_below(r, lower);
}
