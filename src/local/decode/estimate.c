/*
 * Normal intervals where they are good, exact ones by searching the number of holders where
 * reports or supports are few; also the corrections for many tests.
 */
#include "local/decode/estimate.h"
#include "sotto/decode.h"

#include <math.h>
#include <stdlib.h>

#include "core/number/beta.h"
#include "local/decode/special.h"

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

double sotto_local_chance_of_nobody(double supports, double n, double q, double clump)
{
	double c = supports / clump, others = fmax(n - supports, 0) / clump;

	return c > 0 ? sotto_beta_regularized(c, others + 1, q) : 1;
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

/* The chance of k of n for 0 < p < 1, in a type that holds what is far below the least double. */
static long double mass_of(uint64_t n, double p, uint64_t k)
{
	double x = (double)n, y = (double)k;
	double ways = k == n ? 0
			     : sotto_log_gamma(x + 1) - sotto_log_gamma(y + 1) -
				       sotto_log_gamma(x - y + 1);

	return expl((long double)ways + (long double)y * logl((long double)p) +
		    (long double)(x - y) * log1pl(-(long double)p));
}

/* Above this many of n nothing is left: the chance of more is below e^-700. */
static uint64_t last_seen(uint64_t n, double p)
{
	double mean = (double)n * p, last = ceil(mean + 40 * sqrt(mean) + 800);

	return last < (double)n ? (uint64_t)last : n;
}

/*
 * P(Bin(a, p) + Bin(b, q) <= c), for 0 < p < 1 and c at most half of a + b: the sum of
 * P(the first is x) P(the second is at most c - x), x falling, each chance from the one before.
 */
static double sum_at_most(uint64_t a, double p, uint64_t b, double q, uint64_t c)
{
	uint64_t x = last_seen(a, p), k = 0;
	long double mass, first, second = expl((long double)b * log1pl(-(long double)q));
	long double down = (1 - (long double)p) / (long double)p,
		    up = (long double)q / (1 - (long double)q), sum = 0;

	x = x < c ? x : c;
	first = mass_of(a, p, x);
	mass = second;
	for (;; k++) {
		if (k + x >= c) {
			sum += first * second;
			if (x == 0)
				return (double)fminl(sum, 1);
			first *= (long double)x / (long double)(a - x + 1) * down;
			x--;
		}
		if (k < b)
			mass *= (long double)(b - k) / (long double)(k + 1) * up;
		else
			mass = 0;
		second += mass;
	}
}

/* P(Bin(n_v, p) + Bin(n - n_v, q) <= c) */
static double at_most(uint64_t n, uint64_t n_v, double p, double q, int64_t c)
{
	if (c < 0 || c >= (int64_t)n)
		return c < 0 ? 0 : 1;
	if (c > (int64_t)(n / 2))
		return 1 - at_most(n, n_v, 1 - p, 1 - q, (int64_t)n - c - 1);
	if (p <= 0 || p >= 1 || n_v == 0)
		return sotto_binomial_at_most(n - n_v, q,
					      c - (p >= 1 ? (int64_t)n_v : (int64_t)0));
	if (q <= 0 || q >= 1)
		return sotto_binomial_at_most(n_v, p,
					      c - (q >= 1 ? (int64_t)(n - n_v) : (int64_t)0));
	return sum_at_most(n_v, p, n - n_v, q, (uint64_t)c);
}

/* So many of n reports support a value, each with p if it is held and q if not. */
struct supported {
	uint64_t n, c;
	double p, q, alpha;
};

/* Both go from one answer to the other as n_v grows: the law of the supports rises with it. */
static bool is_high_enough(const struct supported *s, uint64_t n_v)
{
	return 1 - at_most(s->n, n_v, s->p, s->q, (int64_t)s->c - 1) > s->alpha / 2;
}

static bool is_too_high(const struct supported *s, uint64_t n_v)
{
	return at_most(s->n, n_v, s->p, s->q, (int64_t)s->c) <= s->alpha / 2;
}

/* The least n_v for which it is so, n + 1 if there is none; it is likely near a guess. */
static uint64_t find_least(const struct supported *s,
			   bool (*is_so)(const struct supported *s, uint64_t n_v), double guess,
			   double reach)
{
	double n = (double)s->n;
	uint64_t left = (uint64_t)fmin(fmax(guess - reach, 0), n);
	uint64_t right = (uint64_t)fmin(fmax(guess + reach, 0), n);

	if (left > 0 && is_so(s, left)) {
		right = left;
		left = 0;
	} else if (!is_so(s, right)) {
		left = right + 1;
		right = s->n + 1;
	}
	while (left < right) {
		uint64_t mid = left + (right - left) / 2;

		if (is_so(s, mid))
			right = mid;
		else
			left = mid + 1;
	}
	return left;
}

/* Keeps each n_v whose tails both exceed alpha/2; p > q. */
static void exact_interval(struct sotto_local_estimate *e, uint64_t n, uint64_t c, double p,
			   double q, double alpha)
{
	struct supported s = {n, c, p, q, alpha};
	double reach = 2 * fmax(e->high - e->count, 8);
	uint64_t low = find_least(&s, is_high_enough, e->low, reach);
	uint64_t above = find_least(&s, is_too_high, e->high, reach);
	uint64_t high = above > 0 ? above - 1 : 0;

	low = low < n ? low : n;
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
	double x = (double)n, rare, clump;

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
	clump = extra > 0 ? 1 + extra * (p - q) * (p - q) / (x * q * (1 - q)) : 1;
	if (n > 0)
		out->p_value = sotto_local_chance_of_nobody((double)supports, x, q, clump);
	if (n == 0 || extra != 0)
		return SOTTO_OK;
	rare = fmin((double)supports, x - (double)supports);
	if (n >= EXACT_BELOW && !leans(rare, alpha))
		return SOTTO_OK;
	if (target == SOTTO_LOCAL_POPULATION)
		exact_population(out, n, supports, p, q, alpha);
	else if (rare < SUM_MAX)
		exact_interval(out, n, supports, p, q, alpha);
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
