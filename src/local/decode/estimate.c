/*
 * Normal intervals where they are good, exact ones by searching the number of holders where
 * reports or supports are few; also the corrections for many tests.
 */
#include "local/decode/estimate.h"
#include "sotto/decode.h"

#include <math.h>
#include <stdlib.h>

#include "core/number/beta.h"
#include "core/number/normal.h"
#include "local/decode/exact.h"

/*
 * Below this many reports the exact law is used, and above where few support the value, or few
 * do not; otherwise the normal one is as good.
 */
#define EXACT_BELOW 1000
#define LEAN 16
#define SUM_MAX 8192 /* terms of an exact sum */

double
sotto_local_variance(double n, double n_v, double p, double q, enum sotto_local_target target)
{
	double held = fmin(fmax(n_v, 0), n), share = n > 0 ? held / n : 0;
	double rate = share * p + (1 - share) * q, gap = p - q;

	if (target == SOTTO_LOCAL_POPULATION)
		return n * rate * (1 - rate) / (gap * gap);
	return n * q * (1 - q) / (gap * gap) + held * (1 - p - q) / gap;
}

void sotto_local_estimate_normal(struct sotto_local_estimate *e, double null_sd, double alpha)
{
	double half = sotto_normal_upper(alpha / 2) * e->sd;

	e->low = e->count - half;
	e->high = e->count + half;
	e->null_sd = null_sd;
	e->z = null_sd > 0 ? e->count / null_sd : 0;
	e->p_value = null_sd > 0 ? sotto_normal_tail(e->z) : 1;
}

double sotto_local_chance_of_nobody(double supports, double n, double q)
{
	double others = fmax(n - supports, 0);

	return supports > 0 ? sotto_beta_regularized(supports, others + 1, q) : 1;
}

struct sotto_local_estimate sotto_local_estimate_unknown(void)
{
	return (struct sotto_local_estimate){
		.sd = INFINITY, .low = -INFINITY, .high = INFINITY, .p_value = 1};
}

/* By Edgeworth's first term, the tail beyond z is wrong by a share of about z^3 / (6 sqrt(supports)). */
bool sotto_local_leans(double supports, double alpha)
{
	double z = sotto_normal_upper(alpha / 2);

	return supports < LEAN * z * z;
}

/* What does not support a value does, if p < q. */
static void order_rates(uint64_t n, uint64_t *supports, double *p, double *q)
{
	if (*p >= *q)
		return;
	*supports = n - *supports;
	*p = 1 - *p;
	*q = 1 - *q;
}

/*
 * Whether the normal interval would hold less often than it says.  Of a population all supports
 * are drawn; of these users only what differs from the truth is.
 */
static bool needs_exact_law(uint64_t n, double rare, double drawn, double alpha,
			    enum sotto_local_target target)
{
	return n < EXACT_BELOW ||
	       sotto_local_leans(target == SOTTO_LOCAL_POPULATION ? rare : drawn, alpha);
}

enum sotto_status sotto_local_estimate_pure(uint64_t n, uint64_t supports, double p, double q,
					    double alpha, enum sotto_local_target target,
					    struct sotto_local_estimate *out)
{
	double x = (double)n, rare, drawn;

	if (p == q || supports > n)
		return SOTTO_EINVAL;
	order_rates(n, &supports, &p, &q);
	out->count = ((double)supports - x * q) / (p - q);
	out->sd = sqrt(sotto_local_variance(x, out->count, p, q, target));
	sotto_local_estimate_normal(
		out, sqrt(sotto_local_variance(x, 0, p, q, SOTTO_LOCAL_SAMPLE)), alpha);
	if (n == 0)
		return SOTTO_OK;
	out->p_value = sotto_local_chance_of_nobody((double)supports, x, q);
	rare = fmin((double)supports, x - (double)supports);
	drawn = (p - q) * (p - q) *
		sotto_local_variance(x, out->count, p, q, SOTTO_LOCAL_SAMPLE);
	if (!needs_exact_law(n, rare, drawn, alpha, target))
		return SOTTO_OK;
	if (target == SOTTO_LOCAL_POPULATION)
		sotto_exact_population(out, n, supports, p, q, alpha);
	else if (rare < SUM_MAX || (p > .5 && q <= .5))
		sotto_exact_sample(out, n, supports, p, q, alpha);
	return SOTTO_OK;
}

