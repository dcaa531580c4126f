/*
 * Computes one direction and, unless the events are symmetric, the other; for epsilon one value
 * often shows that the second is not worse, and its search is spared.
 */
#include "core/account/loss/worse_direction.h"

#include <math.h>

#include "core/account/integral/root.h"
#include "core/base/failure.h"

/* The larger upper bound; one that could not be computed is not below most. */
static double worse(double a, double b, double most)
{
	return isnan(b) ? most : fmax(a, b);
}

bool sotto_sides_settle(double *low, double *high, double none, double most)
{
	if (*low <= *high)
		return true;
	*low = none;
	*high = most;
	return false;
}

/* One value tells if this direction's epsilon is at most the other's. */
static enum sotto_status
is_below(struct sotto_curve *c, const struct sotto_level *level, double epsilon, bool *yes)
{
	*yes = false;
	if (epsilon > 0 && isfinite(epsilon))
		return sotto_curve_is_below(c, epsilon, level->log_down, yes);
	return SOTTO_OK;
}

/* epsilon of one direction: 0 if the other's, of which a lower side is given, is not less. */
static enum sotto_status epsilon_of(const struct sotto_terms *t, enum sotto_direction d,
				    const struct sotto_level *level, double other, double *low,
				    double *high, bool *symmetric)
{
	struct sotto_curve *c;
	enum sotto_status st;
	bool below;

	*low = *high = 0;
	SOTTO_TRY(sotto_curve_new(t, d, &c));
	st = is_below(c, level, other, &below);
	if (st == SOTTO_OK && !below)
		st = sotto_curve_epsilon(c, level, low, high);
	*symmetric = sotto_curve_is_symmetric(c);
	sotto_curve_free(c);
	return st;
}

enum sotto_status sotto_worse_direction_epsilon(const struct sotto_terms *t,
						const struct sotto_level *level, double *lower,
						double *upper)
{
	bool symmetric = false;

	*lower = *upper = 0;
	for (int d = SOTTO_REMOVE; d <= SOTTO_ADD && !symmetric; d++) {
		double low, high;
		enum sotto_status st = epsilon_of(t, (enum sotto_direction)d, level, *lower,
						  &low, &high, &symmetric);

		if (st == SOTTO_EREFUSED &&
		    *lower > 0) { /* which one direction has is a lower side all the same */
			low = 0;
			high = INFINITY;
			st = SOTTO_OK;
		}
		SOTTO_TRY(st);
		(void)sotto_sides_settle(&low, &high, 0, INFINITY);
		*lower = fmax(*lower, low);
		*upper = worse(*upper, high, INFINITY);
		if (isinf(*upper) &&
		    *lower >= t->ceiling) /* and what is above that is not asked for */
			break;
	}
	(void)sotto_sides_settle(lower, upper, 0, INFINITY);
	return SOTTO_OK;
}

static enum sotto_status value_high(void *context, double x, double *out)
{
	double low;

	SOTTO_TRY(sotto_curve_delta(context, x, &low, out));
	(void)sotto_sides_settle(&low, out, -INFINITY, 0);
	return SOTTO_OK;
}

enum sotto_status sotto_worse_direction_epsilon_near(const struct sotto_terms *t,
						     const struct sotto_level *level,
						     double guess, double *upper)
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
		enum sotto_status st;
		double low, high;

		st = sotto_curve_delta(c, epsilon[i], &low, &high);
		if (st == SOTTO_EREFUSED) { /* no work left for this one */
			low = -INFINITY;
			high = 0;
			st = SOTTO_OK;
		}
		SOTTO_TRY(st);
		(void)sotto_sides_settle(&low, &high, -INFINITY, 0);
		log_low[i] = fmax(log_low[i], low);
		log_high[i] = worse(log_high[i], high, 0);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_worse_direction_curve(const struct sotto_terms *t,
					      const double *epsilon, size_t n, double *log_low,
					      double *log_high, const char **way)
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
	for (size_t i = 0; i < n; i++)
		(void)sotto_sides_settle(&log_low[i], &log_high[i], -INFINITY, 0);
	return SOTTO_OK;
}

enum sotto_status sotto_worse_direction_delta(const struct sotto_terms *t, double epsilon,
					      double *log_low, double *log_high)
{
	const char *way;

	return sotto_worse_direction_curve(t, &epsilon, 1, log_low, log_high, &way);
}
