/*
 * One curve from one of six sources: nothing, the closed forms of Gaussians and of one
 * Laplace event, zCDP, many events composed, or an event wrapped around other curves
 * (sampled once, disjoint cells, a black-box group).
 */
#include "core/account/loss/loss_curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/contour/contour_saddle.h"
#include "core/account/integral/real.h"
#include "core/account/integral/root.h"
#include "core/account/law/pieces/law_pieces.h"
#include "core/account/loss/beside_curve.h"
#include "core/account/loss/composed_curve.h"
#include "core/account/loss/gaussian_curve.h"
#include "core/account/loss/laplace/laplace_curve.h"
#include "core/account/loss/nested_curve.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/base/failure.h"

enum source { NOTHING, GAUSSIAN, LAPLACE, ZCDP, COMPOSED, WRAPPED };

struct sotto_curve {
	enum source source;
	mpq_t parameter; /* mu^2, epsilon0 or rho */
	long double mu; /* not 0 if rough values of a Gaussian will do */
	struct sotto_composed *composed;
	struct sotto_beside *beside; /* NULL, or where the composed events have this form */
	struct sotto_nested_curve *wrap;
	struct sotto_work *work;
	const struct sotto_term *only; /* composed of this event and no other; or NULL */
	enum sotto_direction direction;
	struct sotto_part_list *list; /* its outcomes, if rough values will do; or NULL */
};

void sotto_curve_free(struct sotto_curve *c)
{
	if (!c)
		return;
	sotto_composed_free(c->composed);
	sotto_beside_free(c->beside);
	sotto_nested_curve_free(c->wrap);
	sotto_part_list_free(c->list);
	mpq_clear(c->parameter);
	free(c);
}

static bool all_of_kind(const struct sotto_terms *t, enum sotto_event_kind kind)
{
	if (t->n_laplace)
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].event->kind != kind)
			return false;
	return true;
}

/* mu^2 of Gaussians and rho of zCDP events add up, to enough digits for either side (gaussian_curve.md). */
static void sum_parameters(mpq_t sum, const struct sotto_terms *t)
{
	for (size_t i = 0; i < t->n; i++)
		sotto_real_add_up(sum, t->list[i].event->first.q, t->list[i].count);
}

/* One Laplace event, once; true if that is all, and its epsilon is then in epsilon0. */
static bool is_one_laplace(const struct sotto_terms *t, mpq_t epsilon0)
{
	if (t->n_laplace == 1 && t->n == 0 && t->laplace_count[0] == 1) {
		mpq_set_d(epsilon0, t->laplace[0]);
		return true;
	}
	if (t->n_laplace || t->n != 1 || t->list[0].count != 1 ||
	    t->list[0].event->kind != SOTTO_EVENT_LAPLACE)
		return false;
	mpq_set(epsilon0, t->list[0].event->epsilon.q);
	return true;
}

static enum sotto_status
build(struct sotto_curve *c, const struct sotto_terms *t, enum sotto_direction direction)
{
	enum sotto_status st;

	if (t->n == 0 && t->n_laplace == 0)
		return SOTTO_OK;
	if (all_of_kind(t, SOTTO_EVENT_GAUSSIAN) || all_of_kind(t, SOTTO_EVENT_ZCDP)) {
		c->source = t->list[0].event->kind == SOTTO_EVENT_ZCDP ? ZCDP : GAUSSIAN;
		sum_parameters(c->parameter, t);
		return SOTTO_OK;
	}
	if (is_one_laplace(t, c->parameter)) {
		c->source = LAPLACE;
		return SOTTO_OK;
	}
	if (sotto_nested_curve_applies(t)) {
		c->source = WRAPPED;
		return sotto_nested_curve_new(t, direction, &c->wrap);
	}
	c->source = COMPOSED;
	c->only = t->n == 1 && t->n_laplace == 0 ? &t->list[0] : NULL;
	c->direction = direction;
	st = sotto_beside_new(t, direction, &c->beside);
	if (st != SOTTO_OK && st != SOTTO_EREFUSED)
		return st;
	return sotto_composed_new(t, direction, &c->composed);
}

enum sotto_status sotto_curve_new(const struct sotto_terms *t, enum sotto_direction direction,
				  struct sotto_curve **out)
{
	struct sotto_curve *c = calloc(1, sizeof *c);
	enum sotto_status st;

