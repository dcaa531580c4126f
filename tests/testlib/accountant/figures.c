/*
 * How far an answer may be on the safe side follows from the digits that a figure is written
 * with; on the other side only half of the last digit is allowed.
 */
#include "testlib/accountant/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testlib/accountant/accounting.h"
#include "testlib/tap.h"

/* Half a unit of the last digit that is written, and what a double of it may be off. */
static double half_unit(const char *value)
{
	const char *point = strchr(value, '.'), *e = strchr(value, 'e');
	size_t digits = point ? strspn(point + 1, "0123456789") : 0;

	return (digits ? 0.5 * pow(10, (e ? atoi(e + 1) : 0) - (double)digits) : 0) +
	       0x1p-52 * fabs(atof(value));
}

void figure_check(const char *what, const struct figure *f, double lower, double upper,
		  bool has_lower)
{
	double value = atof(f->value), half = half_unit(f->value), slack = 1e-9 * value + half;

	(void)tap_check(upper >= value - half && upper <= value + slack, __FILE__, __LINE__,
			"%s: %s at %s, %s: at most %.17g, expected %s", what, f->events, f->at,
			sotto_method_name(f->method), upper, f->value);
	if (has_lower)
		(void)tap_check(lower <= value + half && lower >= value - slack, __FILE__,
				__LINE__, "%s: %s at %s: at least %.17g, expected %s", what,
				f->events, f->at, lower, f->value);
}

void figures_check_epsilons(const struct figure *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sotto_account_answer a =
			epsilon_at(list[i].events, list[i].at, list[i].method);

		figure_check("epsilon", &list[i], a.lower, a.upper, a.method == SOTTO_PLD);
	}
}

void figures_check_deltas(const struct figure *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sotto_account_answer a =
			delta_at(list[i].events, list[i].at, list[i].method);

		figure_check("delta", &list[i], a.lower, a.upper, a.method == SOTTO_PLD);
	}
}

void figure_check_up(const char *what, double got, const char *value)
{
	struct figure f = {what, SOTTO_RDP, "-", value};

	figure_check("value", &f, 0, got, false);
}
