#include "account/convert.h"

#include <math.h>

#include "account/real.h"

void sotto_log_rational(mpfr_t out, const mpq_t q, mpfr_rnd_t side)
{
	mpfr_t x;

	mpfr_init2(x, mpfr_get_prec(out) + 64);
	mpfr_set_q(x, q, side);
	mpfr_log(out, x, side);
	mpfr_clear(x);
}

/*
 * Both searches are for the root of an increasing function of y = log(order - 1).
 * Any order gives a valid bound and the bound is flat at its optimum, so the
 * search may run in double.
 */
struct search {
	double log_rho;
	double target; /* log delta, or epsilon */
	double (*slope)(const struct search *, double y);
};

static double log1p_exp(double y)
{
	return y > 40 ? y : log1p(exp(y));
}

/* rho x^2 + log1p(x) + log delta, x = exp(y) */
static double slope_for_epsilon(const struct search *s, double y)
{
	return exp(s->log_rho + 2 * y) + log1p_exp(y) + s->target;
}

/* rho (1 + 2x) - epsilon + log(x/(1+x)) */
static double slope_for_delta(const struct search *s, double y)
{
	return exp(s->log_rho) + exp(s->log_rho + M_LN2 + y) - s->target - log1p_exp(-y);
}

static double best_order(const struct search *s)
{
	double low = -1e5, high = 1e5;

	for (int i = 0; i < 200 && high - low > 1e-14 * (1 + fabs(low)); i++) {
		double middle = 0.5 * (low + high);

		if (s->slope(s, middle) < 0)
			low = middle;
		else
			high = middle;
	}
	return 0.5 * (low + high);
}

static double log_of(const mpfr_t x)
{
	mpfr_t l;
	double d;

	mpfr_init2(l, 64);
	mpfr_log(l, x, MPFR_RNDN);
	d = mpfr_get_d(l, MPFR_RNDN);
	mpfr_clear(l);
	return d;
}

/* log sqrt(1 - exp(-rho)), which bounds log delta at every epsilon >= 0 */
static void log_total_variation_up(mpfr_t out, const mpfr_t rho)
{
	mpfr_neg(out, rho, MPFR_RNDD);
	mpfr_expm1(out, out, MPFR_RNDD);
	mpfr_neg(out, out, MPFR_RNDU);
	mpfr_log(out, out, MPFR_RNDU);
	mpfr_div_2ui(out, out, 1, MPFR_RNDU);
}

/* rho (1+x) + log x - log1p(x) - (log delta + log1p(x))/x */
static void epsilon_at(mpfr_t epsilon, const mpfr_t rho, const mpfr_t log_delta, double y)
{
	mpfr_t x, l, scale, t;

	mpfr_inits2(REAL_BITS, x, l, scale, t, (mpfr_ptr)0);
	mpfr_set_d(x, y, MPFR_RNDN);
	mpfr_exp(x, x, MPFR_RNDN);
	mpfr_log1p(l, x, MPFR_RNDN);
	mpfr_add_ui(t, x, 1, MPFR_RNDN);
	mpfr_mul(t, t, rho, MPFR_RNDN);
	mpfr_set(scale, t, MPFR_RNDN);
	mpfr_add(epsilon, log_delta, l, MPFR_RNDN);
	mpfr_div(epsilon, epsilon, x, MPFR_RNDN);
	mpfr_sub(epsilon, t, epsilon, MPFR_RNDN);
	mpfr_log(t, x, MPFR_RNDN);
	mpfr_sub(t, t, l, MPFR_RNDN);
	mpfr_add(epsilon, epsilon, t, MPFR_RNDN);
	mpfr_add(scale, scale, l, MPFR_RNDN);
	mpfr_sub(scale, scale, log_delta, MPFR_RNDN);
	mpfr_add_ui(scale, scale, 1, MPFR_RNDN);
	sotto_real_widen_up(epsilon, scale);
	mpfr_clears(x, l, scale, t, (mpfr_ptr)0);
}

void sotto_zcdp_epsilon_up(mpfr_t epsilon, const mpfr_t rho, const mpfr_t log_delta,
			   double *order)
{
	struct search s = {.slope = slope_for_epsilon};
	mpfr_t tv;
	double y;

	if (order)
		*order = INFINITY;
	mpfr_set_zero(epsilon, 1);
	if (mpfr_sgn(log_delta) >= 0 || mpfr_zero_p(rho))
		return;
	mpfr_set_inf(epsilon, 1);
	if (mpfr_inf_p(rho) || mpfr_inf_p(log_delta))
		return;
	s.log_rho = log_of(rho);
	s.target = mpfr_get_d(log_delta, MPFR_RNDN);
	y = best_order(&s);
	if (order)
		*order = exp(y);
	epsilon_at(epsilon, rho, log_delta, y);
	mpfr_init2(tv, REAL_BITS);
	log_total_variation_up(tv, rho);
	if (mpfr_sgn(epsilon) < 0 || mpfr_cmp(tv, log_delta) <= 0)
		mpfr_set_zero(epsilon, 1);
	mpfr_clear(tv);
}

