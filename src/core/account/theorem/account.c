/* Asks each theorem which epsilon a workload costs at a delta, and for the whole curve. */
#include "sotto/account.h"

#include <math.h>

#include "core/account/loss/loss_curve.h"
#include "core/account/loss/worse_direction.h"
#include "core/account/theorem/account_answer.h"
#include "core/account/theorem/account_inside.h"
#include "core/account/theorem/composition/bounded_range.h"
#include "core/account/theorem/composition/composition.h"
#include "core/account/theorem/renyi/renyi_curve.h"
#include "core/account/theorem/renyi/zcdp.h"
#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"

/* So many distinct events may be too many for a sharp answer, of which the sides are not farther apart than this. */
enum { CEILING_TERMS = 17 };
#define SHARP 1e-6

static enum sotto_status
epsilon_of(const struct sotto_terms *t, mpq_srcptr delta, struct sotto_account_answer *a);

/*
 * Where the loss distribution gives no bound, the least of the other theorems' is one too: they hold
 * for the same events.  The lower side, which is that of the loss distribution, is then at most this.
 */
static enum sotto_status fall_back(const struct sotto_terms *t, mpq_srcptr delta, double lower,
				   struct sotto_account_answer *a)
{
	for (size_t i = 0; i < SOTTO_ANSWER_OTHERS; i++) {
		struct sotto_account_answer other = {.method = sotto_answer_others[i],
						     .finite = true};

		if (t->work)
			t->work->left = sotto_answer_work(sotto_answer_others[i]).left;
		SOTTO_TRY(sotto_answer_forgive(epsilon_of(t, delta, &other), &other));
		if (!other.finite || (a->finite && a->upper <= other.upper))
			continue;
		a->finite = true;
		a->reason = NULL;
		a->lower = sotto_answer_lower_below(lower, other.upper);
		a->upper = other.upper;
		a->exact_pair = false;
	}
	return SOTTO_OK;
}

/*
 * Black-box groups have pairs that cost far more than rho does, where losses are large: what zCDP proves is then the answer, and a
 * rough lower side of the loss distribution will do.  Of few events that is sharp anyway.
 */
static enum sotto_status find_ceiling(struct sotto_terms *t, mpq_srcptr delta)
{
	struct sotto_work work = sotto_answer_work(SOTTO_ZCDP), *kept = t->work;
	double epsilon, order;
	enum sotto_status st;

	if (t->n < CEILING_TERMS || !sotto_terms_have_kind(t, SOTTO_EVENT_GROUP))
		return SOTTO_OK;
	t->work = &work;
	st = sotto_zcdp_terms_epsilon(t, delta, &epsilon, &order);
	t->work = kept;
	if (st == SOTTO_OK)
		t->ceiling = epsilon;
	return st == SOTTO_EREFUSED || st == SOTTO_ERANGE ? SOTTO_OK : st;
}

/*
 * Where all losses have bounds their sum bounds the whole, in exact numbers; that is quick, and not paid from
 * what the method may take.
 */
static enum sotto_status
lower_to_top(const struct sotto_terms *t, mpq_srcptr delta, double *upper)
{
	struct sotto_work work = sotto_answer_work(SOTTO_BASIC);
	struct sotto_terms own_work = *t;
	enum sotto_status st = SOTTO_OK;
	uint64_t curves;
	double basic;
	mpq_t own;

	mpq_init(own);
	sotto_compose_survey(t, own, &curves);
	if (curves == 0 && mpq_cmp(own, delta) <= 0) {
		own_work.work = &work;
		st = sotto_compose_epsilon(&own_work, delta, SOTTO_BASIC, &basic);
		if (st == SOTTO_OK)
			*upper = fmin(*upper, basic);
		else if (st == SOTTO_EREFUSED)
			st = SOTTO_OK;
	}
	mpq_clear(own);
	return st;
}

