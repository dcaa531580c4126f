/* Adds up the largest losses of lists of outcomes, and multiplies their masses. */
#include <math.h>

#include "core/account/integral/real.h"
#include "core/account/law/clone_groups/clone_group.h"
#include "core/account/loss/measure/loss_measure.h"

/* Losses as near to the largest as this, relative, are the largest too. */
#define SAME 0x1p-45

/* The largest loss of one event: how far it may be below what it counts as; its mass, and what that is wrong by; how far it is to the next. */
struct top {
	double spread, mass, mass_error, gap;
};

static bool is_list(const struct sotto_law *law)
{
	return law->class == &sotto_law_atoms || law->class == &sotto_law_cloud ||
	       law->class == &sotto_law_points || law->class == &sotto_law_fine_points;
}

static struct top top_of_list(const struct sotto_law *law)
{
	double top = -INFINITY, next = -INFINITY, same;
	struct top t = {.mass_error = 2 * law->mass_error + 0x1p-40};

	for (size_t i = 0; i < law->n; i++)
		top = fmax(top, law->loss[i]);
	same = SAME * fabs(top);
	for (size_t i = 0; i < law->n; i++) {
		if (law->loss[i] >= top - same)
			t.mass += law->mass[i];
		else
			next = fmax(next, law->loss[i]);
	}
	t.spread = same + 2 * (law->loss_error * fabs(top) + law->loss_shift);
	t.gap = top - next - 2 * t.spread - SAME * fabs(next);
	return t;
}

/* The largest loss of all together; false if some event's is not known. */
static bool find_top(const struct sotto_loss_measure *m, struct top *all)
{
	double log_mass = 0, slack = 0;

	*all = (struct top){.gap = INFINITY};
	for (size_t i = 0; i < m->n; i++) {
		const struct sotto_law *law = &m->laws[i];
		double count = (double)law->count;
		struct top t;

		if (is_list(law))
			t = top_of_list(law);
		else if (law->clone_group)
			t = (struct top){SAME * law->top, law->clone_group->top_mass,
					 SOTTO_CLONE_GROUP_TOP_ERROR, law->clone_group->gap};
		else
			return false;
		log_mass += count * log(t.mass);
		slack += count * t.mass_error + 4 * SOTTO_U * fabs(log_mass);
		all->spread += count * t.spread;
		all->gap = fmin(all->gap, t.gap);
	}
	all->mass = log_mass;
	all->mass_error = slack;
	return m->mu2 == 0 && isfinite(m->top) && isfinite(log_mass);
}

/* The epsilon at which the largest loss alone makes up a part of its mass. */
static double below_top(double top, double log_part)
{
	return log_part < 0 ? top + log1p(-exp(log_part)) : -INFINITY;
}

bool sotto_measure_near_top(const struct sotto_loss_measure *m, double log_down, double log_up,
			    double *lower, double *upper)
{
	struct top all;

	*lower = 0;
	if (!find_top(m, &all))
		return false;
	*lower = fmax(0, sotto_ulps_down(below_top(m->top_low - all.spread,
						   log_up - all.mass + all.mass_error),
					 8));
	*upper = sotto_ulps_up(below_top(m->top, log_down - all.mass - all.mass_error), 8);
	return *lower > 0 && *upper > m->top - all.gap;
}
