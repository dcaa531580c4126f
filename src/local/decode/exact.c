/* Intervals from the exact law of the supports. */
#include "local/decode/exact.h"

#include <math.h>

#include "core/number/beta.h"
#include "local/decode/special.h"

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

/*
 * P(Bin(a, p) + Bin(b, q) <= c) where nearly all of the first and hardly any of the second are
 * counted: the sum of P(m of the first are missed) P(the second is at most c - a + m), m rising.
 * It is short wherever misses are few, however many a and c are.
 */
static double sum_less_missed(uint64_t a, double p, uint64_t b, double q, uint64_t c)
{
	uint64_t m = c < a ? a - c : 0, last = last_seen(a, 1 - p), left = c + m - a;
	long double first = mass_of(a, 1 - p, m), mass, second;
	long double down = (1 - (long double)p) / (long double)p,
		    up = (long double)q / (1 - (long double)q), sum = 0;

	mass = second = expl((long double)b * log1pl(-(long double)q));
	for (uint64_t k = 0; m <= last; k++) {
		if (k >= left) {
			sum += first * second;
			first *= (long double)(a - m) / (long double)(m + 1) * down;
			m++;
		}
		mass *= k < b ? (long double)(b - k) / (long double)(k + 1) * up : 0;
		second += mass;
	}
	return (double)fminl(sum, 1);
}

/*
 * P(Bin(a, p) + Bin(b, q) >= c): the sum of P(the first is x) P(the second is at least c - x), x
 * rising from where the second is hardly ever.  A tail is never what another leaves of 1: that
 * would be nothing below 1e-16.
 */
static double sum_at_least(uint64_t a, double p, uint64_t b, double q, uint64_t c)
{
	uint64_t last = last_seen(a, p), k = last_seen(b, q), x;
	long double mass = mass_of(b, q, k), second = mass, first, sum = 0;
	long double up = (long double)p / (1 - (long double)p),
		    down = (1 - (long double)q) / (long double)q;

	if (c > k + last)
		return 0;
	for (; k > c; k--) {
		mass *= (long double)k / (long double)(b - k + 1) * down;
		second += mass;
	}
	x = c - k;
	first = mass_of(a, p, x);
	for (;; x++) {
		sum += first * second;
		if (x == last)
			return (double)fminl(sum, 1);
		first *= (long double)(a - x) / (long double)(x + 1) * up;
		if (k > 0) {
			mass *= (long double)k / (long double)(b - k + 1) * down;
			second += mass;
			k--;
		}
	}
}

/* P(Bin(n_v, p) + Bin(n - n_v, q) <= c) */
static double at_most(uint64_t n, uint64_t n_v, double p, double q, int64_t c)
{
	if (c < 0 || c >= (int64_t)n)
		return c < 0 ? 0 : 1;
	if (p > .5 && p < 1 && q > 0 && q <= .5)
		return sum_less_missed(n_v, p, n - n_v, q, (uint64_t)c);
	if (p <= 0 || p >= 1 || n_v == 0)
		return sotto_binomial_at_most(n - n_v, q,
					      c - (p >= 1 ? (int64_t)n_v : (int64_t)0));
	if (q <= 0 || q >= 1)
		return sotto_binomial_at_most(n_v, p,
					      c - (q >= 1 ? (int64_t)(n - n_v) : (int64_t)0));
	if (c > (int64_t)(n / 2))
		return sum_at_least(n_v, 1 - p, n - n_v, 1 - q, n - (uint64_t)c);
	return sum_at_most(n_v, p, n - n_v, q, (uint64_t)c);
}

/* The same of at least c: those who do not hold the value support "not", and so on. */
static double at_least(uint64_t n, uint64_t n_v, double p, double q, uint64_t c)
{
	return at_most(n, n - n_v, 1 - q, 1 - p, (int64_t)(n - c));
}

/* So many of n reports support a value, each with p if it is held and q if not. */
struct supported {
	uint64_t n, c;
	double p, q, alpha;
};

/* Both go from one answer to the other as n_v grows: the law of the supports rises with it. */
static bool is_high_enough(const struct supported *s, uint64_t n_v)
{
	return at_least(s->n, n_v, s->p, s->q, s->c) > s->alpha / 2;
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

void sotto_exact_sample(struct sotto_local_estimate *e, uint64_t n, uint64_t c, double p,
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
void sotto_exact_population(struct sotto_local_estimate *e, uint64_t n, uint64_t c, double p,
			    double q, double alpha)
{
	double low = (sotto_binomial_low(n, c, alpha / 2) - q) / (p - q);
	double high = (sotto_binomial_high(n, c, alpha / 2) - q) / (p - q);

	e->low = (double)n * fmin(fmax(low, 0), 1);
	e->high = (double)n * fmin(fmax(high, 0), 1);
}
