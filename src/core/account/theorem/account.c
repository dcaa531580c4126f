/* Asks each theorem what a workload costs. */
#include "sotto/account.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>

#include "core/account/integral/real.h"
#include "core/account/loss/loss_curve.h"
#include "core/account/loss/worse_direction.h"
#include "core/account/theorem/composition/bounded_range.h"
#include "core/account/theorem/composition/composition.h"
#include "core/account/theorem/loss_bound.h"
#include "core/account/theorem/renyi/renyi_curve.h"
#include "core/account/theorem/renyi/zcdp.h"
#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"

const char *sotto_method_name(enum sotto_method method)
{
	static const char *const names[] = {
#define NAME(constant, name, what) name,
		SOTTO_METHOD_LIST(NAME)
#undef NAME
	};

	return names[method];
}

const char *sotto_adaptivity_name(enum sotto_adaptivity adaptivity)
{
	static const char *const names[] = {"non-adaptive", "fixed-parameters",
					    "fully-adaptive"};

	return names[adaptivity];
}

static enum sotto_adaptivity adaptivity_of(enum sotto_method method)
{
	return method == SOTTO_BASIC || method == SOTTO_ZCDP ? SOTTO_FULLY_ADAPTIVE
							     : SOTTO_FIXED_PARAMETERS;
}

static struct sotto_work work_for(enum sotto_method method)
{
	static const double left[] = {
		[SOTTO_BASIC] = SOTTO_WORK_PART, [SOTTO_ADVANCED] = SOTTO_WORK_PART,
		[SOTTO_KOV] = SOTTO_WORK_PART,   [SOTTO_ZCDP] = SOTTO_WORK_PART,
		[SOTTO_RDP] = SOTTO_WORK_RENYI,  [SOTTO_PLD] = SOTTO_WORK_WHOLE};

	return (struct sotto_work){.left = left[method]};
}

static bool has_kind(const struct sotto_event *e, enum sotto_event_kind kind)
{
	if (e->kind == kind)
		return true;
	for (size_t i = 0; i < e->n_children; i++)
		if (has_kind(e->children[i], kind))
			return true;
	return false;
}

static bool any_of_kind(const struct sotto_terms *t, enum sotto_event_kind kind)
{
	for (size_t i = 0; i < t->n; i++)
		if (has_kind(t->list[i].event, kind))
			return true;
	return false;
}

static void start_answer(struct sotto_account_answer *a, const struct sotto_terms *t,
			 enum sotto_method method)
{
	*a = (struct sotto_account_answer){.method = method,
					   .adaptivity = adaptivity_of(method),
					   .neighbours = t->neighbours,
					   .finite = true,
					   .way = "",
					   .exact_pair = method == SOTTO_PLD && t->exact_pair};
	if (t->neighbours == SOTTO_ANY_NEIGHBOURS && any_of_kind(t, SOTTO_EVENT_PARALLEL))
		a->neighbours = SOTTO_ADD_REMOVE;
}

static const char no_steps_left[] = "would take more steps than one answer may";

static void set_infinite(struct sotto_account_answer *a, const char *reason)
{
	a->finite = false;
	a->reason = reason;
	a->lower = 0;
	a->upper = INFINITY;
}

/*
 * Without delta, or where the events' own use it up, epsilon is infinite; else it is a number,
 * though one that no double holds or that could not be bounded by one.
 */
static const char *why_infinite(const struct sotto_terms *t, mpq_srcptr delta)
{
	uint64_t curves;
	bool finite;
	mpq_t own;

	mpq_init(own);
	sotto_compose_survey(t, own, &curves);
	finite = curves ? mpq_cmp(own, delta) < 0 : mpq_cmp(own, delta) <= 0;
	mpq_clear(own);
	return finite ? "no bound below the largest double, 1.8e308" : "infinite at this delta";
}

static void set_epsilon(struct sotto_account_answer *a, const struct sotto_terms *t,
			mpq_srcptr delta, double lower, double upper)
{
	a->lower = lower;
	a->upper = upper;
	if (isinf(upper))
		set_infinite(a, sotto_work_is_spent(t->work) ? no_steps_left
							     : why_infinite(t, delta));
}

/* delta as a double on the safe side: a positive one never prints as 0. */
static void set_delta(struct sotto_account_answer *a, double log_lower, double log_upper)
{
	a->log_lower = log_lower;
	a->log_upper = log_upper;
	a->lower = sotto_ulps_down(exp(log_lower), 2);
	a->upper = fmin(1, sotto_ulps_up(exp(log_upper), 2));
	if (a->lower < 0 || isinf(log_lower))
		a->lower = 0;
	if (isinf(log_upper))
		a->upper = 0;
	else if (a->upper < 0x1p-1074)
		a->upper = 0x1p-1074;
	if (!isinf(log_lower) && a->lower < 0x1p-1074)
		a->lower = 0x1p-1074;
}

