/*
 * A bracket that is always proven, narrowed by secants and slopes; halving takes over where two
 * steps have gained nothing.
 */
#include "core/account/integral/root.h"

#include <math.h>

#include "core/base/failure.h"

enum { STEPS_MAX = 200 };

/* Values that differ by more than this tell the slope, whatever was thought of it before. */
#define NOISE 1e-6

/*
 * Invariant: value > level at low, value <= level at high (or high is what the
 * caller vouches for, or infinite).  Checked points only: the answer is one end.
 */
struct search {
	double low, high;
	double f_low, f_high; /* value - level there; NAN if not evaluated */
};

/* The point last evaluated, and what the two before and it say about the slope. */
struct trail {
	double x, f, slope;
	double before, long_before; /* f one and two points ago */
	int misses; /* points in a row that fell just short of the root */
};

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

/* By the secant through the ends, or the slope from one of them, else halving. */
static double propose(const struct search *s, double slope)
{
	if (isfinite(s->f_high) && isfinite(s->f_low))
		return s->low + (s->high - s->low) * s->f_low / (s->f_low - s->f_high);
	if (isfinite(s->f_low) && isfinite(s->high) && !isfinite(s->f_high)) /* log of a line */
		return s->high - fmax((s->high - s->low) * exp(-s->f_low), 0x1p-51 * s->high);
	if (isfinite(s->f_low))
		return s->low - s->f_low / slope;
	if (isfinite(s->f_high))
		return s->high - s->f_high / slope;
	return halve(s);
}

/* Takes a value at x into the bracket; what is not a number proves nothing for side. */
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

/* Ends this close are as good as neighbours. */
static bool is_narrow(const struct search *s)
{
	return isfinite(s->high) && s->high - s->low <= 0x1p-50 * s->high;
}

/* A step just past the root; longer and longer while all have been too short. */
static double nudge(const struct sotto_root *r, const struct trail *t)
{
	return ldexp(0.4 * r->tolerance / -t->slope + 0x1p-52 * t->x, 2 * t->misses);
}

/*
 * The tolerance, or what a few ulps of x make of the value if that is more.  Beside a cliff the
 * slope is not a guide: there the ends must become neighbours.
 */
static double reachable(const struct sotto_root *r, const struct trail *t)
{
	return fmax(r->tolerance, fmin(NOISE, 0x1p-51 * t->x * -t->slope));
}

static bool is_like(double seen, double slope)
{
	return seen < 0.01 * slope && seen > 100 * slope;
}

static void follow(const struct sotto_root *r, struct trail *t, double x, double f, int side)
{
	double seen = (f - t->f) / (x - t->x);
	bool is_short = side > 0 ? f > 0 : !(f > 0);

	if (seen < 0 && isfinite(seen) && (fabs(f - t->f) > NOISE || is_like(seen, t->slope)))
		t->slope = seen;
	is_short &= fabs(f) < ldexp(reachable(r, t), 2 * t->misses);
	t->misses = is_short ? t->misses + 1 : 0;
	t->long_before = t->before;
	t->before = t->f;
	t->x = x;
	t->f = f;
}

/* Two steps have not made the value much smaller. */
static bool is_stuck(const struct trail *t)
{
	if (isinf(t->f))
		return isinf(t->before) || isinf(t->long_before);
	return fabs(t->f) > 0.5 * fabs(t->long_before) && t->misses == 0;
}

/*
 * From the last point by its slope.  Where that leads out of the bracket the ends tell, and
 * where the values do not get smaller the bracket is halved.
 */
static double
advance(const struct sotto_root *r, const struct search *s, const struct trail *t, int side)
{
	double step = side * nudge(r, t), x = t->x - t->f / t->slope + step;

	if (is_stuck(t))
		return isnan(s->f_low) && s->high < 0.1 * r->guess ? 0 : halve(s);
	return inside(s, x) ? x : propose(s, t->slope) + step;
}

/*
 * Runs until one end has a value within the tolerance of the level, or the ends
 * are neighbours.  side is +1 to aim just above the root, -1 just below.  0 is
 * evaluated only if the search gets there.
 */
static enum sotto_status run(struct sotto_root *r, struct search *s, int side)
{
	struct trail t = {
		.x = NAN, .f = NAN, .slope = r->slope, .before = NAN, .long_before = NAN};
	double x = r->guess;

	if (!(x < s->high))
		x = s->high - 0x1p-8 * (s->high - s->low);
	for (int i = 0; i < STEPS_MAX; i++) {
		double f;

		if (x <= 0 && isnan(s->f_low))
			x = 0;
		else if (!inside(s, x))
			x = halve(s);
		if (x != 0 && !inside(s, x))
			break;
		SOTTO_TRY(r->value(r->context, x, &f));
		f -= r->level;
		narrow(s, x, f, side);
		follow(r, &t, x, f, side);
		if (s->high == 0 || is_narrow(s) ||
		    fabs(side > 0 ? s->f_high : s->f_low) <= reachable(r, &t))
			break;
		x = advance(r, s, &t, side);
	}
	r->slope = t.slope;
	return SOTTO_OK;
}

enum sotto_status sotto_root_above(struct sotto_root *r, double *x)
{
	struct search s = {0, r->most, NAN, NAN};

	SOTTO_TRY(run(r, &s, 1));
	*x = s.high;
	return SOTTO_OK;
}

enum sotto_status sotto_root_below(struct sotto_root *r, double *x)
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
	struct search s = {0, r->most, NAN, NAN};

	r->value = high;
	r->level = down;
	SOTTO_TRY(run(r, &s, 1));
	*upper = s.high;
	if (isfinite(s.f_high)) {
		r->guess = *upper;
	} else if (isfinite(*upper)) { /* low <= high <= down <= up there */
		r->guess = s.low;
		r->most = *upper;
	}
	r->value = low;
	r->level = up;
	return sotto_root_below(r, lower);
}