	if (!c)
		return SOTTO_ENOMEM;
	mpq_init(c->parameter);
	c->work = t->work;
	st = sotto_work_is_spent(c->work) ? SOTTO_EREFUSED : build(c, t, direction);
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
		return sotto_nested_curve_is_symmetric(c->wrap);
	return c->source != COMPOSED || sotto_composed_is_symmetric(c->composed);
}

/* Discrete noise whose outcomes can be listed in hardware arithmetic. */
static bool make_list(struct sotto_curve *c)
{
	const struct sotto_term *term = c->only;

	if (c->list || !term || term->count != term->event->count ||
	    !sotto_part_list_possible(term->event) ||
	    sotto_part_list_of(term->event, c->direction, 1, c->work, &c->list) != SOTTO_OK)
		return c->list;
	return c->list;
}

/* What is not listed adds to delta, by its mass at most. */
static void
listed_delta(const struct sotto_part_list *l, double epsilon, double *log_low, double *log_high)
{
	struct sotto_part_tails t = sotto_part_list_tails(l, epsilon);
	double delta = t.delta, error = t.p > 0 ? t.error : 0,
	       low = delta * (1 - 0x1p-50) - error,
	       high = delta * (1 + 0x1p-50) + error + sotto_part_list_left_out(l);

	*log_low = low > 0 ? sotto_ulps_down(log(low), 4) : -INFINITY;
	*log_high = high > 0 ? fmin(0, sotto_ulps_up(log(high), 4)) : -INFINITY;
}

bool sotto_curve_make_rough(struct sotto_curve *c)
{
	if (c->source == GAUSSIAN) {
		c->mu = sotto_gaussian_mu(c->parameter);
		return c->mu < SOTTO_GAUSSIAN_ROUGH_MU;
	}
	if (c->source == WRAPPED)
		return sotto_nested_curve_make_rough(c->wrap);
	if (c->source == COMPOSED) {
		bool quick = c->beside ? sotto_beside_make_rough(c->beside)
				       : sotto_composed_is_quick(c->composed);

		return make_list(c) || quick;
	}
	return c->source != ZCDP;
}

enum sotto_status sotto_curve_make_tables(struct sotto_curve *c, size_t points)
{
	return c->source == WRAPPED ? sotto_nested_curve_make_tables(c->wrap, points)
				    : SOTTO_OK;
}

const char *sotto_curve_way(const struct sotto_curve *c)
{
	return c->source == COMPOSED ? sotto_composed_way(c->composed) : "closed form";
}

/* All that zCDP says is an upper bound. */
static void
zcdp_delta(const struct sotto_curve *c, double epsilon, double *log_low, double *log_high)
{
	mpfr_t rho, e, l;

	mpfr_inits2(REAL_BITS, rho, e, l, (mpfr_ptr)0);
	mpfr_set_q(rho, c->parameter, MPFR_RNDU);
	mpfr_set_d(e, epsilon, MPFR_RNDD);
	sotto_zcdp_log_delta_up(l, rho, e, NULL);
	*log_low = -INFINITY;
	*log_high = fmin(0, sotto_real_double_up(l));
	mpfr_clears(rho, e, l, (mpfr_ptr)0);
}

static double zcdp_epsilon(const struct sotto_curve *c, const struct sotto_level *level)
{
	mpfr_t rho, e, l;
	double up;

	mpfr_inits2(REAL_BITS, rho, e, l, (mpfr_ptr)0);
	mpfr_set_q(rho, c->parameter, MPFR_RNDU);
	mpfr_log(l, level->delta, MPFR_RNDD);
	sotto_zcdp_epsilon_up(e, rho, l, NULL);
	up = sotto_real_double_up(e);
	mpfr_clears(rho, e, l, (mpfr_ptr)0);
	return up;
}

/* What a value takes besides what the sources charge themselves. */
static double value_steps(const struct sotto_curve *c)
{
	switch (c->source) {
	case COMPOSED:
		return c->list ? 60 : 600;
	case GAUSSIAN:
		return 0;
	case ZCDP:
		return SOTTO_WORK_PRECISE / 2;
	default:
		return 200;
	}
}

/* A sum over outcomes of closed forms is as sharp as it gets, where there is one. */
static enum sotto_status
composed_delta(struct sotto_curve *c, double epsilon, double *log_low, double *log_high)
{
	if (c->beside) {
		enum sotto_status st =
			sotto_beside_delta(c->beside, epsilon, log_low, log_high);

		if (st != SOTTO_EREFUSED)
			return st;
	}
	return sotto_composed_delta(c->composed, epsilon, log_low, log_high);
}