static enum sotto_status
pld_epsilon(const struct sotto_terms *t, mpq_srcptr delta, struct sotto_account_answer *a)
{
	struct sotto_terms own = *t;
	struct sotto_level level;
	enum sotto_status st;
	double lower, upper;

	if (sotto_terms_have_kind(t, SOTTO_EVENT_ZCDP)) {
		sotto_answer_set_infinite(a, "a zcdp event has no loss distribution");
		return SOTTO_OK;
	}
	SOTTO_TRY(find_ceiling(&own, delta));
	sotto_level_init(&level, delta);
	st = sotto_worse_direction_epsilon(&own, &level, &lower, &upper);
	sotto_level_release(&level);
	if (st == SOTTO_EREFUSED || st == SOTTO_ERANGE) {
		sotto_answer_set_infinite(
			a, "an event has no loss distribution that can be composed");
		return fall_back(t, delta, 0, a);
	}
	SOTTO_TRY(st);
	SOTTO_TRY(lower_to_top(t, delta, &upper));
	if (lower >= own.ceiling && upper - lower > SHARP && isfinite(upper))
		upper = own.ceiling;
	sotto_answer_set_epsilon(a, t, delta, sotto_answer_lower_below(lower, upper), upper);
	return a->finite ? SOTTO_OK : fall_back(t, delta, lower, a);
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
	sotto_answer_set_epsilon(a, t, delta, 0, epsilon);
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
	return sotto_answer_forgive(epsilon_of(t, delta->q, a), a);
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

enum sotto_status sotto_account_epsilon_within(const struct sotto_workload *w,
					       const struct sotto_rational *delta,
					       enum sotto_method method, double steps,
					       struct sotto_account_answer *answer)
{
	struct sotto_work work = sotto_answer_work(method);
	struct sotto_terms t;
	enum sotto_status st;

	SOTTO_TRY(check_delta(delta->q));
	SOTTO_TRY(sotto_terms_of(&t, w));
	work.left = fmin(work.left, steps);
	work.apart = fmin(work.apart, steps);
	t.work = &work;
	sotto_answer_start(answer, &t, method);
	st = account_epsilon(&t, delta, answer);
	answer->steps = work.used;
	sotto_answer_settle(answer);
	sotto_terms_release(&t);
	return st;
}

enum sotto_status
sotto_account_epsilon(const struct sotto_workload *w, const struct sotto_rational *delta,
		      enum sotto_method method, struct sotto_account_answer *answer)
{
	if (!w || !delta || !answer)
		return SOTTO_EINVAL;
	return sotto_account_epsilon_within(w, sotto_rational_settled(delta), method, INFINITY,
					    answer);
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

enum sotto_status sotto_account_curve(const struct sotto_workload *w, const double *epsilon,
				      size_t n, double *log_low, double *log_high)
{
	if (!w || (!epsilon && n > 0) || !log_low || !log_high)
		return SOTTO_EINVAL;

	struct sotto_work work = sotto_answer_work(SOTTO_PLD);
	struct sotto_terms t;
	enum sotto_status st;
	const char *way;

	for (size_t i = 0; i < n; i++)
		if (!(epsilon[i] >= 0) || isinf(epsilon[i]))
			return SOTTO_EINVAL;
	SOTTO_TRY(sotto_terms_of(&t, w));
	t.work = &work;
	st = sotto_terms_have_kind(&t, SOTTO_EVENT_ZCDP)
		     ? SOTTO_EREFUSED
		     : sotto_worse_direction_curve(&t, epsilon, n, log_low, log_high, &way);
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

	struct sotto_work work = sotto_answer_work(SOTTO_ZCDP);
	struct sotto_terms t;
	enum sotto_status st = SOTTO_EREFUSED;
	double zcdp, order;

	SOTTO_TRY(sotto_terms_of(&t, w));
	t.work = &work;
	if (is_all_exponential(&t) && mpq_sgn(delta->q) > 0 && mpq_cmp_ui(delta->q, 1, 1) < 0) {
		mpq_srcptr e = t.list[0].event->epsilon.q;
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
