#include "local/decode/estimate.h"
#include "sotto/decode.h"

#include <math.h>
#include <stdlib.h>

#include "core/number/beta.h"
#include "local/decode/special.h"

/* Below this many reports the exact law is used; above, the normal one is as good. */
#define EXACT_BELOW 1000
#define LEAN 16

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

struct sotto_local_estimate sotto_local_estimate_unknown(void)
{
	return (struct sotto_local_estimate){
		.sd = INFINITY, .low = -INFINITY, .high = INFINITY, .p_value = 1};
}

/*
 * Whether the law of so many supports leans too much for the normal one: by Edgeworth's first
 * term, the tail beyond z is wrong by a share of about z^3 / (6 sqrt(supports)).
 */
static bool leans(double supports, double alpha)
{
	double z = sotto_normal_upper(alpha / 2);

	return supports < LEAN * z * z;
}

/* P(Bin(n_v, p) + Bin(n - n_v, q) <= c) */
static double at_most(uint64_t n, uint64_t n_v, double p, double q, int64_t c)
{
	double sum = 0;

	for (uint64_t x = 0; x <= n_v && (int64_t)x <= c; x++)
		sum += sotto_binomial_mass(n_v, p, x) *
		       sotto_binomial_at_most(n - n_v, q, c - (int64_t)x);
	return fmin(sum, 1);
}

/*
 * Keeps each n_v whose tails both exceed alpha/2.  The law of the supports rises
 * with n_v if p > q (falls if p < q: then counts of non-supports are used), so
 * both ends are found by bisection.
 */
static void exact_interval(struct sotto_local_estimate *e, uint64_t n, uint64_t c, double p,
			   double q, double alpha)
{
	uint64_t low = 0, high = n, left, right;

	left = 0;
	right = n;
	while (left < right) { /* least n_v with P(C >= c) > alpha/2 */
		uint64_t mid = left + (right - left) / 2;

		if (1 - at_most(n, mid, p, q, (int64_t)c - 1) > alpha / 2)
			right = mid;
		else
			left = mid + 1;
	}
	low = left;
	left = 0;
	right = n;
	while (left < right) { /* greatest n_v with P(C <= c) > alpha/2 */
		uint64_t mid = left + (right - left + 1) / 2;

		if (at_most(n, mid, p, q, (int64_t)c) > alpha / 2)
			left = mid;
		else
			right = mid - 1;
	}
	high = left;
	e->low = (double)(low < high ? low : high);
	e->high = (double)(low < high ? high : low);
}

/* The rate of supports is binomial: its Clopper-Pearson interval, mapped to the share. */
static void exact_population(struct sotto_local_estimate *e, uint64_t n, uint64_t c, double p,
			     double q, double alpha)
{
	double low = (sotto_binomial_low(n, c, alpha / 2) - q) / (p - q);
	double high = (sotto_binomial_high(n, c, alpha / 2) - q) / (p - q);

	e->low = (double)n * fmin(fmax(low, 0), 1);
	e->high = (double)n * fmin(fmax(high, 0), 1);
}

enum sotto_status sotto_local_estimate_pure(uint64_t n, uint64_t supports, double p, double q,
					    double extra, double alpha,
					    enum sotto_local_target target,
					    struct sotto_local_estimate *out)
{
	double x = (double)n;

	if (p == q || supports > n)
		return SOTTO_EINVAL;
	if (p < q) {
		/* what does not support it does */
		supports = n - supports;
		p = 1 - p;
		q = 1 - q;
	}
	out->count = ((double)supports - x * q) / (p - q);
	out->sd = sqrt(sotto_local_variance(x, out->count, p, q, target) + extra);
	sotto_local_estimate_normal(
		out, sqrt(sotto_local_variance(x, 0, p, q, SOTTO_LOCAL_SAMPLE) + extra), alpha);
	/* "nobody" is one binomial; far in its tail the normal law is wrong for small n q */
	if (extra == 0 && n > 0)
		out->p_value = supports > 0
				       ? sotto_beta_regularized((double)supports,
								(double)(n - supports) + 1, q)
				       : 1;
	if (n == 0 || extra != 0)
		return SOTTO_OK;
	if (target == SOTTO_LOCAL_SAMPLE && n < EXACT_BELOW)
		exact_interval(out, n, supports, p, q, alpha);
	else if (target == SOTTO_LOCAL_POPULATION &&
		 (n < EXACT_BELOW ||
		  leans(fmin((double)supports, x - (double)supports), alpha)))
		exact_population(out, n, supports, p, q, alpha);
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
	return sotto_normal_upper(1 - probability);
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