static enum sotto_status composed_epsilon(struct sotto_curve *c,
					  const struct sotto_level *level, double *lower,
					  double *upper)
{
	if (c->beside) {
		enum sotto_status st = sotto_beside_epsilon(c->beside, level, lower, upper);

		if (st != SOTTO_EREFUSED)
			return st;
	}
	return sotto_composed_epsilon(c->composed, level, lower, upper);
}

enum sotto_status
sotto_curve_delta(struct sotto_curve *c, double epsilon, double *log_low, double *log_high)
{
	*log_low = *log_high = -INFINITY;
	if (!sotto_work_take(c->work, value_steps(c)))
		return SOTTO_EREFUSED;
	if (c->list) {
		listed_delta(c->list, epsilon, log_low, log_high);
		return SOTTO_OK;
	}
	switch (c->source) {
	case NOTHING:
		return SOTTO_OK;
	case GAUSSIAN:
		if (c->mu > 0) {
			sotto_work_use(c->work, sotto_gaussian_rough_steps(c->mu, epsilon));
			if (sotto_gaussian_log_delta_rough(c->mu, epsilon, log_low, log_high))
				return SOTTO_OK;
		}
		if (!sotto_work_take(c->work, sotto_gaussian_steps(c->parameter, epsilon)))
			return SOTTO_EREFUSED;
		sotto_gaussian_log_delta(c->parameter, epsilon, log_low, log_high);
		return SOTTO_OK;
	case LAPLACE:
		sotto_laplace_once_delta(c->parameter, epsilon, log_low, log_high);
		return SOTTO_OK;
	case ZCDP:
		zcdp_delta(c, epsilon, log_low, log_high);
		return SOTTO_OK;
	case WRAPPED:
		return sotto_nested_curve_delta(c->wrap, epsilon, log_low, log_high);
	case COMPOSED:
		break;
	}
	return composed_delta(c, epsilon, log_low, log_high);
}

enum sotto_status
sotto_curve_is_below(struct sotto_curve *c, double epsilon, double log_delta, bool *yes)
{
	double low, high;

	if (c->source == COMPOSED && !c->beside)
		return sotto_composed_is_below(c->composed, epsilon, log_delta, yes);
	SOTTO_TRY(sotto_curve_delta(c, epsilon, &low, &high));
	*yes = high < log_delta;
	return SOTTO_OK;
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

static enum sotto_status gaussian_epsilon(struct sotto_curve *c,
					  const struct sotto_level *level, double *lower,
					  double *upper)
{
	struct sotto_loss_measure m;
	struct sotto_root r = {.context = c, .most = INFINITY, .tolerance = 1e-13};
	double log_delta, curvature;

	sotto_measure_init(&m);
	m.mu2 = mpq_get_d(c->parameter);
	r.guess = sotto_saddle_epsilon(&m, level->log_down);
	r.slope = -sotto_saddle_point(&m, r.guess, &log_delta, &curvature);
	sotto_measure_release(&m);
	return sotto_root_both(&r, value_low, value_high, level->log_down, level->log_up, lower,
			       upper);
}

enum sotto_status sotto_curve_epsilon(struct sotto_curve *c, const struct sotto_level *level,
				      double *lower, double *upper)
{
	*lower = *upper = 0;
	if (level->log_down >= 0 || c->source == NOTHING)
		return SOTTO_OK;
	if (isinf(level->log_up) && c->source != COMPOSED && c->source != LAPLACE) {
		*upper = INFINITY; /* no delta at all */
		return SOTTO_OK;
	}
	switch (c->source) {
	case NOTHING:
		return SOTTO_OK;
	case GAUSSIAN:
		return gaussian_epsilon(c, level, lower, upper);
	case LAPLACE:
		sotto_laplace_once_epsilon(c->parameter, level->delta, lower, upper);
		return SOTTO_OK;
	case ZCDP:
		*upper = zcdp_epsilon(c, level);
		return SOTTO_OK;
	case WRAPPED:
		return sotto_nested_curve_epsilon(c->wrap, level, lower, upper);
	case COMPOSED:
		break;
	}
	return composed_epsilon(c, level, lower, upper);
}
