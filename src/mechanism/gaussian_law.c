#include "mechanism/gaussian_law.h"

#include <math.h>

#include "number/gauss_sum.h"

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

/*
 * An order near the best one: where the derivative in alpha of the logarithm below
 * is 0.  Any order gives a valid bound, so a double will do to find it.
 */
static double good_order(double rho, double epsilon)
{
	double low = 1 + 1e-9,
	       high = 1 + fmax(2, (epsilon + 1) / (2 * rho) * 2 + 2 / sqrt(rho));

	for (int i = 0; i < 200; i++) {
		double a = (low + high) / 2;
		double slope = (2 * a - 1) * rho - epsilon + log1p(-1 / a);

		if (slope < 0)
			low = a;
		else
			high = a;
	}
	return high;
}

/* ln delta = (a - 1)(a rho - epsilon) - ln(a - 1) + a ln(1 - 1/a), at order a > 1 */
static void log_delta_at(struct sotto_enclosure *out, const mpq_t rho, const mpq_t epsilon,
			 const mpq_t a, unsigned bits)
{
	struct sotto_enclosure x;
	mpq_t less, q;

	sotto_enclosure_init(&x, bits + GUARD);
	mpq_init(less);
	mpq_init(q);
	mpq_set_ui(q, 1, 1);
	mpq_sub(less, a, q);
	mpq_mul(q, a, rho);
	mpq_sub(q, q, epsilon);
	mpq_mul(q, q, less);
	sotto_enclosure_set_rational(out, q);
	sotto_enclosure_set_rational(&x, less);
	sotto_enclosure_log(&x);
	sotto_enclosure_subtract(out, out, &x);
	mpq_div(q, less, a);
	sotto_enclosure_set_rational(&x, q);
	sotto_enclosure_log(&x);
	sotto_enclosure_multiply_rational(&x, &x, a);
	sotto_enclosure_add(out, out, &x);
	sotto_enclosure_release(&x);
	mpq_clear(less);
	mpq_clear(q);
}

void sotto_gaussian_law_delta_zcdp(struct sotto_enclosure *delta, const mpq_t sigma2,
				   int64_t sensitivity, const mpq_t epsilon, unsigned bits)
{
	mpq_t rho, a;

	mpq_init(rho);
	mpq_init(a);
	mpq_set_si(rho, sensitivity, 1);
	mpq_mul(rho, rho, rho);
	mpq_div(rho, rho, sigma2);
	mpq_div_2exp(rho, rho, 1);
	mpq_set_d(a, good_order(mpq_get_d(rho), mpq_get_d(epsilon)));
	log_delta_at(delta, rho, epsilon, a, bits);
	sotto_enclosure_exp(delta);
	mpq_clear(rho);
	mpq_clear(a);
}

/* n P(|X| > error) <= beta, certainly */
static bool is_enough(const struct sotto_rational *sigma2, size_t n,
		      const struct sotto_rational *beta, int64_t error)
{
	struct sotto_enclosure tail, total;
	unsigned bits = 64;
	bool enough;
	mpz_t m;

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

enum sotto_status sotto_gaussian_law_error_up(const struct sotto_rational *sigma2, size_t n,
					      const struct sotto_rational *beta, int64_t *error)
{
	int64_t low = -1, high = 1;

	if (n == 0 || sotto_rational_sign(beta) <= 0 || mpq_cmp_ui(beta->q, 1, 1) >= 0)
		return SOTTO_EINVAL;
	while (high < INT64_MAX / 2 && !is_enough(sigma2, n, beta, high)) {
		low = high;
		high *= 2;
	}
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
