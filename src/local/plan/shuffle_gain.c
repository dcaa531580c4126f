/* Amplification by shuffling, by the accountant's clone pair and in closed form. */
#include <math.h>

#include "core/account/event/event.h"
#include "core/base/failure.h"

#include "core/number/rational/rational_value.h"
#include "sotto/account.h"
#include "sotto/local.h"

/* INFINITY where the theorem says nothing. */
static enum sotto_status
closed_form(double epsilon, uint64_t users, const struct sotto_rational *delta, double *out)
{
	struct sotto_rational e;
	enum sotto_status st;

	sotto_rational_init(&e);
	st = sotto_rational_set_double(&e, epsilon);
	if (st == SOTTO_OK)
		st = sotto_closed_shuffle_up(&e, users, delta, out);
	sotto_rational_release(&e);
	if (st == SOTTO_EREFUSED) {
		*out = INFINITY;
		return SOTTO_OK;
	}
	return st;
}

static enum sotto_status make_workload(double epsilon, uint64_t users, struct sotto_workload *w)
{
	struct sotto_event *e;
	enum sotto_status st = sotto_event_new(SOTTO_EVENT_SHUFFLE, &e);

	if (st != SOTTO_OK)
		return st;
	e->users = users;
	st = sotto_rational_set_double(&e->local_epsilon, epsilon);
	if (st == SOTTO_OK)
		st = sotto_workload_add(w, e, 1, NULL);
	sotto_event_free(e);
	return st;
}

enum sotto_status sotto_local_shuffle(double epsilon, uint64_t users,
				      const struct sotto_rational *delta,
				      struct sotto_local_shuffled *out)
{
	delta = sotto_rational_settled(delta);

	double closed;
	struct sotto_account_answer answer;
	struct sotto_workload *w = NULL;
	enum sotto_status st;

	if (!(epsilon > 0) || !isfinite(epsilon) || users == 0 ||
	    sotto_rational_sign(delta) <= 0 || sotto_rational_double_up(delta) >= 1)
		return SOTTO_EINVAL;
	SOTTO_TRY(closed_form(epsilon, users, delta, &closed));
	st = sotto_workload_new(&w);
	if (st == SOTTO_OK)
		st = make_workload(epsilon, users, w);
	if (st == SOTTO_OK)
		st = sotto_account_epsilon(w, delta, SOTTO_PLD, &answer);
	sotto_workload_free(w);
	SOTTO_TRY(st);
	*out = (struct sotto_local_shuffled){
		.clone = answer.finite ? fmin(answer.upper, epsilon) : epsilon,
		.closed = closed};
	return SOTTO_OK;
}