/* What the events' own work limit did not let them tell is not known, and no failure. */
static enum sotto_status forgive(enum sotto_status st, struct sotto_account_answer *a)
{
	if (st != SOTTO_EREFUSED && st != SOTTO_ERANGE)
		return st;
	set_infinite(a, no_steps_left);
	return SOTTO_OK;
}

/*
 * The last word on every answer: whatever the way to it, the lower side is not above the upper
 * one.
 */
static void publish(struct sotto_account_answer *a)
{
	bool agree = sotto_sides_settle(&a->lower, &a->upper, 0, INFINITY);

	agree &= sotto_sides_settle(&a->log_lower, &a->log_upper, -INFINITY, 0);
	if (!agree)
		set_infinite(a, "the two sides contradict each other, so neither is claimed");
}

static enum sotto_status
epsilon_of(const struct sotto_terms *t, mpq_srcptr delta, struct sotto_account_answer *a);

static const enum sotto_method others[] = {SOTTO_BASIC, SOTTO_KOV, SOTTO_ZCDP, SOTTO_RDP};

/*
 * Where the loss distribution gives no bound, the least of the other theorems' is one too: they hold
 * for the same pairs.
 */
static enum sotto_status
fall_back(const struct sotto_terms *t, mpq_srcptr delta, struct sotto_account_answer *a)
{
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		struct sotto_account_answer other = {.method = others[i], .finite = true};

		if (t->work)
			t->work->left = work_for(others[i]).left;
		SOTTO_TRY(forgive(epsilon_of(t, delta, &other), &other));
		if (!other.finite || (a->finite && a->upper <= other.upper))
			continue;
		a->finite = true;
		a->reason = NULL;
		a->lower = 0;
		a->upper = other.upper;
		a->exact_pair = false;
	}
	return SOTTO_OK;
}

/* Where all losses have bounds their sum bounds the whole, in exact numbers. */
static enum sotto_status
lower_to_top(const struct sotto_terms *t, mpq_srcptr delta, double *upper)
{
	enum sotto_status st = SOTTO_OK;
	uint64_t curves;
	double basic;
	mpq_t own;

	mpq_init(own);
	sotto_compose_survey(t, own, &curves);
	if (curves == 0 && mpq_cmp(own, delta) <= 0) {
		st = sotto_compose_epsilon(t, delta, SOTTO_BASIC, &basic);
		if (st == SOTTO_OK)
			*upper = fmin(*upper, basic);
	}
	mpq_clear(own);
	return st;
}

/*
 * The loss distribution may be one that only dominates (a black-box group), and a theorem may know
 * better: then the low side stays below that bound, which was rounded up.
 */
static double lower_below(double lower, double bound)
{
	return lower > bound ? sotto_ulps_down(bound, 2) : lower;
}

static enum sotto_status
pld_epsilon(const struct sotto_terms *t, mpq_srcptr delta, struct sotto_account_answer *a)
{
	struct sotto_level level;
	enum sotto_status st;
	double lower, upper;

	if (any_of_kind(t, SOTTO_EVENT_ZCDP)) {
		set_infinite(a, "a zcdp event has no loss distribution");
		return SOTTO_OK;
	}
	sotto_level_init(&level, delta);
	st = sotto_worst_epsilon(t, &level, &lower, &upper);
	sotto_level_release(&level);
	if (st == SOTTO_EREFUSED || st == SOTTO_ERANGE) {
		set_infinite(a, "an event has no loss distribution that can be composed");
		return fall_back(t, delta, a);
	}
	SOTTO_TRY(st);
	SOTTO_TRY(lower_to_top(t, delta, &upper));
	set_epsilon(a, t, delta, lower_below(lower, upper), upper);
	return a->finite ? SOTTO_OK : fall_back(t, delta, a);
}

static enum sotto_status
epsilon_of(const struct sotto_terms *t, mpq_srcptr delta, struct sotto_account_answer *a)
{
	double epsilon = INFINITY;

	switch (a->method) {
	case SOTTO_BASIC:
	case SOTTO_ADVANCED:
		SOTTO_TRY(sotto_compose_epsilon(t, delta, a->method, &epsilon));
		break;
	case SOTTO_KOV:
		SOTTO_TRY(sotto_compose_epsilon(t, delta, a->method, &epsilon));
		SOTTO_TRY(lower_to_top(t, delta, &epsilon));
		break;
	case SOTTO_ZCDP:
		SOTTO_TRY(sotto_zcdp_terms_epsilon(t, delta, &epsilon, &a->order));
		break;
	case SOTTO_RDP:
		SOTTO_TRY(sotto_renyi_epsilon(t, delta, &epsilon, &a->order));
		SOTTO_TRY(lower_to_top(t, delta, &epsilon));
		break;
	case SOTTO_PLD:
		return pld_epsilon(t, delta, a);
	}
	set_epsilon(a, t, delta, 0, epsilon);
	return SOTTO_OK;
}

