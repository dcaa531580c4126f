/*
 * Adds up the cumulants of all events and finds the best order by Newton's method in a bracket,
 * roughly at first; any order gives a valid bound, and the last value is rounded up.
 */
#include "core/account/theorem/renyi/renyi_curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/real.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/account/theorem/composition/black_box.h"
#include "core/account/theorem/composition/bounded_range.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/account/theorem/renyi/renyi_law.h"
#include "core/base/failure.h"

/* What K of a bounded-range event takes (work.h), roughly and rounded up. */
#define RANGE_STEPS 100
#define RANGE_UP_STEPS 8e3

/*
 * K(s) of one direction: of all events that have a loss distribution, of bounded-range
 * ones, and rho s(s+1) for the rest.
 */
struct curve {
	struct sotto_loss_measure measure;
	const struct sotto_terms *ranges; /* exponential events */
	double rho; /* rounded up */
	mpq_t delta; /* that all of this is up to */
};

/* delta that the event's law leaves at infinity, as a rational */
static void infinite_delta(mpq_t delta, const struct sotto_event *e)
{
	mpq_set_ui(delta, 0, 1);
	if (e->kind == SOTTO_EVENT_APPROX)
		mpq_set(delta, e->delta.q);
	if (e->kind == SOTTO_EVENT_SAMPLED) {
		infinite_delta(delta, e->children[0]);
		mpq_mul(delta, delta, e->rate.q);
	}
}

static enum sotto_status add_rho(struct curve *c, const struct sotto_term *term,
				 enum sotto_neighbours neighbours, struct sotto_work *work)
{
	enum sotto_status st;
	mpfr_t rho;
	mpq_t delta;

	mpfr_init2(rho, SOTTO_RHO_BITS);
	mpq_init(delta);
	st = sotto_rho_of(rho, delta, term->event, neighbours, work);
	mpfr_mul_ui(rho, rho, term->count, MPFR_RNDU);
	sotto_real_add_up(c->delta, delta, term->count);
	c->rho = sotto_ulps_up(c->rho + sotto_real_double_up(rho), 1);
	mpq_clear(delta);
	mpfr_clear(rho);
	return st;
}

/* Splits the terms; laws holds copies of those that enter the measure. */
static enum sotto_status split(struct curve *c, const struct sotto_terms *t,
			       struct sotto_terms *laws, struct sotto_terms *ranges)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t delta;

	mpq_init(delta);
	for (size_t i = 0; i < t->n && st == SOTTO_OK; i++) {
		const struct sotto_term *term = &t->list[i];

		if (term->event->kind == SOTTO_EVENT_EXPONENTIAL) {
			st = sotto_terms_add(ranges, term->event, term->count);
		} else if (sotto_renyi_has_law(term->event)) {
			infinite_delta(delta, term->event);
			sotto_real_add_up(c->delta, delta, term->count);
			st = sotto_terms_add(laws, term->event, term->count);
		} else if (!sotto_renyi_has_real_law(term->event, t->neighbours)) {
			st = add_rho(c, term, t->neighbours, t->work);
		}
	}
	mpq_clear(delta);
	return st;
}

/* What the laws lack is paid for as delta. */
static void charge_left_out(struct curve *c)
{
	mpq_t mass;

	mpq_init(mass);
	mpfr_get_q(mass, c->measure.left_out);
	mpq_add(c->delta, c->delta, mass);
	mpq_clear(mass);
}

/* K, K', K'' of all, or roughly. */
static void cumulants(const struct curve *c, double s, bool rough, double k[3])
{
	if (rough)
		sotto_measure_steer(&c->measure, s, k);
	else
		sotto_measure_cumulants(&c->measure, s, k);
	k[0] += c->rho * s * (s + 1);
	k[1] += c->rho * (2 * s + 1);
	k[2] += c->rho * 2;
	sotto_work_use(c->measure.work, RANGE_STEPS * (double)c->ranges->n);
	for (size_t i = 0; i < c->ranges->n; i++)
		sotto_bounded_range_cumulants(&c->ranges->list[i], s, k);
}

/* K(s) rounded up. */
static enum sotto_status cumulant_up(const struct curve *c, double s, double *up)
{
	double sum;

	SOTTO_TRY(sotto_renyi_measure_up(&c->measure, s, &sum));
	sum += s * (s + 1) * c->rho * (1 + 16 * SOTTO_U);
	sotto_work_use(c->measure.work, RANGE_UP_STEPS * (double)c->ranges->n);
	if (sotto_work_is_overdrawn(c->measure.work))
		return SOTTO_EREFUSED;
	for (size_t i = 0; i < c->ranges->n; i++)
		sum += sotto_bounded_range_cumulant_up(&c->ranges->list[i], s);
	*up = isnan(sum) ? INFINITY : sum * (1 + SOTTO_U * (8 + (double)c->ranges->n));
	return SOTTO_OK;
}

/* The root in log s of an increasing function. */
struct order_search {
	const struct curve *curve;
	bool rough; /* a few of very many laws will do */
	double target; /* log delta, or epsilon */
	double (*slope)(const struct order_search *, double s, double *change);
};

