/*
 * Tries wide steps in both directions, then single numbers of clones with wide steps for the
 * difference, then single outcomes; faint points are left out and charged.
 */
#include "core/account/law/clones/clone_points.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/clones/clone_rule.h"
#include "core/account/law/law.h"
#include "core/account/law/law_clones.h"
#include "core/base/failure.h"

/* Outcomes are listed one by one for at most so many reports; and points in all. */
enum { LISTED_MAX = 1000 };
/* All outcomes are listed for at most so many clones. */
enum { ALL_CLONES = 100 };
/* A row is good to so many digits, as -log, at least. */
#define DIGITS_MIN 9.0
/* Points that one number of clones takes, at most. */
#define ROW_POINTS 60
/* Masses below this are left out, each charged, where the order lifts them by no more than exp(FAINT_LIFT). */
#define FAINT 1e-22
#define FAINT_LIFT 3
/* Errors from which on nothing is claimed. */
#define HOPELESS 1e-2
/* Orders at which masses would leave the range of doubles. */
#define ORDER_MAX 25.0
/* Steps (work.h) that a point takes. */
#define STEPS 30

/* What is being made. */
struct making {
	const struct sotto_clone_pair *pair;
	struct sotto_clone_order order;
	struct sotto_clone_points *out;
	double worst, left_out; /* the largest relative error of a mass; what was too faint */
	double top; /* the largest loss */
};

static enum sotto_status grow(struct sotto_clone_points *out)
{
	size_t room = out->capacity ? 2 * out->capacity : 512;
	double *all;

	if (room > SOTTO_CLONE_POINTS_MAX)
		return SOTTO_EREFUSED;
	all = malloc(2 * room * sizeof *all);
	if (!all)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < out->n; i++) {
		all[i] = out->loss[i];
		all[room + i] = out->mass[i];
	}
	free(out->loss);
	out->loss = all;
	out->mass = all + room;
	out->capacity = room;
	return SOTTO_OK;
}

/* What an outcome and its opposite weigh at order c. */
static double weight_of(const struct making *m, double loss, double mass)
{
	return mass * (exp(m->order.c * loss) + exp(-(m->order.c + 1) * loss));
}

/* A point whose mass has this relative error. */
static enum sotto_status add_point(struct making *m, double loss, double mass, double error)
{
	if (mass < FAINT && isfinite(m->order.c) && m->order.c * loss < FAINT_LIFT) {
		m->left_out += 2 * mass * exp(FAINT_LIFT);
		return SOTTO_OK;
	}
	m->worst = fmax(m->worst, error);
	m->top = fmax(m->top, loss);
	if (m->out->n == m->out->capacity)
		SOTTO_TRY(grow(m->out));
	m->out->loss[m->out->n] = loss;
	m->out->mass[m->out->n++] = mass;
	return SOTTO_OK;
}

/* log Gamma(z+1) less (z + 1/2) log z - z + log(2 pi)/2, good to 1e-14 from 10 on. */
static double stirling_rest(double z)
{
	double x = 1 / z, y = x * x;

	return x *
	       (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188))));
}

/* log of the mass of so many clones more than there are on the mean, between the whole numbers too. */
static double log_mass_of(const struct sotto_clone_pair *p, double more)
{
	double k = p->clones + more, none = p->users - k;

	return 0.5 * log(p->users / (2 * M_PI * k * none)) + stirling_rest(p->users) -
	       stirling_rest(k) - stirling_rest(none) - sotto_clone_deviance_off(p, more);
}

/* What that may be wrong by: rounding. */
static double rounding_of(const struct sotto_clone_pair *p, double more)
{
	return SOTTO_U *
	       (64 + 32 * sotto_clone_deviance_off(p, more) + (4 + 2 * p->epsilon0) / p->rest);
}

/* What the mass of k clones may be wrong by: that of p too. */
static double mass_error(const struct sotto_clone_pair *p, double k)
{
	return SOTTO_U * (64 + 32 * sotto_clone_deviance(p, k) +
			  (4 + 2 * p->epsilon0) * (fabs(k - p->clones) + 2) / p->rest);
}

