#include "core/account/loss/worse_direction.h"

#include <math.h>

#include "core/account/integral/root.h"
#include "core/base/failure.h"

/* The larger upper bound; one that could not be computed is not below most. */
static double worse(double a, double b, double most)
{
	return isnan(b) ? most : fmax(a, b);
}

/*
 * Every pair of bounds that is published passes here.  Sides that cross, or are no numbers, prove
 * that one of them is wrong and not which: then nothing is claimed but none to most.
 */
static void settle(double *low, double *high, double none, double most)
{
	if (*low <= *high)
		return;
	*low = none;
	*high = most;
}

/* One value tells if this direction's epsilon is at most the other's. */
static enum sotto_status
is_below(struct sotto_curve *c, const struct sotto_level *level, double epsilon, bool *yes)
{
	double low, high = 0;

	if (epsilon > 0 && isfinite(epsilon))
		SOTTO_TRY(sotto_curve_delta(c, epsilon, &low, &high));
	*yes = high < level->log_down;
	return SOTTO_OK;
}

enum sotto_status sotto_worst_epsilon(const struct sotto_terms *t,
				      const struct sotto_level *level, double *lower,
				      double *upper)
{
	bool symmetric = false;

	*lower = *upper = 0;
	for (int d = SOTTO_REMOVE; d <= SOTTO_ADD && !symmetric; d++) {
		struct sotto_curve *c;
		enum sotto_status st;
		double low = 0, high = 0;
		bool below;

		SOTTO_TRY(sotto_curve_new(t, (enum sotto_direction)d, &c));
		st = is_below(c, level, *lower, &below);
		if (st == SOTTO_OK && !below)
			st = sotto_curve_epsilon(c, level, &low, &high);
		symmetric = sotto_curve_is_symmetric(c);
		sotto_curve_free(c);
		SOTTO_TRY(st);
		settle(&low, &high, 0, INFINITY);
		*lower = fmax(*lower, low);
		*upper = worse(*upper, high, INFINITY);
	}
	settle(lower, upper, 0, INFINITY);
	return SOTTO_OK;
}

static enum sotto_status value_high(void *context, double x, double *out)
{
	double low;

	SOTTO_TRY(sotto_curve_delta(context, x, &low, out));
	settle(&low, out, -INFINITY, 0);
	return SOTTO_OK;
}

enum sotto_status sotto_worst_epsilon_near(const struct sotto_terms *t,
					   const struct sotto_level *level, double guess,
					   double *upper)
{
	bool symmetric = false;

	*upper = 0;
	for (int d = SOTTO_REMOVE; d <= SOTTO_ADD && !symmetric; d++) {
		struct sotto_root r = {.value = value_high,
				       .level = level->log_down,
				       .guess = guess,
				       .slope = level->log_down / guess,
				       .most = INFINITY,
				       .tolerance = 1e-9};
		struct sotto_curve *c;
		enum sotto_status st;
		double high = 0;
		bool below;

		SOTTO_TRY(sotto_curve_new(t, (enum sotto_direction)d, &c));
		(void)sotto_curve_make_rough(c);
		r.context = c;
		st = is_below(c, level, *upper, &below);
		if (st == SOTTO_OK && !below)
			st = sotto_root_above(&r, &high);
		symmetric = sotto_curve_is_symmetric(c);
		sotto_curve_free(c);
		SOTTO_TRY(st);
		*upper = worse(*upper, high, INFINITY);
	}
	return SOTTO_OK;
}

static enum sotto_status raise_curve(struct sotto_curve *c, const double *epsilon, size_t n,
				     double *log_low, double *log_high)
{
	for (size_t i = 0; i < n; i++) {
		double low, high;

		SOTTO_TRY(sotto_curve_delta(c, epsilon[i], &low, &high));
		settle(&low, &high, -INFINITY, 0);
		log_low[i] = fmax(log_low[i], low);
		log_high[i] = worse(log_high[i], high, 0);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_worst_curve(const struct sotto_terms *t, const double *epsilon,
				    size_t n, double *log_low, double *log_high,
				    const char **way)
{
	bool symmetric = false;

	for (size_t i = 0; i < n; i++)
		log_low[i] = log_high[i] = -INFINITY;
	for (int d = SOTTO_REMOVE; d <= SOTTO_ADD && !symmetric; d++) {
		struct sotto_curve *c;
		enum sotto_status st;

		SOTTO_TRY(sotto_curve_new(t, (enum sotto_direction)d, &c));
		st = raise_curve(c, epsilon, n, log_low, log_high);
		symmetric = sotto_curve_is_symmetric(c);
		*way = sotto_curve_way(c);
		sotto_curve_free(c);
		SOTTO_TRY(st);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_worst_delta(const struct sotto_terms *t, double epsilon,
				    double *log_low, double *log_high)
{
	const char *way;

	return sotto_worst_curve(t, &epsilon, 1, log_low, log_high, &way);
}
