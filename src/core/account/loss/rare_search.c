/*
 * Each value narrows both brackets.  Halving and secants take turns: next to a cliff secants gain nothing, and elsewhere they are at once
 * there.
 */
#include "core/account/loss/rare_search.h"

#include <math.h>
#include <stdbool.h>

#include "core/base/failure.h"

enum { STEPS_MAX = 60, GROWTH = 4 };

/* Takes a value into both brackets. */
static void narrow(struct sotto_rare_search *s, double x, double log_low, double log_high)
{
	if (log_high <= s->down)
		s->high_to = fmin(s->high_to, x);
	else
		s->high_from = fmax(s->high_from, x);
	if (log_low >= s->up)
		s->low_from = fmax(s->low_from, x);
	else
		s->low_to = fmin(s->low_to, x);
}

enum sotto_status
sotto_rare_search_around(struct sotto_rare_search *s, double guess, double step)
{
	double x = fmax(0, guess), low, high, down = step, up = step;

	s->high_from = s->low_from = 0;
	s->high_to = s->low_to = INFINITY;
	for (int i = 0; i < STEPS_MAX; i++) {
		SOTTO_TRY(s->value(s->context, x, &low, &high));
		narrow(s, x, low, high);
		if (isinf(s->high_to)) {
			x = fmax(s->high_from, guess) + up;
			up *= GROWTH;
		} else if (s->low_from == 0 && x > 0) {
			x = fmax(0, fmin(s->low_to, guess) - down);
			down *= GROWTH;
		} else {
			break;
		}
	}
	return SOTTO_OK;
}

/* The value at an end, less the level; NAN if it is not known. */
struct ends {
	double from, to;
};

/* Where to look next in a bracket: by the secant if the last step was not one, or that has halved the bracket. */
static double next(double from, double to, const struct ends *f, bool halve)
{
	double width = to - from, x = from + 0.5 * width;

	if (!halve && isfinite(f->from) && isfinite(f->to) && f->from > f->to)
		x = from + width * f->from / (f->from - f->to);
	return fmin(fmax(x, from + 0.02 * width), to - 0.02 * width);
}

static bool is_narrow(double from, double to, double tolerance)
{
	return to - from <= fmax(tolerance, 0x1p-50 * to);
}

enum sotto_status sotto_rare_search_narrow(struct sotto_rare_search *s, double tolerance)
{
	struct ends high = {NAN, NAN}, low = {NAN, NAN};

	for (int i = 0; i < STEPS_MAX; i++) {
		bool of_low = is_narrow(s->high_from, s->high_to, tolerance);
		double from = of_low ? s->low_from : s->high_from,
		       to = of_low ? s->low_to : s->high_to, log_low, log_high, x;

		if (!isfinite(to) || is_narrow(from, to, tolerance))
			break;
		x = next(from, to, of_low ? &low : &high, i % 3 == 2);
		if (!(x > from && x < to))
			break;
		SOTTO_TRY(s->value(s->context, x, &log_low, &log_high));
		narrow(s, x, log_low, log_high);
		if (s->high_from == x)
			high.from = log_high - s->down;
		if (s->high_to == x)
			high.to = log_high - s->down;
		if (s->low_from == x)
			low.from = log_low - s->up;
		if (s->low_to == x)
			low.to = log_low - s->up;
	}
	return SOTTO_OK;
}