static enum sotto_status account_epsilon(const struct sotto_terms *t,
					 const struct sotto_rational *delta,
					 struct sotto_account_answer *a)
{
	if (t->n == 0 && t->n_laplace == 0) {
		a->upper = 0;
		return SOTTO_OK;
	}
	return forgive(epsilon_of(t, delta->q, a), a);
}

/* Below 1e-300 the masses of a loss distribution are no longer doubles. */
static enum sotto_status check_delta(mpq_srcptr delta)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t least;

	if (mpq_sgn(delta) < 0 || mpq_cmp_ui(delta, 1, 1) >= 0)
		return SOTTO_EINVAL;
	mpq_init(least);
	mpz_ui_pow_ui(mpq_denref(least), 10, SOTTO_DELTA_DIGITS);
	mpz_set_ui(mpq_numref(least), 1);
	if (mpq_sgn(delta) > 0 && mpq_cmp(delta, least) < 0)
		st = SOTTO_ERANGE;
	mpq_clear(least);
	return st;
}

enum sotto_status
sotto_account_epsilon(const struct sotto_workload *w, const struct sotto_rational *delta,
		      enum sotto_method method, struct sotto_account_answer *answer)
{
	struct sotto_work work = work_for(method);
	struct sotto_terms t;
	enum sotto_status st;

	if (!w || !delta || !answer)
		return SOTTO_EINVAL;
	delta = sotto_rational_settled(delta);

	SOTTO_TRY(check_delta(delta->q));
	SOTTO_TRY(sotto_terms_of(&t, w));
	t.work = &work;
	start_answer(answer, &t, method);
	st = account_epsilon(&t, delta, answer);
	answer->steps = work.used;
	publish(answer);
	sotto_terms_release(&t);
	return st;
}

enum sotto_status sotto_account_best_epsilon(const struct sotto_workload *w,
					     const struct sotto_rational *delta,
					     struct sotto_account_answer *answer)
{
	if (!w || !delta || !answer)
		return SOTTO_EINVAL;
	delta = sotto_rational_settled(delta);

	struct sotto_account_answer one;
	double steps = 0;

	for (int m = 0; m < SOTTO_METHODS; m++) {
		SOTTO_TRY(sotto_account_epsilon(w, delta, (enum sotto_method)m, &one));
		steps += one.steps;
		if (m == 0 || one.upper < answer->upper)
			*answer = one;
	}
	answer->steps = steps;
	return SOTTO_OK;
}

static enum sotto_status delta_of(const struct sotto_terms *t,
				  const struct sotto_rational *epsilon,
				  struct sotto_account_answer *a);

/* As fall_back: nothing is known of the loss distribution. */
static enum sotto_status fall_back_delta(const struct sotto_terms *t,
					 const struct sotto_rational *epsilon,
					 struct sotto_account_answer *a, double *log_delta)
{
	*log_delta = 0;
	a->exact_pair = false;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		struct sotto_account_answer other = {.method = others[i], .finite = true};

		if (t->work)
			t->work->left = work_for(others[i]).left;
		SOTTO_TRY(forgive(delta_of(t, epsilon, &other), &other));
		if (other.finite)
			*log_delta = fmin(*log_delta, other.log_upper);
	}
	return SOTTO_OK;
}

/* The high side from epsilon rounded down, the low one from it rounded up. */
static enum sotto_status pld_delta(const struct sotto_terms *t,
				   const struct sotto_rational *epsilon, double top,
				   struct sotto_account_answer *a)
{
	double at[2] = {sotto_rational_double_down(epsilon), sotto_rational_double_up(epsilon)};
	size_t n = at[0] < at[1] ? 2 : 1;
	double low[2], high[2];
	enum sotto_status st;

	if (any_of_kind(t, SOTTO_EVENT_ZCDP)) {
		set_infinite(a, "a zcdp event has no loss distribution");
		return SOTTO_OK;
	}
	st = sotto_worst_curve(t, at, n, low, high, &a->way);
	if (st == SOTTO_EREFUSED || st == SOTTO_ERANGE) {
		low[n - 1] = -INFINITY;
		high[0] = 0;
		st = SOTTO_OK;
	}
	SOTTO_TRY(st);
	if (high[0] == 0 && isinf(low[n - 1]))
		SOTTO_TRY(fall_back_delta(t, epsilon, a, &high[0]));
	set_delta(a, lower_below(low[n - 1], top), fmin(high[0], top));
	return SOTTO_OK;
}

