/* K-ary randomized response and its estimate. */
#include "sotto/choose.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/mechanism/response/proportion.h"
#include "core/number/rational/rational_value.h"
#include "core/number/exp/exp_share.h"
#include "core/random/coin/odds_coin.h"
#include "sotto/rng.h"

struct sotto_kary_response {
	struct sotto_odds_coin keep; /* 1/(1 + (k-1) exp(-epsilon)) */
	struct sotto_rational epsilon;
	uint64_t k;
};

static struct sotto_kary_response *prepare(const struct sotto_rational *epsilon, uint64_t k)
{
	struct sotto_kary_response *m = malloc(sizeof *m);
	mpq_t others;

	if (!m)
		return NULL;
	mpq_init(others);
	mpz_set_ui(mpq_numref(others), k - 1);
	sotto_odds_coin_init(&m->keep, epsilon->q, others);
	mpq_clear(others);
	sotto_rational_init(&m->epsilon);
	sotto_rational_set(&m->epsilon, epsilon);
	m->k = k;
	return m;
}

enum sotto_status sotto_kary_response_new(const struct sotto_rational *epsilon, uint64_t k,
					  struct sotto_kary_response **out,
					  struct sotto_error *err)
{
	if (!epsilon || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	epsilon = sotto_rational_settled(epsilon);

	struct sotto_kary_response *m;

	if (sotto_rational_sign(epsilon) <= 0)
		return sotto_fail(err, SOTTO_EINVAL, "epsilon must be greater than 0");
	if (k < 2 || k > INT64_MAX)
		return sotto_fail(err, SOTTO_EINVAL, "there must be at least two answers");
	if (mpq_cmp_ui(epsilon->q, 1000, 1) > 0)
		return sotto_fail(err, SOTTO_ERANGE, "epsilon may be at most 1000");
	m = prepare(epsilon, k);
	if (!m)
		return SOTTO_ENOMEM;
	*out = m;
	return SOTTO_OK;
}

void sotto_kary_response_free(struct sotto_kary_response *m)
{
	if (!m)
		return;
	sotto_odds_coin_release(&m->keep);
	sotto_rational_release(&m->epsilon);
	free(m);
}

enum sotto_status sotto_kary_response_publish(const struct sotto_kary_response *m,
					      struct sotto_rng *rng, struct sotto_exact truth,
					      struct sotto_noisy *out)
{
	uint64_t secret = (uint64_t)truth.secret, other;
	bool keep, wrong;

	if (!m || !rng || !out)
		return SOTTO_EINVAL;
	wrong = secret >= m->k;
	SOTTO_DECLASSIFY(wrong); /* a mistake of the caller */
	if (wrong)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_odds_coin_flip(&m->keep, rng, &keep));
	SOTTO_TRY(sotto_uniform_below(rng, m->k - 1, &other));
	other += other >= secret; /* steps over the truth */
	out->value = (int64_t)sotto_mask_u64(keep, secret, other);
	return SOTTO_OK;
}

void sotto_kary_response_keep_down(const struct sotto_kary_response *m, unsigned digits,
				   struct sotto_rational *keep)
{
	sotto_share_floor(m->keep.x, m->keep.ratio, digits, mpq_numref(keep->q));
	mpz_set_ui(mpq_denref(keep->q), 1);
	mpz_mul_2exp(mpq_denref(keep->q), mpq_denref(keep->q), digits);
	mpq_canonicalize(keep->q);
}

enum sotto_status
sotto_kary_response_cost(const struct sotto_kary_response *m, struct sotto_cost *cost)
{
	if (!m || !cost)
		return SOTTO_EINVAL;
	return sotto_cost_set_pure(cost, &m->epsilon);
}

static const uint64_t answers_max = UINT64_C(1) << 40;

static enum sotto_status total_of(const uint64_t *answers, uint64_t k, uint64_t *total)
{
	uint64_t sum = 0;

	for (uint64_t v = 0; v < k; v++) {
		if (answers[v] > answers_max || sum + answers[v] > answers_max)
			return SOTTO_ERANGE;
		sum += answers[v];
	}
	*total = sum;
	return sum ? SOTTO_OK : SOTTO_EINVAL;
}

/* n answers, of which `given` are this one; q and gap as in the header, gap = p - q. */
static struct sotto_kary_estimate
estimate_one(uint64_t given, uint64_t n, double q, double gap, double beta)
{
	double all = (double)n, count = ((double)given - all * q) / gap, low, high;
	double held = fmin(fmax(count, 0), all);

	sotto_proportion_interval(given, n, beta, &low, &high);
	return (struct sotto_kary_estimate){
		.count = count,
		/* given is Binomial(c, p) + Binomial(n - c, q) */
		.deviation = sqrt(all * q * (1 - q) + held * gap * (1 - 2 * q - gap)) / gap,
		.low = all * (low - q) / gap,
		.high = all * (high - q) / gap,
	};
}

enum sotto_status sotto_kary_response_estimate(const struct sotto_kary_response *m,
					       const uint64_t *answers, double beta,
					       struct sotto_kary_estimate *estimates)
{
	if (!m || !answers || !estimates)
		return SOTTO_EINVAL;

	double others = (double)(m->k - 1), e = exp(-mpq_get_d(m->epsilon.q));
	double q = e / (1 + others * e);
	double gap = -expm1(-mpq_get_d(m->epsilon.q)) / (1 + others * e);
	uint64_t n;

	if (!(beta > 0 && beta < 1))
		return SOTTO_EINVAL;
	SOTTO_TRY(total_of(answers, m->k, &n));
	for (uint64_t v = 0; v < m->k; v++)
		estimates[v] = estimate_one(answers[v], n, q, gap, beta);
	return SOTTO_OK;
}
