/*
 * Encloses tails of the discrete Gaussian with directed rounding, and searches the least error
 * for which the enclosure proves the bound.
 */
#include "core/mechanism/additive/gaussian_law.h"

#include <math.h>

#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/number/gauss_sum.h"

enum { GUARD = 128 };

/* m = floor(epsilon sigma2/D - D/2) + 1, the least integer beyond the threshold */
static void first_beyond(mpz_t m, const mpq_t sigma2, int64_t sensitivity, const mpq_t epsilon)
{
	mpq_t t, d;

	mpq_init(t);
	mpq_init(d);
	mpq_set_si(d, sensitivity, 1);
	mpq_mul(t, epsilon, sigma2);
	mpq_div(t, t, d);
	mpq_div_2exp(d, d, 1);
	mpq_sub(t, t, d);
	mpz_fdiv_q(m, mpq_numref(t), mpq_denref(t));
	mpz_add_ui(m, m, 1);
	mpq_clear(t);
	mpq_clear(d);
}

void sotto_gaussian_law_delta(struct sotto_enclosure *delta, const mpq_t sigma2,
			      int64_t sensitivity, const mpq_t epsilon, unsigned bits)
{
	struct sotto_enclosure far, factor;
	mpz_t m;

	sotto_enclosure_init(&far, bits + GUARD);
	sotto_enclosure_init(&factor, bits + GUARD);
	mpz_init(m);
	first_beyond(m, sigma2, sensitivity, epsilon);
	sotto_gauss_sum_tail(delta, m, sigma2, bits);
	mpz_add_ui(m, m, (unsigned long)sensitivity);
	sotto_gauss_sum_tail(&far, m, sigma2, bits);
	sotto_enclosure_set_rational(&factor, epsilon);
	sotto_enclosure_exp(&factor);
	sotto_enclosure_multiply(&far, &far, &factor);
	sotto_enclosure_subtract(delta, delta, &far);
	sotto_gauss_sum_total(&factor, sigma2, bits);
	sotto_enclosure_divide(delta, delta, &factor);
	sotto_enclosure_release(&far);
	sotto_enclosure_release(&factor);
	mpz_clear(m);
}

void sotto_gaussian_law_delta_zcdp(struct sotto_enclosure *delta, const mpq_t sigma2,
				   int64_t sensitivity, const mpq_t epsilon)
{
	mpfr_t rho, at;
	mpq_t q;

	mpq_init(q);
	mpfr_init2(rho, mpfr_get_prec(delta->hi));
	mpfr_init2(at, mpfr_get_prec(delta->hi));
	mpq_set_si(q, sensitivity, 1);
	mpq_mul(q, q, q);
	mpq_div(q, q, sigma2);
	mpq_div_2exp(q, q, 1);
	mpfr_set_q(rho, q, MPFR_RNDU);
	mpfr_set_q(at, epsilon, MPFR_RNDD);
	sotto_zcdp_log_delta_up(delta->hi, rho, at, NULL);
	mpfr_exp(delta->hi, delta->hi, MPFR_RNDU);
	mpfr_set(delta->lo, delta->hi, MPFR_RNDN);
	mpfr_clear(rho);
	mpfr_clear(at);
	mpq_clear(q);
}

/*
 * g(x) = exp(-x^2 / (2 sigma^2)) is convex beyond sigma.  There the sum of g(k) over all k >= m is at most the integral
 * from m - 1/2 on (a value in the middle is below the mean), and at least that from m on and
 * g(m) / 2 (a chord is above).  The sum over all k is the integral, and from sigma 1 on at most 6e-9 of
 * it more.  Doubles are good to 1e-12 here, and 1e-8 is allowed for.
 */
enum verdict { UNKNOWN, ENOUGH, TOO_LITTLE };

static enum verdict judge_roughly(const struct sotto_rational *sigma2, size_t n,
				  const struct sotto_rational *beta, int64_t error)
{
	double sigma = sqrt(mpq_get_d(sigma2->q)), m = (double)error + 1;
	double each = mpq_get_d(beta->q) / (double)n, at_m = m / sigma, low, high;

	if (!(sigma >= 1 && m < 0x1p50 && m - 0.5 > sigma))
		return UNKNOWN;
	high = erfc((m - 0.5) / (sigma * M_SQRT2));
	low = erfc(at_m * M_SQRT1_2) + exp(-at_m * at_m / 2) / (sigma * sqrt(2 * M_PI));
	if (high * (1 + 1e-8) <= each)
		return ENOUGH;
	return low * (1 - 2e-8) > each ? TOO_LITTLE : UNKNOWN;
}

/* n P(|X| > error) <= beta, certainly */
static bool is_enough(const struct sotto_rational *sigma2, size_t n,
		      const struct sotto_rational *beta, int64_t error)
{
	enum verdict verdict = judge_roughly(sigma2, n, beta, error);
	struct sotto_enclosure tail, total;
	unsigned bits = 64;
	bool enough;
	mpz_t m;

	if (verdict != UNKNOWN)
		return verdict == ENOUGH;
	sotto_enclosure_init(&tail, bits + GUARD);
	sotto_enclosure_init(&total, bits + GUARD);
	mpz_init_set_si(m, error);
	mpz_add_ui(m, m, 1);
	sotto_gauss_sum_tail(&tail, m, sigma2->q, bits);
	sotto_gauss_sum_total(&total, sigma2->q, bits);
	sotto_enclosure_divide(&tail, &tail, &total);
	mpfr_mul_ui(tail.hi, tail.hi, n, MPFR_RNDU);
	mpfr_mul_2ui(tail.hi, tail.hi, 1, MPFR_RNDU);
	enough = mpfr_cmp_q(tail.hi, beta->q) <= 0;
	sotto_enclosure_release(&tail);
	sotto_enclosure_release(&total);
	mpz_clear(m);
	return enough;
}

/* Where n P(|X| > error) is about beta if X had a density; only how long the search takes depends on it. */
static int64_t
guess_error(const struct sotto_rational *sigma2, size_t n, const struct sotto_rational *beta)
{
	double scale = sqrt(2 * mpq_get_d(sigma2->q)), each = mpq_get_d(beta->q) / (double)n;
	double low = 0, high = 40, guess;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle) > each)
			low = middle;
		else
			high = middle;
	}
	guess = high * scale;
	return guess >= 1 && guess < 0x1p61 ? (int64_t)guess : 1;
}

enum sotto_status sotto_gaussian_law_error_up(const struct sotto_rational *sigma2, size_t n,
					      const struct sotto_rational *beta, int64_t *error)
{
	int64_t low = -1, high = 1, step = 1;

	if (n == 0 || sotto_rational_sign(beta) <= 0 || mpq_cmp_ui(beta->q, 1, 1) >= 0)
		return SOTTO_EINVAL;
	high = guess_error(sigma2, n, beta);
	while (high < INT64_MAX / 2 && !is_enough(sigma2, n, beta, high)) {
		low = high;
		high += step;
		step *= 2;
	}
	for (; low < 0 && high - step > 0 && is_enough(sigma2, n, beta, high - step); step *= 2)
		high -= step;
	if (low < 0 && high - step > 0)
		low = high - step;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (is_enough(sigma2, n, beta, middle))
			high = middle;
		else
			low = middle;
	}
	*error = high;
	return SOTTO_OK;
}