/* The differences of a rule that are positive, for n reports; mass is that of n. */
static enum sotto_status
add_row(struct making *m, const struct sotto_clone_rule *r, double n, double mass, double error)
{
	const struct sotto_clone_pair *p = m->pair;

	for (size_t j = r->n / 2; j < r->n; j++) {
		double d = r->edge + ((double)j + 0.5) * r->step, v = d / n;
		double square = 0.5 * n * (2 * v * atanh(v) + log1p(-v * v));
		double log_one = stirling_rest(n) - stirling_rest(0.5 * (n + d)) -
				 stirling_rest(0.5 * (n - d)) - square;
		double one = 0.5 * r->step * sqrt(2 / (M_PI * n * (1 - v * v))) * exp(log_one) *
			     (1 + p->tau * v);

		SOTTO_TRY(add_point(m, sotto_clone_loss(p, d, n), mass * one,
				    error + SOTTO_U * (128 + 32 * square) + 1e-14));
	}
	return SOTTO_OK;
}

/* All outcomes of n reports whose loss is not negative; one of loss 0 is its own opposite. */
static enum sotto_status list_row(struct making *m, double n, double mass, double error)
{
	double one = ldexp(1, -(int)n);

	if (n > LISTED_MAX)
		return SOTTO_EREFUSED;
	for (double x = n; 2 * x >= n; x--) {
		double d = 2 * x - n, half = d > 0 ? 1 : 0.5;

		SOTTO_TRY(add_point(m, sotto_clone_loss(m->pair, d, n),
				    half * mass * one * (1 + m->pair->tau * d / n),
				    error + SOTTO_U * (16 + 4 * n)));
		one *= x / (n - x + 1);
	}
	return SOTTO_OK;
}

/* The weight of a row that is no part of the sum. */
static enum sotto_status
weigh_row(struct making *m, const struct sotto_clone_rule *r, double more, double *weight)
{
	size_t n = m->out->n;

	SOTTO_TRY(
		add_row(m, r, m->pair->clones + more + 1, exp(log_mass_of(m->pair, more)), 0));
	for (size_t i = n; i < m->out->n; i++)
		*weight += weight_of(m, m->out->loss[i], m->out->mass[i]);
	m->out->n = n;
	return SOTTO_OK;
}

/* Wide steps in the number of clones too; *error is what they are wrong by. */
static enum sotto_status wide_rows(struct making *m, const struct sotto_clone_rule *difference,
				   const struct sotto_clone_rule *clones, double reach,
				   double *error)
{
	const struct sotto_clone_pair *p = m->pair;
	double edges = 0, first = clones->edge - p->clones,
	       last = first + clones->step * (double)clones->n;

	if ((double)(difference->n / 2) * (double)clones->n > SOTTO_CLONE_POINTS_MAX)
		return SOTTO_EREFUSED;
	for (size_t i = 0; i < clones->n; i++) {
		double more = first + ((double)i + 0.5) * clones->step;

		SOTTO_TRY(add_row(m, difference, p->clones + more + 1,
				  clones->step * exp(log_mass_of(p, more)),
				  rounding_of(p, more)));
	}
	SOTTO_TRY(weigh_row(m, difference, first, &edges));
	SOTTO_TRY(weigh_row(m, difference, last, &edges));
	*error += clones->error + difference->error + reach * edges;
	return SOTTO_OK;
}

/*
 * Each number of clones, with wide steps for the difference where they fit.  A row that is a small part of M(c) needs fewer digits: half as many fewer as
 * the part has, so that all rows together stay good.
 */
static enum sotto_status
single_rows(struct making *m, double few, const double *mass, size_t count, double *error)
{
	for (size_t i = 0; i < count; i++) {
		double k = few + (double)i, n = k + 1,
		       good_to = mass_error(m->pair, k) + 4 * SOTTO_U * (double)count,
		       part = mass[i] * exp(sotto_clone_log_given_up(m->pair, m->order.c, n));
		struct sotto_clone_order order = m->order;
		struct sotto_clone_rule r;

		order.digits = fmax(DIGITS_MIN, order.digits + fmin(0, 0.5 * log(part)));
		if (sotto_clone_rule_difference(m->pair, &order, n, n, &r) && (double)r.n < n) {
			*error += part * r.error;
			SOTTO_TRY(add_row(m, &r, n, mass[i], good_to));
		} else {
			SOTTO_TRY(list_row(m, n, mass[i], good_to));
		}
	}
	return SOTTO_OK;
}

