/*
 * One curve from one of five sources: nothing, the Gaussian closed form, a measure
 * (exact sums or the contour), or an event wrapped around other curves (sampled
 * once, disjoint cells, a black-box group).
 */
#include "account/curve.h"

#include <math.h>
#include <stdlib.h>

#include "account/contour.h"
#include "account/exact.h"
#include "account/gaussian.h"
#include "account/measure.h"
#include "account/real.h"
#include "account/root.h"
#include "account/wrap.h"
#include "base/failure.h"

enum { COARSE_NODES = 1 << 15, FINE_NODES = 1 << 21 };

enum source { NOTHING, GAUSSIAN, MEASURE, WRAPPED };

struct sotto_curve {
	enum source source;
	mpq_t mu2;
	struct sotto_measure measure;
	struct sotto_wrap *wrap;
	bool exact; /* sum over all outcomes */
	struct sotto_exact *sums;
	struct sotto_contour *contour;
	double prepared, tilt; /* where sums or contour were made for */
	uint64_t nodes, made_with; /* nodes to spend, and spent on the contour */
};

void sotto_curve_free(struct sotto_curve *c)
{
	if (!c)
		return;
	sotto_exact_free(c->sums);
	sotto_contour_free(c->contour);
	sotto_wrap_free(c->wrap);
	if (c->source == MEASURE)
		sotto_measure_release(&c->measure);
	mpq_clear(c->mu2);
	free(c);
}

static bool all_gaussian(const struct sotto_terms *t)
{
	if (t->n_laplace)
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].event->kind != SOTTO_EVENT_GAUSSIAN)
			return false;
	return true;
}

static void sum_mu2(mpq_t mu2, const struct sotto_terms *t)
{
	mpq_t part;

	mpq_init(part);
	for (size_t i = 0; i < t->n; i++) {
		mpq_set_ui(part, t->list[i].count, 1);
		mpq_mul(part, part, t->list[i].event->a.q);
		mpq_add(mu2, mu2, part);
	}
	mpq_clear(part);
}

static enum sotto_status
build(struct sotto_curve *c, const struct sotto_terms *t, enum sotto_direction direction)
{
	if (t->n == 0 && t->n_laplace == 0)
		return SOTTO_OK;
	if (all_gaussian(t)) {
		c->source = GAUSSIAN;
		sum_mu2(c->mu2, t);
		return SOTTO_OK;
	}
	if (sotto_wrap_applies(t)) {
		SOTTO_TRY(sotto_wrap_new(t, direction, &c->wrap));
		c->source = WRAPPED;
		return SOTTO_OK;
	}
	SOTTO_TRY(sotto_measure_of(&c->measure, t, direction));
	c->source = MEASURE;
	c->exact = !c->measure.lattice && sotto_exact_fits(&c->measure);
	return SOTTO_OK;
}

enum sotto_status sotto_curve_new(const struct sotto_terms *t, enum sotto_direction direction,
				  struct sotto_curve **out)
{
	struct sotto_curve *c = calloc(1, sizeof *c);
	enum sotto_status st;

	if (!c)
		return SOTTO_ENOMEM;
	mpq_init(c->mu2);
	c->nodes = FINE_NODES;
	st = build(c, t, direction);
	if (st != SOTTO_OK) {
		sotto_curve_free(c);
		return st;
	}
	*out = c;
	return SOTTO_OK;
}

bool sotto_curve_is_symmetric(const struct sotto_curve *c)
{
	if (c->source == WRAPPED)
		return sotto_wrap_is_symmetric(c->wrap);
	return c->source != MEASURE || !c->measure.one_sided;
}

const char *sotto_curve_way(const struct sotto_curve *c)
{
	if (c->source == MEASURE)
		return c->exact ? "exact sum" : "contour";
	return "closed form";
}

/* Makes sums or contour anew when epsilon is more than a third of a 1/slope away. */
static enum sotto_status aim(struct sotto_curve *c, double epsilon)
{
	double log_delta, curvature;

