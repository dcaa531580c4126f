/*
 * Maps epsilon to the inner curve by the formula of each kind, asks it a little to the left and
 * to the right of the point, and multiplies; parallel cells take the worst.
 */
#include "core/account/loss/nested_curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/contour/contour_saddle.h"
#include "core/account/integral/real.h"
#include "core/account/integral/root.h"
#include "core/account/loss/convolved/convolved_table.h"
#include "core/account/loss/loss_curve.h"
#include "core/account/loss/shuffle_curve.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/base/failure.h"

/* More pairs of cells have no tables. */
enum { TABLES_MAX = 6 };
/* Smaller rates are used by their logarithm alone. */
#define RATE_MIN 1e-280

struct sotto_nested_curve {
	enum sotto_event_kind kind;
	enum sotto_direction direction;
	double rate, log_rate, log_rest; /* sampled: q, log q and log(1-q), to two ulps */
	double k; /* group */
	struct sotto_shuffle *shuffle;
	struct sotto_terms *inside; /* one for each curve */
	struct sotto_curve **curves;
	size_t n;
	struct sotto_convolved_table *
		*tables; /* NULL, or for some of the curves values that are quick */
};

/* Sampling such an event gives a finite pair again, which a measure sums exactly. */
static bool has_finite_pair(const struct sotto_event *e)
{
	switch (e->kind) {
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_APPROX:
	case SOTTO_EVENT_EXPONENTIAL:
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		return e->count == 1;
	default:
		return false;
	}
}

bool sotto_nested_curve_applies(const struct sotto_terms *t)
{
	if (t->n != 1 || t->n_laplace || t->list[0].count != 1)
		return false;
	switch (t->list[0].event->kind) {
	case SOTTO_EVENT_SAMPLED:
		return !has_finite_pair(t->list[0].event->children[0]);
	case SOTTO_EVENT_PARALLEL:
	case SOTTO_EVENT_GROUP:
	case SOTTO_EVENT_SHUFFLE:
		return true;
	default:
		return false;
	}
}

void sotto_nested_curve_free(struct sotto_nested_curve *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++) {
		if (w->tables)
			sotto_convolved_table_free(w->tables[i]);
		sotto_curve_free(w->curves[i]);
		sotto_terms_release(&w->inside[i]);
	}
	free(w->tables);
	free(w->curves);
	free(w->inside);
	sotto_shuffle_free(w->shuffle);
	free(w);
}

static enum sotto_status make_room(struct sotto_nested_curve *w, size_t n)
{
	w->curves = calloc(n, sizeof *w->curves);
	w->inside = calloc(n, sizeof *w->inside);
	if (!w->curves || !w->inside)
		return SOTTO_ENOMEM;
	return SOTTO_OK;
}

/* One curve more, of one or two events together. */
static enum sotto_status add_curve(struct sotto_nested_curve *w,
				   const struct sotto_terms *outside,
				   const struct sotto_event *a, const struct sotto_event *b)
{
	struct sotto_terms *t = &w->inside[w->n];

	sotto_terms_init(t, outside->neighbours);
	t->work = outside->work;
	w->n++;
	SOTTO_TRY(sotto_terms_add(t, a, 1));
	if (b)
		SOTTO_TRY(sotto_terms_add(t, b, 1));
	sotto_terms_sort(t);
	return sotto_curve_new(t, w->direction, &w->curves[w->n - 1]);
}

/* Replace: the unit leaves one cell and enters another; any two may be the worst. */
static enum sotto_status add_pairs(struct sotto_nested_curve *w, const struct sotto_terms *t,
				   const struct sotto_event *e)
{
	size_t n = e->n_children;

	if (n > 64)
		return SOTTO_EREFUSED;
	SOTTO_TRY(make_room(w, n * (n - 1) / 2));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			SOTTO_TRY(add_curve(w, t, e->children[i], e->children[j]));
	return SOTTO_OK;
}