/* s K' - K + log1p(s) + log delta; *change is its derivative by log s, here and below */
static double slope_for_epsilon(const struct order_search *o, double s, double *change)
{
	double k[3];

	cumulants(o->curve, s, o->rough, k);
	*change = s * (s * k[2] + 1 / (1 + s));
	return s * k[1] - k[0] + log1p(s) + o->target;
}

/* K' - epsilon + log s - log1p(s) */
static double slope_for_delta(const struct order_search *o, double s, double *change)
{
	double k[3];

	cumulants(o->curve, s, o->rough, k);
	*change = s * k[2] + 1 / (1 + s);
	return k[1] - o->target - log1p(1 / s);
}

static double best_order(const struct order_search *o)
{
	double low = -INFINITY, high = INFINITY, x = 0, f_low = 0, f_high = 0;

	for (int i = 0; i < 100; i++) {
		double change, f = o->slope(o, exp(x), &change), newton;

		if (sotto_work_is_spent(o->curve->measure.work))
			break; /* any order is good */
		newton = x - fmin(2, fmax(-2, f / change));
		if (!(f < 0)) {
			high = x;
			f_high = f;
		} else {
			low = x;
			f_low = f;
		}
		if (high - low < 1e-7 || fabs(x) > 60)
			break;
		if (fabs(newton - x) < 1e-5 && newton > low && newton < high)
			return exp(newton); /* what is left is its square */
		if (i % 3 != 2 && newton > low && newton < high)
			x = newton;
		else if (isinf(low))
			x = high - 1;
		else if (isinf(high))
			x = low + 1;
		else if (i % 6 == 2 || !isfinite(f_high))
			x = 0.5 * (low + high);
		else
			x = low - f_low * (high - low) / (f_high - f_low);
	}
	if (isinf(high) && isinf(low))
		return exp(x);
	return exp(isinf(high) ? low : isinf(low) ? high : 0.5 * (low + high));
}

/* Found roughly first, then by a few steps of Newton's rule with all laws. */
static double find_order(struct order_search *o)
{
	double s, change;

	o->rough = true;
	s = best_order(o);
	o->rough = false;
	for (int i = 0; i < 3 && !sotto_work_is_spent(o->curve->measure.work); i++) {
		double f = o->slope(o, s, &change), step = fmin(1, fmax(-1, f / change));

		if (sotto_work_is_spent(o->curve->measure.work))
			break; /* K may be of some laws only */
		if (isfinite(step))
			s *= exp(-step);
		if (!(fabs(step) > 1e-5))
			break;
	}
	return s;
}

/* K/s + log(s/(1+s)) - (log delta + log1p(s))/s, each part small for large orders */
static double epsilon_at(double k, double s, double log_delta)
{
	double sum = k / s - log1p(1 / s) - (log_delta + log1p(s)) / s;
	double size = k / s + log1p(1 / s) + (fabs(log_delta) + log1p(s)) / s;

	return sum + 16 * SOTTO_U * size;
}

/* K - s epsilon + s log s - (1+s) log1p(s) */
static double log_delta_at(double k, double s, double epsilon)
{
	double sum = k - s * epsilon - s * log1p(1 / s) - log1p(s);
	double size = k + s * epsilon + s * log1p(1 / s) + log1p(s);

	return sum + 16 * SOTTO_U * size;
}

static enum sotto_status
curve_epsilon(const struct curve *c, mpq_srcptr delta, double *epsilon, double *order)
{
	struct order_search o = {.curve = c, .slope = slope_for_epsilon};
	double k;
	mpfr_t l;

	*epsilon = INFINITY;
	*order = INFINITY;
	if (isinf(c->rho))
		return SOTTO_OK;
	if (c->rho == 0 && c->ranges->n == 0 && mpfr_cmp_si(c->measure.log_finite, 0) == 0)
		*epsilon = c->measure.top; /* the limit of large orders */
	if (mpq_sgn(delta) <= 0)
		return SOTTO_OK;
	mpfr_init2(l, 128);
	sotto_log_rational(l, delta, MPFR_RNDD);
	o.target = sotto_real_double_down(l);
	mpfr_clear(l);
	*order = find_order(&o);
	SOTTO_TRY(cumulant_up(c, *order, &k));
	*epsilon = fmin(*epsilon, fmax(0, epsilon_at(k, *order, o.target)));
	/* delta(0)^2 <= 1 - exp(-divergence) */
	if (2 * o.target >= sotto_next_up(log(-expm1(-k / *order))))
		*epsilon = 0;
	return SOTTO_OK;
}

/* log(e^x + delta); delta may be smaller than the least double. */
static double log_sum_up(double x, mpq_srcptr delta)
{
	double log_delta, most;
	mpfr_t l;

	mpfr_init2(l, 64);
	sotto_log_rational(l, delta, MPFR_RNDU);
	log_delta = sotto_real_double_up(l);
	mpfr_clear(l);
	most = fmax(x, log_delta);
	return sotto_ulps_up(most + sotto_ulps_up(log1p(exp(fmin(x, log_delta) - most)), 4), 1);
}

