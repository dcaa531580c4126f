/* What the ways of choosing share: best score, rate, expected error. */
#include "core/number/rational/rational_round.h"
#include "core/mechanism/choice/selection.h"

#include <math.h>

#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/number/rational/rational_value.h"

enum sotto_status sotto_selection_rate(const struct sotto_selection *s, size_t picks,
				       struct sotto_rational *rate, struct sotto_error *err)
{
	mpq_t divisor;

	if (!s->epsilon || !s->sensitivity)
		return sotto_fail(err, SOTTO_EINVAL,
				  "a choice needs epsilon and a sensitivity");
	if (sotto_rational_sign(s->epsilon) <= 0)
		return sotto_fail(err, SOTTO_EINVAL, "epsilon must be greater than 0");
	if (sotto_rational_sign(s->sensitivity) <= 0)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the sensitivity of the scores must be greater than 0");
	if (picks == 0)
		return sotto_fail(err, SOTTO_EINVAL, "at least one outcome must be chosen");
	mpq_init(divisor);
	mpq_set_ui(divisor, picks, 1);
	mpq_mul(divisor, divisor, s->sensitivity->q);
	mpq_mul_2exp(divisor, divisor, s->monotone ? 0 : 1);
	mpq_div(rate->q, s->epsilon->q, divisor);
	mpq_clear(divisor);
	return SOTTO_OK;
}

int64_t sotto_selection_best(const struct sotto_exact *scores, size_t n, bool least)
{
	/* ~x turns the order of all int64_t around without overflow */
	int64_t flip = -(int64_t)least, best = scores[0].secret ^ flip;

	for (size_t i = 1; i < n; i++) {
		int64_t score = scores[i].secret ^ flip;

		best = sotto_mask_i64(score > best, score, best);
	}
	return best ^ flip;
}

enum sotto_status sotto_selection_error(const struct sotto_selection *s, size_t n, size_t picks,
					double beta, double *error)
{
	struct sotto_rational rate;
	enum sotto_status st;

	if (n < picks || !(beta > 0 && beta < 1))
		return SOTTO_EINVAL;
	sotto_rational_init(&rate);
	st = sotto_selection_rate(s, picks, &rate, NULL);
	if (st == SOTTO_OK)
		*error = (log((double)n) - log(beta)) / sotto_rational_double_down(&rate) *
			 (1 + 0x1p-40); /* more than floating point can take away */
	sotto_rational_release(&rate);
	return st;
}

/* The error falls as 1/epsilon, so one evaluation at epsilon = 1 is enough. */
enum sotto_status
sotto_selection_epsilon_up(const struct sotto_selection *s, size_t n, size_t picks, double beta,
			   const struct sotto_rational *error, struct sotto_rational *epsilon)
{
	if (!s || !error || !epsilon)
		return SOTTO_EINVAL;
	error = sotto_rational_settled(error);

	struct sotto_selection at_one = *s;
	struct sotto_rational one;
	enum sotto_status st;
	double at;

	if (sotto_rational_sign(error) <= 0)
		return SOTTO_EINVAL;
	sotto_rational_init(&one);
	mpq_set_ui(one.q, 1, 1);
	at_one.epsilon = &one;
	st = sotto_selection_error(&at_one, n, picks, beta, &at);
	if (st == SOTTO_OK)
		st = sotto_rational_set_double(&one, at);
	if (st == SOTTO_OK) {
		mpq_div(epsilon->q, one.q, error->q);
		sotto_rational_round_up(epsilon, 32);
	}
	sotto_rational_release(&one);
	return st;
}
