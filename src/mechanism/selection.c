#include "mechanism/selection.h"

#include "base/failure.h"

enum sotto_status sotto_selection_rate(const struct sotto_selection *s, size_t picks,
				       struct sotto_rational *rate, struct sotto_error *err)
{
	mpq_t divisor;

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
		int64_t take = -(int64_t)(score > best);

		best ^= (best ^ score) & take;
	}
	return best ^ flip;
}