static double log_of(mpq_srcptr q)
{
	double nearest;
	mpfr_t x;

	mpfr_init2(x, 128);
	sotto_log_rational(x, q, MPFR_RNDN);
	nearest = mpfr_get_d(x, MPFR_RNDN);
	mpfr_clear(x);
	return nearest;
}

/* Logarithms of the exact numbers: 1-q may be smaller than what rounding does to q, and q than the least double. */
static void set_rate(struct sotto_nested_curve *w, mpq_srcptr q)
{
	mpq_t rest;

	mpq_init(rest);
	mpq_set_ui(rest, 1, 1);
	mpq_sub(rest, rest, q);
	w->rate = mpq_get_d(q);
	w->log_rate = log_of(q);
	w->log_rest = log_of(rest);
	mpq_clear(rest);
}

static enum sotto_status build(struct sotto_nested_curve *w, const struct sotto_terms *t)
{
	const struct sotto_event *e = t->list[0].event;

	if (e->kind == SOTTO_EVENT_SHUFFLE)
		return sotto_shuffle_new(e, t->work, &w->shuffle);
	if (e->kind == SOTTO_EVENT_PARALLEL && t->neighbours == SOTTO_REPLACE)
		return add_pairs(w, t, e);
	SOTTO_TRY(make_room(w, e->n_children));
	for (size_t i = 0; i < e->n_children; i++)
		SOTTO_TRY(add_curve(w, t, e->children[i], NULL));
	w->k = (double)e->size;
	if (e->kind == SOTTO_EVENT_SAMPLED)
		set_rate(w, e->rate.q);
	return SOTTO_OK;
}

enum sotto_status sotto_nested_curve_new(const struct sotto_terms *t,
					 enum sotto_direction direction,
					 struct sotto_nested_curve **out)
{
	struct sotto_nested_curve *w = calloc(1, sizeof *w);
	enum sotto_status st;

	if (!w)
		return SOTTO_ENOMEM;
	w->kind = t->list[0].event->kind;
	w->direction = direction;
	st = build(w, t);
	if (st != SOTTO_OK) {
		sotto_nested_curve_free(w);
		return st;
	}
	*out = w;
	return SOTTO_OK;
}

bool sotto_nested_curve_is_symmetric(const struct sotto_nested_curve *w)
{
	if (w->kind == SOTTO_EVENT_SAMPLED)
		return false;
	for (size_t i = 0; i < w->n; i++)
		if (!sotto_curve_is_symmetric(w->curves[i]))
			return false;
	return true;
}

/* Some values would take long. */
static bool wants_tables(const struct sotto_nested_curve *w)
{
	if (w->kind != SOTTO_EVENT_PARALLEL || w->n > TABLES_MAX || w->tables)
		return false;
	for (size_t i = 0; i < w->n; i++)
		if (w->inside[i].n == 2 && sotto_convolved_table_fits(&w->inside[i]))
			return true;
	return false;
}

/* Of each two cells, unless a value is quick without. */
static enum sotto_status make_tables(struct sotto_nested_curve *w, size_t points)
{
	w->tables = calloc(w->n, sizeof *w->tables);
	if (!w->tables)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < w->n; i++)
		if (!sotto_curve_make_rough(w->curves[i]))
			SOTTO_TRY(sotto_convolved_table_new(&w->inside[i], w->direction, points,
							    &w->tables[i]));
	return SOTTO_OK;
}

enum sotto_status sotto_nested_curve_make_tables(struct sotto_nested_curve *w, size_t points)
{
	if (wants_tables(w))
		return make_tables(w, points);
	for (size_t i = 0; i < w->n; i++)
		SOTTO_TRY(sotto_curve_make_tables(w->curves[i], points));
	return SOTTO_OK;
}

bool sotto_nested_curve_make_rough(struct sotto_nested_curve *w)
{
	bool quick = w->kind != SOTTO_EVENT_SHUFFLE;

	for (size_t i = 0; i < w->n; i++)
		quick &= (w->tables && w->tables[i]) || sotto_curve_make_rough(w->curves[i]);
	return quick;
}