	if ((c->sums || c->contour) && fabs(epsilon - c->prepared) * c->tilt < 0.3 &&
	    (c->exact || c->made_with == c->nodes))
		return SOTTO_OK;
	c->prepared = epsilon;
	if (c->exact) {
		c->tilt = sotto_saddle_point(&c->measure, epsilon, &log_delta, &curvature);
		sotto_exact_free(c->sums);
		c->sums = NULL;
		return sotto_exact_new(&c->measure, c->tilt, &c->sums);
	}
	sotto_contour_free(c->contour);
	c->contour = NULL;
	SOTTO_TRY(sotto_contour_new(&c->measure, epsilon, c->nodes, &c->contour));
	c->tilt = -sotto_contour_slope(c->contour);
	c->made_with = c->nodes;
	return SOTTO_OK;
}

/* log delta of the measure's finite part */
static enum sotto_status
finite_delta(struct sotto_curve *c, double epsilon, double *log_low, double *log_high)
{
	*log_low = *log_high = -INFINITY;
	if (epsilon >= c->measure.top || (c->measure.n == 0 && c->measure.mu2 == 0))
		return SOTTO_OK;
	SOTTO_TRY(aim(c, epsilon));
	if (!c->exact)
		return sotto_contour_delta(c->contour, epsilon, log_low, log_high);
	sotto_exact_delta(c->sums, epsilon, log_low, log_high);
	return SOTTO_OK;
}

static enum sotto_status
measure_delta(struct sotto_curve *c, double epsilon, double *log_low, double *log_high)
{
	double low, high;

	SOTTO_TRY(finite_delta(c, epsilon, &low, &high));
	*log_low = sotto_measure_whole_down(&c->measure, low);
	*log_high = sotto_measure_whole_up(&c->measure, high);
	return SOTTO_OK;
}

enum sotto_status
sotto_curve_delta(struct sotto_curve *c, double epsilon, double *log_low, double *log_high)
{
	switch (c->source) {
	case NOTHING:
		*log_low = *log_high = -INFINITY;
		return SOTTO_OK;
	case GAUSSIAN:
		sotto_gaussian_log_delta(c->mu2, epsilon, log_low, log_high);
		return SOTTO_OK;
	case WRAPPED:
		return sotto_wrap_delta(c->wrap, epsilon, log_low, log_high);
	case MEASURE:
		break;
	}
	return measure_delta(c, epsilon, log_low, log_high);
}

static enum sotto_status value_high(void *context, double x, double *out)
{
	double low;

	return sotto_curve_delta(context, x, &low, out);
}

static enum sotto_status value_low(void *context, double x, double *out)
{
	double high;

	return sotto_curve_delta(context, x, out, &high);
}

static enum sotto_status finite_high(void *context, double x, double *out)
{
	double low;

	return finite_delta(context, x, &low, out);
}

static enum sotto_status finite_low(void *context, double x, double *out)
{
	double high;

	return finite_delta(context, x, out, &high);
}

static enum sotto_status gaussian_epsilon(struct sotto_curve *c,
					  const struct sotto_level *level, double *lower,
					  double *upper)
{
	struct sotto_measure m;
	struct sotto_root r = {.context = c, .most = INFINITY, .tolerance = 1e-13};
	double log_delta, curvature;

	sotto_measure_init(&m);
	m.mu2 = mpq_get_d(c->mu2);
	r.guess = sotto_saddle_epsilon(&m, level->log_down);
	r.slope = -sotto_saddle_point(&m, r.guess, &log_delta, &curvature);
	sotto_measure_release(&m);
	return sotto_root_both(&r, value_low, value_high, level->log_down, level->log_up, lower,
			       upper);
}

/*
 * delta(epsilon) lies between mass (1 - e^(epsilon-top)) and 1 - e^(epsilon-top), mass that of
 * the top: where delta is tiny beside the mass, epsilon is the top to all digits.
 */