/*
 * Epsilon is rounded down; whether it reaches the sum of the loss bounds is decided by the
 * exact one.
 */
static enum sotto_status delta_of(const struct sotto_terms *t,
				  const struct sotto_rational *epsilon,
				  struct sotto_account_answer *a)
{
	double log_delta = 0, down = sotto_rational_double_down(epsilon);
	double top = sotto_top_log_delta(t, epsilon->q);

	switch (a->method) {
	case SOTTO_BASIC:
	case SOTTO_ADVANCED:
		SOTTO_TRY(sotto_compose_log_delta(t, epsilon, a->method, &log_delta));
		break;
	case SOTTO_KOV:
		SOTTO_TRY(sotto_compose_log_delta(t, epsilon, a->method, &log_delta));
		log_delta = fmin(log_delta, top);
		break;
	case SOTTO_ZCDP:
		SOTTO_TRY(sotto_zcdp_terms_log_delta(t, epsilon->q, &log_delta, &a->order));
		break;
	case SOTTO_RDP:
		SOTTO_TRY(sotto_renyi_log_delta(t, down, &log_delta, &a->order));
		log_delta = fmin(log_delta, top);
		break;
	case SOTTO_PLD:
		return pld_delta(t, epsilon, top, a);
	}
	if (log_delta >= 0)
		set_infinite(a, "no delta below 1 at this epsilon");
	else
		set_delta(a, -INFINITY, log_delta);
	return SOTTO_OK;
}

enum sotto_status
sotto_account_delta(const struct sotto_workload *w, const struct sotto_rational *epsilon,
		    enum sotto_method method, struct sotto_account_answer *answer)
{
	struct sotto_work work = work_for(method);
	struct sotto_terms t;
	enum sotto_status st = SOTTO_OK;

	if (!w || !epsilon || !answer)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);

	if (mpq_sgn(epsilon->q) < 0)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_terms_of(&t, w));
	t.work = &work;
	start_answer(answer, &t, method);
	if (t.n == 0 && t.n_laplace == 0)
		set_delta(answer, -INFINITY, -INFINITY);
	else
		st = forgive(delta_of(&t, epsilon, answer), answer);
	answer->steps = work.used;
	publish(answer);
	sotto_terms_release(&t);
	return st;
}

enum sotto_status sotto_account_curve(const struct sotto_workload *w, const double *epsilon,
				      size_t n, double *log_low, double *log_high)
{
	if (!w || (!epsilon && n > 0) || !log_low || !log_high)
		return SOTTO_EINVAL;

	struct sotto_work work = work_for(SOTTO_PLD);
	struct sotto_terms t;
	enum sotto_status st;
	const char *way;

	for (size_t i = 0; i < n; i++)
		if (!(epsilon[i] >= 0) || isinf(epsilon[i]))
			return SOTTO_EINVAL;
	SOTTO_TRY(sotto_terms_of(&t, w));
	t.work = &work;
	st = any_of_kind(&t, SOTTO_EVENT_ZCDP)
		     ? SOTTO_EREFUSED
		     : sotto_worst_curve(&t, epsilon, n, log_low, log_high, &way);
	sotto_terms_release(&t);
	return st;
}

static bool is_all_exponential(const struct sotto_terms *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].event->kind != SOTTO_EVENT_EXPONENTIAL)
			return false;
	return t->n > 0 && t->n_laplace == 0;
}

enum sotto_status sotto_account_bounded_range(const struct sotto_workload *w,
					      const struct sotto_rational *delta,
					      struct sotto_bounded_range *out)
{
	if (!w || !delta || !out)
		return SOTTO_EINVAL;
	delta = sotto_rational_settled(delta);

	struct sotto_work work = work_for(SOTTO_ZCDP);
	struct sotto_terms t;
	enum sotto_status st = SOTTO_EREFUSED;
	double zcdp, order;

	SOTTO_TRY(sotto_terms_of(&t, w));
	t.work = &work;
	if (is_all_exponential(&t) && mpq_sgn(delta->q) > 0 && mpq_cmp_ui(delta->q, 1, 1) < 0) {
		mpq_srcptr e = t.list[0].event->a.q;
		uint64_t k = t.list[0].count;

		st = sotto_zcdp_terms_epsilon(&t, delta->q, &zcdp, &order);
		out->nonadaptive = t.n == 1 && k <= SOTTO_RANGE_EVENTS
					   ? sotto_bounded_range_nonadaptive_up(e, k, delta->q)
					   : INFINITY;
		out->closed_form =
			t.n == 1 ? sotto_bounded_range_closed_up(e, k, delta->q) : INFINITY;
		out->adaptive = fmin(zcdp, out->closed_form);
	}
	sotto_terms_release(&t);
	return st;
}