/*
 * Bounds from an inner curve at a point known to 2^-50: the high one from a bit
 * below it, the low one from a bit above.
 */
static enum sotto_status
around(struct sotto_curve *c, double x, double error, double *log_low, double *log_high)
{
	double ignored;

	error += 0x1p-50 * x;
	SOTTO_TRY(sotto_curve_delta(c, fmax(0, x - error), &ignored, log_high));
	return sotto_curve_delta(c, x + error, log_low, &ignored);
}

/* delta = q inner(log1p(expm1(epsilon)/q)) */
static enum sotto_status
remove_delta(struct sotto_nested_curve *w, double epsilon, double *log_low, double *log_high)
{
	double x, slack = 4 * SOTTO_U * (fabs(w->log_rate) + 1);

	if (epsilon >= 600) {
		x = epsilon - w->log_rate;
	} else if (w->rate >= RATE_MIN) {
		x = log1p(expm1(epsilon) / w->rate);
	} else {
		x = log(expm1(epsilon)) - w->log_rate;
		x = x > 40 ? x : log1p(exp(x));
	}
	SOTTO_TRY(around(w->curves[0], x, slack, log_low, log_high));
	*log_low += w->log_rate - slack;
	*log_high += w->log_rate + slack;
	return SOTTO_OK;
}

/* delta = v inner(epsilon + log q - log v), v = 1 - (1-q) exp(epsilon), 0 when v <= 0 */
static enum sotto_status
add_delta(struct sotto_nested_curve *w, double epsilon, double *log_low, double *log_high)
{
	double error = 4 * SOTTO_U * (epsilon + fabs(w->log_rest) + SOTTO_U);
	double high = -expm1(epsilon + w->log_rest - error),
	       low = -expm1(epsilon + w->log_rest + error), x, ignored;

	*log_low = *log_high = -INFINITY;
	if (high > 0) {
		x = epsilon + w->log_rate - log(high);
		x = fmax(0, x - 8 * SOTTO_U * (1 + x + epsilon + fabs(w->log_rate)));
		SOTTO_TRY(sotto_curve_delta(w->curves[0], x, &ignored, log_high));
		*log_high = sotto_next_up(*log_high + log(high) + 4 * SOTTO_U);
	}
	if (low > 0) {
		x = fmax(0, epsilon + w->log_rate - log(low));
		x += 8 * SOTTO_U * (1 + x + epsilon + fabs(w->log_rate));
		SOTTO_TRY(sotto_curve_delta(w->curves[0], x, log_low, &ignored));
		*log_low = sotto_next_down(*log_low + log(low) - 4 * SOTTO_U);
	}
	return SOTTO_OK;
}

/* delta = inner(epsilon/k) (e^epsilon - 1)/(e^(epsilon/k) - 1), at most 1 */
static enum sotto_status
group_delta(struct sotto_nested_curve *w, double epsilon, double *log_low, double *log_high)
{
	double x = epsilon / w->k, factor, slack;

	if (epsilon == 0)
		factor = log(w->k);
	else if (epsilon > 500)
		factor = epsilon - x - log1p(-exp(-x)) + log1p(-exp(-epsilon));
	else
		factor = log(expm1(epsilon) / expm1(x));
	slack = 16 * SOTTO_U * (1 + fabs(factor));
	SOTTO_TRY(around(w->curves[0], x, 0, log_low, log_high));
	*log_low = fmin(0, *log_low + factor - slack);
	*log_high = fmin(0, *log_high + factor + slack);
	return SOTTO_OK;
}