static enum sotto_status
curve_log_delta(const struct curve *c, double epsilon, double *log_delta, double *order)
{
	struct order_search o = {.curve = c, .slope = slope_for_delta, .target = epsilon};
	double k;

	*log_delta = 0;
	*order = INFINITY;
	if (isinf(c->rho))
		return SOTTO_OK;
	*log_delta = -INFINITY;
	if (!(c->rho == 0 && c->ranges->n == 0 && epsilon >= c->measure.top)) {
		*order = find_order(&o);
		SOTTO_TRY(cumulant_up(c, *order, &k));
		*log_delta = fmin(0, log_delta_at(k, *order, epsilon));
		*log_delta = fmin(*log_delta, sotto_ulps_up(0.5 * log(-expm1(-k / *order)), 4));
	}
	if (mpq_sgn(c->delta) > 0)
		*log_delta = fmin(0, log_sum_up(*log_delta, c->delta));
	return SOTTO_OK;
}

/* What to do with the curve of each direction; the worse result counts. */
struct task {
	mpq_srcptr delta; /* NULL: epsilon is given */
	double epsilon, alpha;
	double result, order;
};

static enum sotto_status perform(const struct curve *c, struct task *task)
{
	double result, order = task->alpha - 1;
	enum sotto_status st;
	mpq_t rest;

	if (task->alpha > 0) {
		st = cumulant_up(c, order, &result);
		result = mpq_sgn(c->delta) > 0 ? INFINITY : result / order * (1 + 4 * SOTTO_U);
	} else if (task->delta) {
		mpq_init(rest);
		mpq_sub(rest, task->delta, c->delta);
		st = curve_epsilon(c, rest, &result, &order);
		if (mpq_sgn(rest) < 0)
			result = INFINITY;
		mpq_clear(rest);
	} else {
		st = curve_log_delta(c, task->epsilon, &result, &order);
	}
	if (st == SOTTO_OK && !(result <= task->result)) {
		task->result = result;
		task->order = order;
	}
	return st;
}

/* Terms in their parts, and what of them both directions share. */
struct parts {
	struct sotto_terms laws, ranges;
	struct curve shared; /* without a measure */
};

static void release_parts(struct parts *p)
{
	p->laws.laplace = NULL; /* borrowed */
	p->laws.laplace_count = NULL;
	mpq_clear(p->shared.delta);
	sotto_terms_release(&p->laws);
	sotto_terms_release(&p->ranges);
}

static enum sotto_status init_parts(struct parts *p, const struct sotto_terms *t)
{
	sotto_terms_init(&p->laws, t->neighbours);
	p->laws.work = t->work;
	sotto_terms_init(&p->ranges, t->neighbours);
	p->shared = (struct curve){.ranges = &p->ranges};
	mpq_init(p->shared.delta);
	SOTTO_TRY(split(&p->shared, t, &p->laws, &p->ranges));
	sotto_terms_sort(&p->laws);
	p->laws.laplace = t->laplace;
	p->laws.laplace_count = t->laplace_count;
	p->laws.n_laplace = t->n_laplace;
	return SOTTO_OK;
}

static enum sotto_status one_direction(const struct parts *p, const struct sotto_terms *t,
				       enum sotto_direction d, struct task *task)
{
	struct curve c = {.ranges = &p->ranges, .rho = p->shared.rho};
	enum sotto_status st;

	SOTTO_TRY(sotto_measure_of(&c.measure, &p->laws, d));
	mpq_init(c.delta);
	mpq_set(c.delta, p->shared.delta);
	st = sotto_renyi_add_real_laws(&c.measure, t, d);
	charge_left_out(&c);
	if (st == SOTTO_OK)
		st = perform(&c, task);
	sotto_measure_release(&c.measure);
	mpq_clear(c.delta);
	return st;
}

static enum sotto_status both_directions(const struct sotto_terms *t, struct task *task)
{
	struct parts p;
	enum sotto_status st = init_parts(&p, t);

	task->result = -INFINITY;
	if (st == SOTTO_OK)
		st = one_direction(&p, t, SOTTO_REMOVE, task);
	if (st == SOTTO_OK && sotto_terms_are_one_sided(t))
		st = one_direction(&p, t, SOTTO_ADD, task);
	release_parts(&p);
	return st;
}

enum sotto_status sotto_renyi_epsilon(const struct sotto_terms *t, mpq_srcptr delta,
				      double *epsilon, double *order)
{
	struct task task = {.delta = delta};
	enum sotto_status st = both_directions(t, &task);

	*epsilon = task.result;
	*order = task.order;
	return st;
}

enum sotto_status sotto_renyi_log_delta(const struct sotto_terms *t, double epsilon,
					double *log_delta, double *order)
{
	struct task task = {.epsilon = epsilon};
	enum sotto_status st = both_directions(t, &task);

	*log_delta = task.result;
	*order = task.order;
	return st;
}

enum sotto_status
sotto_renyi_divergence(const struct sotto_terms *t, double alpha, double *divergence)
{
	struct task task = {.alpha = alpha};
	enum sotto_status st = both_directions(t, &task);

	*divergence = task.result;
	return st;
}