enum sotto_status sotto_local_options_check(const struct sotto_local_options *o)
{
	bool ok = o && o->alpha > 0 && o->alpha < 1 && o->target <= SOTTO_LOCAL_POPULATION &&
		  o->correction <= SOTTO_LOCAL_CORRECT_NONE &&
		  o->post <= SOTTO_LOCAL_POST_IBU && o->method <= SOTTO_LOCAL_METHOD_REFERENCE;

	return ok && !(o->simultaneous && o->selected) ? SOTTO_OK : SOTTO_EINVAL;
}

double sotto_local_normal_quantile(double probability)
{
	/* the smaller tail: 1 - 1e-17 would be 1 */
	return probability < 0.5 ? -sotto_normal_upper(probability)
				 : sotto_normal_upper(1 - probability);
}

double sotto_local_interval_alpha(const struct sotto_local_options *o, size_t count)
{
	uint64_t tests = o->tests > count ? o->tests : count;

	return o->simultaneous && tests > 0 ? o->alpha / (double)tests : o->alpha;
}

struct ranked {
	double p_value;
	size_t at;
};

static int by_p_value(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->p_value != b->p_value)
		return a->p_value < b->p_value ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static double harmonic(double n)
{
	double sum = 0;

	if (n >= 1e6)
		return log(n) + 0.57721566490153286 + 0.5 / n;
	for (double i = 1; i <= n; i++)
		sum += 1 / i;
	return sum;
}

/* What the p-value of rank r (from 1) among so many tests counts for. */
static double adjusted(enum sotto_local_correction correction, double p_value, double tests,
		       size_t rank, double sum)
{
	switch (correction) {
	case SOTTO_LOCAL_CORRECT_BONFERRONI:
		return p_value * tests;
	case SOTTO_LOCAL_CORRECT_HOLM:
		return p_value * (tests - (double)rank + 1);
	case SOTTO_LOCAL_CORRECT_BH:
		return p_value * tests / (double)rank;
	case SOTTO_LOCAL_CORRECT_BY:
		return p_value * tests * sum / (double)rank;
	default:
		return p_value;
	}
}

/* Holm steps down: no later one may pass before an earlier; BH and BY step up. */
static void adjust(struct sotto_local_estimate *e, const struct ranked *r, size_t count,
		   double tests, enum sotto_local_correction correction)
{
	bool step_up =
		correction == SOTTO_LOCAL_CORRECT_BH || correction == SOTTO_LOCAL_CORRECT_BY;
	double sum = correction == SOTTO_LOCAL_CORRECT_BY ? harmonic(tests) : 0;
	double worst = step_up ? 1 : 0;

	for (size_t k = 0; k < count; k++) {
		size_t i = step_up ? count - 1 - k : k;
		double p = fmin(adjusted(correction, r[i].p_value, tests, i + 1, sum), 1);

		worst = step_up ? fmin(worst, p) : fmax(worst, p);
		e[r[i].at].p_adjusted = worst;
	}
}

enum sotto_status sotto_local_decide(struct sotto_local_estimate *e, size_t count,
				     uint64_t tests, double alpha,
				     enum sotto_local_correction correction)
{
	struct ranked *r;

	if (!e)
		return SOTTO_EINVAL;
	r = malloc((count + 1) * sizeof *r);
	if (!r)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < count; i++)
		r[i] = (struct ranked){e[i].p_value, i};
	qsort(r, count, sizeof *r, by_p_value);
	adjust(e, r, count, (double)(tests > count ? tests : count), correction);
	for (size_t i = 0; i < count; i++)
		e[i].significant = e[i].p_adjusted <= alpha;
	free(r);
	return SOTTO_OK;
}