static enum sotto_status
worst_delta(struct sotto_nested_curve *w, double epsilon, double *log_low, double *log_high)
{
	*log_low = *log_high = -INFINITY;
	for (size_t i = 0; i < w->n; i++) {
		double low, high;

		if (w->tables && w->tables[i])
			sotto_convolved_table_delta(w->tables[i], epsilon, &low, &high);
		else
			SOTTO_TRY(sotto_curve_delta(w->curves[i], epsilon, &low, &high));
		*log_low = fmax(*log_low, low);
		*log_high = fmax(*log_high, high);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_nested_curve_delta(struct sotto_nested_curve *w, double epsilon,
					   double *log_low, double *log_high)
{
	switch (w->kind) {
	case SOTTO_EVENT_SHUFFLE:
		return sotto_shuffle_delta(w->shuffle, epsilon, log_low, log_high);
	case SOTTO_EVENT_GROUP:
		return group_delta(w, epsilon, log_low, log_high);
	case SOTTO_EVENT_SAMPLED:
		return w->direction == SOTTO_REMOVE
			       ? remove_delta(w, epsilon, log_low, log_high)
			       : add_delta(w, epsilon, log_low, log_high);
	default:
		return worst_delta(w, epsilon, log_low, log_high);
	}
}

static enum sotto_status value_high(void *context, double x, double *out)
{
	double low;

	return sotto_nested_curve_delta(context, x, &low, out);
}

static enum sotto_status value_low(void *context, double x, double *out)
{
	double high;

	return sotto_nested_curve_delta(context, x, out, &high);
}

static double shuffle_guess(const struct sotto_shuffle *s, double log_delta, double *slope)
{
	struct sotto_loss_measure m;
	double x, curvature;

	sotto_measure_init(&m);
	m.mu2 = sotto_shuffle_mu(s) * sotto_shuffle_mu(s);
	x = sotto_saddle_epsilon(&m, log_delta);
	*slope = -sotto_saddle_point(&m, x, &log_delta, &curvature);
	sotto_measure_release(&m);
	return x;
}

/* Where the search starts: from the inner epsilon, carried through the wrapping. */
static enum sotto_status
guess(struct sotto_nested_curve *w, double log_delta, double *x, double *slope)
{
	double lower, upper;
	struct sotto_level level;
	enum sotto_status st;

	*x = 0.1;
	if (w->kind == SOTTO_EVENT_SHUFFLE) {
		*x = shuffle_guess(w->shuffle, log_delta, slope);
		return SOTTO_OK;
	}
	if (w->kind == SOTTO_EVENT_SAMPLED)
		log_delta -= w->log_rate;
	if (log_delta >= 0)
		return SOTTO_OK;
	sotto_level_init_log(&level, log_delta);
	st = sotto_curve_epsilon(w->curves[0], &level, &lower, &upper);
	sotto_level_release(&level);
	if (st != SOTTO_OK || !isfinite(upper))
		return st;
	if (w->kind == SOTTO_EVENT_GROUP)
		*x = w->k * upper;
	else
		*x = upper < 600 ? log1p(w->rate * expm1(upper)) : fmax(0, upper + w->log_rate);
	if (w->kind == SOTTO_EVENT_SAMPLED && w->direction == SOTTO_ADD)
		*x = fmin(*x, -0.999 * w->log_rest);
	*slope = fmin(-1, log_delta / (*x + 1e-300));
	return SOTTO_OK;
}

static enum sotto_status worst_epsilon(struct sotto_nested_curve *w,
				       const struct sotto_level *level, double *lower,
				       double *upper)
{
	for (size_t i = 0; i < w->n; i++) {
		double low, high;

		SOTTO_TRY(sotto_curve_epsilon(w->curves[i], level, &low, &high));
		*lower = fmax(*lower, low);
		*upper = fmax(*upper, high);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_nested_curve_epsilon(struct sotto_nested_curve *w,
					     const struct sotto_level *level, double *lower,
					     double *upper)
{
	struct sotto_root r = {.context = w, .most = INFINITY, .tolerance = 1e-13};

	if (w->kind == SOTTO_EVENT_SHUFFLE)
		r.tolerance = 1e-11; /* of the order of its own width */
	*lower = *upper = 0;
	if (w->kind == SOTTO_EVENT_PARALLEL)
		return worst_epsilon(w, level, lower, upper);
	r.slope = -1;
	SOTTO_TRY(guess(w, level->log_down, &r.guess, &r.slope));
	return sotto_root_both(&r, value_low, value_high, level->log_down, level->log_up, lower,
			       upper);
}
