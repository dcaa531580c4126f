/* Asks each theorem which delta a workload costs at an epsilon. */
#include <math.h>

#include "core/account/loss/worse_direction.h"
#include "core/account/theorem/account_answer.h"
#include "core/account/theorem/composition/composition.h"
#include "core/account/theorem/loss_bound.h"
#include "core/account/theorem/renyi/renyi_curve.h"
#include "core/account/theorem/renyi/zcdp.h"
#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"
#include "sotto/account.h"

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
	for (size_t i = 0; i < SOTTO_ANSWER_OTHERS; i++) {
		struct sotto_account_answer other = {.method = sotto_answer_others[i],
						     .finite = true};

		if (t->work)
			t->work->left = sotto_answer_work(sotto_answer_others[i]).left;
		SOTTO_TRY(sotto_answer_forgive(delta_of(t, epsilon, &other), &other));
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

	if (sotto_terms_have_kind(t, SOTTO_EVENT_ZCDP)) {
		sotto_answer_set_infinite(a, "a zcdp event has no loss distribution");
		return SOTTO_OK;
	}
	st = sotto_worse_direction_curve(t, at, n, low, high, &a->way);
	if (st == SOTTO_EREFUSED || st == SOTTO_ERANGE) {
		low[n - 1] = -INFINITY;
		high[0] = 0;
		st = SOTTO_OK;
	}
	SOTTO_TRY(st);
	if (high[0] == 0 && isinf(low[n - 1]))
		SOTTO_TRY(fall_back_delta(t, epsilon, a, &high[0]));
	sotto_answer_set_delta(a, sotto_answer_lower_below(low[n - 1], top),
			       fmin(high[0], top));
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

	switch (a->method) {
	case SOTTO_BASIC:
	case SOTTO_ADVANCED:
		SOTTO_TRY(sotto_compose_log_delta(t, epsilon, a->method, &log_delta));
		break;
	case SOTTO_KOV:
		SOTTO_TRY(sotto_compose_log_delta(t, epsilon, a->method, &log_delta));
		log_delta = fmin(log_delta, sotto_top_log_delta(t, epsilon->q));
		break;
	case SOTTO_ZCDP:
		SOTTO_TRY(sotto_zcdp_terms_log_delta(t, epsilon->q, &log_delta, &a->order));
		break;
	case SOTTO_RDP:
		SOTTO_TRY(sotto_renyi_log_delta(t, down, &log_delta, &a->order));
		log_delta = fmin(log_delta, sotto_top_log_delta(t, epsilon->q));
		break;
	case SOTTO_PLD:
		return pld_delta(t, epsilon, sotto_top_log_delta(t, epsilon->q), a);
	}
	if (log_delta >= 0)
		sotto_answer_set_infinite(a, "no delta below 1 at this epsilon");
	else
		sotto_answer_set_delta(a, -INFINITY, log_delta);
	return SOTTO_OK;
}

enum sotto_status
sotto_account_delta(const struct sotto_workload *w, const struct sotto_rational *epsilon,
		    enum sotto_method method, struct sotto_account_answer *answer)
{
	struct sotto_work work = sotto_answer_work(method);
	struct sotto_terms t;
	enum sotto_status st = SOTTO_OK;

	if (!w || !epsilon || !answer)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);

	if (mpq_sgn(epsilon->q) < 0)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_terms_of(&t, w));
	t.work = &work;
	sotto_answer_start(answer, &t, method);
	if (t.n == 0 && t.n_laplace == 0)
		sotto_answer_set_delta(answer, -INFINITY, -INFINITY);
	else
		st = sotto_answer_forgive(delta_of(&t, epsilon, answer), answer);
	answer->steps = work.used;
	sotto_answer_settle(answer);
	sotto_terms_release(&t);
	return st;
}