static bool is_at_top(const struct sotto_measure *m, double target)
{
	return isfinite(m->top) &&
	       (isinf(target) || target < m->log_top_mass - 36 - log1p(1 / m->top));
}

static enum sotto_status
search(struct sotto_curve *c, double log_down, double log_up, double *lower, double *upper)
{
	const struct sotto_measure *m = &c->measure;
	struct sotto_root r = {.context = c, .most = m->top, .tolerance = 1e-13};
	double low, high;

	r.guess = sotto_saddle_epsilon(m, log_down);
	if (r.guess >= m->top)
		r.guess = m->top * (1 - 1e-9);
	c->nodes = COARSE_NODES;
	SOTTO_TRY(finite_delta(c, r.guess, &low, &high));
	r.slope = -c->tilt;
	if (high - low > 1e-9) { /* the coarse nodes only find the place */
		r.tolerance = 1e-6;
		SOTTO_TRY(sotto_root_both(&r, finite_low, finite_high, log_down, log_up, lower,
					  upper));
		if (isfinite(*upper))
			r.guess = *upper;
		c->nodes = FINE_NODES;
		r.tolerance = 1e-10;
	}
	return sotto_root_both(&r, finite_low, finite_high, log_down, log_up, lower, upper);
}

static enum sotto_status measure_epsilon(struct sotto_curve *c, const struct sotto_level *level,
					 double *lower, double *upper)
{
	const struct sotto_measure *m = &c->measure;
	double log_down, log_up;
	int verdict = sotto_measure_target(m, level->delta, &log_down, &log_up);

	*lower = *upper = INFINITY;
	if (verdict < 0)
		return SOTTO_OK;
	if (m->n == 0 && m->mu2 == 0) {
		*lower = 0;
		*upper = verdict > 0 ? 0 : INFINITY;
		return SOTTO_OK;
	}
	if (is_at_top(m, log_up)) {
		*lower = fmax(0, sotto_ulps_down(m->top_low, 2));
		*upper = verdict > 0 ? m->top : INFINITY;
		return SOTTO_OK;
	}
	if (isinf(log_up))
		return SOTTO_OK;
	return search(c, log_down, log_up, lower, upper);
}

enum sotto_status sotto_curve_epsilon(struct sotto_curve *c, const struct sotto_level *level,
				      double *lower, double *upper)
{
	*lower = *upper = 0;
	if (level->log_down >= 0)
		return SOTTO_OK;
	switch (c->source) {
	case NOTHING:
		return SOTTO_OK;
	case GAUSSIAN:
		return gaussian_epsilon(c, level, lower, upper);
	case WRAPPED:
		return sotto_wrap_epsilon(c->wrap, level, lower, upper);
	case MEASURE:
		break;
	}
	return measure_epsilon(c, level, lower, upper);
}

void sotto_level_init(struct sotto_level *l, const mpq_t delta)
{
	mpfr_t x;

	mpfr_init2(l->delta, REAL_BITS);
	mpfr_set_q(l->delta, delta, MPFR_RNDN);
	mpfr_init2(x, 128);
	mpfr_log(x, l->delta, MPFR_RNDN);
	l->log_down = sotto_next_down(sotto_real_double_down(x));
	l->log_up = sotto_next_up(sotto_real_double_up(x));
	if (mpq_cmp_ui(delta, 1, 1) >= 0)
		l->log_down = l->log_up = 0;
	mpfr_clear(x);
}

void sotto_level_init_log(struct sotto_level *l, double log_delta)
{
	mpfr_init2(l->delta, REAL_BITS);
	mpfr_set_d(l->delta, log_delta, MPFR_RNDN);
	mpfr_exp(l->delta, l->delta, MPFR_RNDN);
	l->log_down = l->log_up = log_delta;
}

void sotto_level_release(struct sotto_level *l)
{
	mpfr_clear(l->delta);
}
