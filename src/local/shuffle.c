/* Amplification by shuffling, by the accountant's clone pair and in closed form. */
#include <math.h>

#include "base/failure.h"
#include "sotto/account.h"
#include "sotto/local_privacy.h"

/* More than all roundings of the formula below together. */
#define SLACK (1 + 1e-12)

/*
 * Feldman, McMillan, Talwar 2021, theorem 3.1:
 * ln(1 + (E - 1)/(E + 1) (8 sqrt(E ln(4/delta)/n) + 8 E/n)), epsilon <= ln(n/(16 ln(4/delta))).
 */
static double closed_form(double epsilon, double users, double delta)
{
	double e = exp(epsilon) * SLACK, odds = tanh(epsilon / 2),
	       tail = log(4 / delta) * SLACK;

	if (!(e <= users / (16 * tail)))
		return INFINITY;
	return log1p(odds * (8 * sqrt(e * tail / users) + 8 * e / users)) * SLACK;
}

static enum sotto_status make_workload(double epsilon, uint64_t users, struct sotto_workload *w)
{
	struct sotto_event *e;
	enum sotto_status st = sotto_event_new(SOTTO_EVENT_SHUFFLE, &e);

	if (st != SOTTO_OK)
		return st;
	e->n = users;
	st = sotto_rational_set_double(&e->a, epsilon);
	if (st == SOTTO_OK)
		st = sotto_workload_add(w, e, 1, NULL);
	sotto_event_free(e);
	return st;
}

enum sotto_status sotto_local_shuffle(double epsilon, uint64_t users,
				      const struct sotto_rational *delta,
				      struct sotto_local_shuffled *out)
{
	double d = sotto_rational_double_down(delta);
	struct sotto_account_answer answer;
	struct sotto_workload *w = NULL;
	enum sotto_status st;

	if (!(epsilon > 0) || !isfinite(epsilon) || users == 0 || !(d > 0) ||
	    sotto_rational_double_up(delta) >= 1)
		return SOTTO_EINVAL;
	st = sotto_workload_new(&w);
	if (st == SOTTO_OK)
		st = make_workload(epsilon, users, w);
	if (st == SOTTO_OK)
		st = sotto_account_epsilon(w, delta, SOTTO_PLD, &answer);
	sotto_workload_free(w);
	SOTTO_TRY(st);
	*out = (struct sotto_local_shuffled){
		.clone = answer.finite ? fmin(answer.upper, epsilon) : epsilon,
		.closed = closed_form(epsilon, (double)users, d)};
	return SOTTO_OK;
}