/* The masses of few, few + 1, ... clones, which sum to 1: what lies outside is next to nothing. */
static enum sotto_status
list_rows(struct making *m, double few, double most, struct sotto_work *work, double *error)
{
	struct sotto_clones s = {.users = m->pair->users,
				 .p = m->pair->p,
				 .low = few,
				 .high = most,
				 .count = (size_t)(most - few) + 1};
	enum sotto_status st;

	if (s.count > LISTED_MAX)
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_clones_weigh(&s));
	st = single_rows(m, few, s.mass, s.count, error);
	free(s.mass);
	sotto_work_use(work, 20 * (double)s.count);
	return st;
}

bool sotto_clone_points_are_few(const struct sotto_clone_pair *p,
				const struct sotto_clone_order *order)
{
	struct sotto_clone_rule difference, clones;
	double few, most, reach;

	sotto_clone_window(p, order, &few, &most);
	return (most - few + 1) * fmin(most + 2, ROW_POINTS) < SOTTO_CLONE_POINTS_MAX ||
	       (sotto_clone_rule_difference(p, order, few + 0.5, most + 1.5, &difference) &&
		sotto_clone_rule_clones(p, order, &difference, few, most, &clones, &reach));
}

/* One by one, from no clone at all: what has more clones than the most is at most its probability of M(c), at every c. */
static enum sotto_status list_all(struct making *m, const struct sotto_clones *s)
{
	for (size_t i = 0; i < s->count; i++)
		SOTTO_TRY(list_row(m, (double)i + 1, s->mass[i],
				   mass_error(m->pair, (double)i) +
					   4 * SOTTO_U * (double)s->count));
	return SOTTO_OK;
}

enum sotto_status sotto_clone_points_all(const struct sotto_clone_pair *p,
					 struct sotto_work *work,
					 struct sotto_clone_points *out)
{
	static const struct sotto_clone_order order = {0, 0, SOTTO_CLONE_DIGITS};
	struct making m = {.pair = p, .order = {.c = INFINITY}, .out = out};
	struct sotto_clones s = {.users = p->users, .p = p->p};
	enum sotto_status st;

	*out = (struct sotto_clone_points){0};
	sotto_clone_window(p, &order, &s.low, &s.high);
	if (s.low > 0 || s.high > ALL_CLONES)
		return SOTTO_EREFUSED;
	s.count = (size_t)s.high + 1;
	SOTTO_TRY(sotto_clones_weigh(&s));
	st = list_all(&m, &s);
	free(s.mass);
	sotto_work_use(work, STEPS * (double)out->n);
	out->error = 1.01 * (m.worst + 8 * exp(-sotto_clone_tail(&order)) +
			     sotto_clone_outside(p, 0, 0, s.high));
	if (st != SOTTO_OK) {
		free(out->loss);
		*out = (struct sotto_clone_points){0};
	}
	return st;
}

enum sotto_status
sotto_clone_points_for(const struct sotto_clone_pair *p, const struct sotto_clone_order *order,
		       struct sotto_work *work, struct sotto_clone_points *out)
{
	struct making m = {.pair = p, .order = *order, .out = out};
	struct sotto_clone_rule difference, clones;
	double few, most, reach, error = 8 * exp(-sotto_clone_tail(order));
	enum sotto_status st;

	*out = (struct sotto_clone_points){0};
	if (!(order->c * sotto_clone_scale(p) < ORDER_MAX) || sotto_work_is_spent(work))
		return SOTTO_EREFUSED;
	sotto_clone_window(p, order, &few, &most);
	if (sotto_clone_rule_difference(p, order, few + 0.5, most + 1.5, &difference) &&
	    sotto_clone_rule_clones(p, order, &difference, few, most, &clones, &reach))
		st = wide_rows(&m, &difference, &clones, reach, &error);
	else
		st = list_rows(&m, few, most, work, &error);
	sotto_work_use(work, STEPS * (double)out->n);
	out->error = 1.01 * (error + m.worst + m.left_out +
			     sotto_clone_outside(p, order->c, few, most) +
			     16 * SOTTO_U * (order->c + order->t) * m.top);
	if (st == SOTTO_OK && !(out->error < HOPELESS))
		st = SOTTO_EREFUSED;
	if (st != SOTTO_OK) {
		free(out->loss);
		*out = (struct sotto_clone_points){0};
	}
	return st;
}