/* x rho (1+x) - x epsilon + x log x - (1+x) log1p(x) */
static void log_delta_at(mpfr_t log_delta, const mpfr_t rho, const mpfr_t epsilon, double y)
{
	mpfr_t x, l, scale, t;

	mpfr_inits2(REAL_BITS, x, l, scale, t, (mpfr_ptr)0);
	mpfr_set_d(x, y, MPFR_RNDN);
	mpfr_exp(x, x, MPFR_RNDN);
	mpfr_add_ui(l, x, 1, MPFR_RNDN);
	mpfr_mul(t, l, rho, MPFR_RNDN);
	mpfr_add(scale, t, epsilon, MPFR_RNDN);
	mpfr_sub(t, t, epsilon, MPFR_RNDN);
	mpfr_mul(log_delta, t, x, MPFR_RNDN);
	mpfr_log1p(t, x, MPFR_RNDN);
	mpfr_add(scale, scale, t, MPFR_RNDN);
	mpfr_mul(t, t, l, MPFR_RNDN);
	mpfr_sub(log_delta, log_delta, t, MPFR_RNDN);
	mpfr_log(t, x, MPFR_RNDN);
	mpfr_mul(t, t, x, MPFR_RNDN);
	mpfr_add(log_delta, log_delta, t, MPFR_RNDN);
	mpfr_add_ui(scale, scale, 1, MPFR_RNDN);
	mpfr_mul(scale, scale, l, MPFR_RNDN);
	sotto_real_widen_up(log_delta, scale);
	mpfr_clears(x, l, scale, t, (mpfr_ptr)0);
}

void sotto_zcdp_log_delta_up(mpfr_t log_delta, const mpfr_t rho, const mpfr_t epsilon,
			     double *order)
{
	struct search s = {.slope = slope_for_delta};
	mpfr_t tv;
	double y;

	if (order)
		*order = INFINITY;
	mpfr_set_inf(log_delta, -1);
	if (mpfr_zero_p(rho) || mpfr_inf_p(epsilon))
		return;
	mpfr_set_zero(log_delta, 1);
	if (mpfr_inf_p(rho))
		return;
	s.log_rho = log_of(rho);
	s.target = mpfr_get_d(epsilon, MPFR_RNDN);
	y = best_order(&s);
	if (order)
		*order = exp(y);
	log_delta_at(log_delta, rho, epsilon, y);
	mpfr_init2(tv, REAL_BITS);
	log_total_variation_up(tv, rho);
	if (mpfr_cmp(tv, log_delta) < 0)
		mpfr_set(log_delta, tv, MPFR_RNDU);
	mpfr_clear(tv);
}

static int fits(const mpq_t rho, const mpfr_t log_delta, const mpq_t epsilon)
{
	mpfr_t r, e;
	int ok;

	mpfr_inits2(REAL_BITS, r, e, (mpfr_ptr)0);
	mpfr_set_q(r, rho, MPFR_RNDU);
	sotto_zcdp_epsilon_up(e, r, log_delta, NULL);
	ok = mpfr_cmp_q(e, epsilon) <= 0;
	mpfr_clears(r, e, (mpfr_ptr)0);
	return ok;
}

void sotto_zcdp_rho_down(mpq_t rho, const mpq_t epsilon, const mpq_t delta, unsigned bits)
{
	mpfr_t log_delta;
	mpz_t low, high, middle;

	mpfr_init2(log_delta, REAL_BITS);
	mpz_inits(low, high, middle, (mpz_ptr)0);
	sotto_log_rational(log_delta, delta, MPFR_RNDD);
	mpz_set_ui(high, 1);
	mpq_set_z(rho, high);
	for (mpq_div_2exp(rho, rho, bits); fits(rho, log_delta, epsilon);
	     mpq_mul_2exp(rho, rho, 1))
		mpz_mul_2exp(high, high, 1);
	for (;;) {
		mpz_add(middle, low, high);
		mpz_fdiv_q_2exp(middle, middle, 1);
		if (mpz_cmp(middle, low) == 0)
			break;
		mpq_set_z(rho, middle);
		mpq_div_2exp(rho, rho, bits);
		if (fits(rho, log_delta, epsilon))
			mpz_set(low, middle);
		else
			mpz_set(high, middle);
	}
	mpq_set_z(rho, low);
	mpq_div_2exp(rho, rho, bits);
	mpz_clears(low, high, middle, (mpz_ptr)0);
	mpfr_clear(log_delta);
}
