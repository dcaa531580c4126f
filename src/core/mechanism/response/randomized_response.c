/*
 * Two exact coins; both are always flipped, and the answer is chosen without a branch on the
 * truth.
 */
#include "core/mechanism/response/randomized_response.h"
#include "sotto/choose.h"

#include <math.h>

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/mechanism/response/proportion.h"
#include "core/number/rational/rational_value.h"
#include "core/number/rounded.h"
#include "core/random/coin/bernoulli.h"

enum { EPSILON_DIGITS = 96 };

static const uint64_t answers_max = UINT64_C(1) << 40;

static bool inside_unit(const struct sotto_rational *x)
{
	return mpq_sgn(x->q) > 0 && mpq_cmp_ui(x->q, 1, 1) < 0;
}

enum sotto_status sotto_randomized_response_init(struct sotto_randomized_response *m,
						 const struct sotto_rational *p,
						 const struct sotto_rational *r,
						 struct sotto_error *err)
{
	if (!m || !p || !r)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	p = sotto_rational_settled(p);
	r = sotto_rational_settled(r);
	if (!inside_unit(p))
		return sotto_fail(err, SOTTO_EINVAL,
				  "the probability of telling the truth must lie between 0 "
				  "and 1, both excluded");
	if (!inside_unit(r))
		return sotto_fail(err, SOTTO_EINVAL,
				  "the probability that the second coin says yes must lie "
				  "between 0 and 1, both excluded: else one answer is a proof");
	sotto_rational_init(&m->truth);
	sotto_rational_init(&m->yes);
	sotto_rational_set(&m->truth, p);
	sotto_rational_set(&m->yes, r);
	return SOTTO_OK;
}

void sotto_randomized_response_release(struct sotto_randomized_response *m)
{
	if (!m)
		return;
	sotto_rational_release(&m->truth);
	sotto_rational_release(&m->yes);
}

enum sotto_status sotto_randomized_response_publish(const struct sotto_randomized_response *m,
						    struct sotto_rng *rng,
						    struct sotto_exact truth,
						    struct sotto_noisy *out)
{
	bool honest, second, wrong = (uint64_t)truth.secret > 1;

	if (!m || !rng || !out)
		return SOTTO_EINVAL;
	SOTTO_DECLASSIFY(wrong); /* a mistake of the caller */
	if (wrong)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_bernoulli_rational(rng, &m->truth, &honest));
	SOTTO_TRY(sotto_bernoulli_rational(rng, &m->yes, &second));
	out->value = ((int64_t)honest & truth.secret) | ((int64_t)!honest & (int64_t)second);
	return SOTTO_OK;
}

/*
 * P[YES given yes] / P[YES given no] = 1 + p / ((1-p) r), and for NO the same with
 * 1-r: the smaller of r and 1-r gives the larger ratio.
 */
void sotto_randomized_response_odds(const struct sotto_randomized_response *m,
				    struct sotto_rational *odds)
{
	mpq_t one, rare, lie;

	mpq_inits(one, rare, lie, NULL);
	mpq_set_ui(one, 1, 1);
	mpq_sub(lie, one, m->truth.q);
	mpq_sub(rare, one, m->yes.q);
	mpq_mul(lie, lie, mpq_cmp(m->yes.q, rare) < 0 ? m->yes.q : rare);
	mpq_div(odds->q, m->truth.q, lie);
	mpq_add(odds->q, odds->q, one);
	mpq_clears(one, rare, lie, NULL);
}

void sotto_randomized_response_epsilon_up(const struct sotto_randomized_response *m,
					  struct sotto_rational *epsilon)
{
	sotto_randomized_response_odds(m, epsilon);
	sotto_log_up(epsilon->q, epsilon->q, EPSILON_DIGITS);
}

enum sotto_status sotto_randomized_response_cost(const struct sotto_randomized_response *m,
						 struct sotto_cost *cost)
{
	if (!m || !cost || sotto_rational_sign(&m->truth) <= 0)
		return SOTTO_EINVAL;

	struct sotto_rational epsilon;
	enum sotto_status st;

	sotto_rational_init(&epsilon);
	sotto_randomized_response_epsilon_up(m, &epsilon);
	st = sotto_cost_set_pure(cost, &epsilon);
	sotto_rational_release(&epsilon);
	return st;
}

enum sotto_status sotto_randomized_response_estimate(const struct sotto_randomized_response *m,
						     uint64_t yes, uint64_t n, double beta,
						     struct sotto_share_estimate *out)
{
	if (!m || !out)
		return SOTTO_EINVAL;

	long double p = mpq_get_d(m->truth.q), idle = (1 - p) * mpq_get_d(m->yes.q), answered;
	double low, high;

	if (n == 0 || yes > n || !(beta > 0 && beta < 1))
		return SOTTO_EINVAL;
	if (n > answers_max)
		return SOTTO_ERANGE;
	answered = (long double)yes / (long double)n;
	sotto_proportion_interval(yes, n, beta, &low, &high);
	*out = (struct sotto_share_estimate){
		.share = (double)((answered - idle) / p),
		.deviation = (double)(sqrtl(answered * (1 - answered) / (long double)n) / p),
		.low = (double)((low - idle) / p),
		.high = (double)((high - idle) / p),
	};
	out->outside = out->share < 0 || out->share > 1;
	return SOTTO_OK;
}
