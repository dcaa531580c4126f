/*
 * Finds the best order in doubles by bisection, since any order gives a valid bound, and
 * evaluates the bound there in MPFR with upward rounding.
 */
#include "core/account/theorem/renyi/renyi_convert.h"

#include <math.h>

#include "core/account/integral/real.h"

void sotto_log_rational(mpfr_t out, mpq_srcptr q, mpfr_rnd_t side)
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

void sotto_log_total_variation_up(mpfr_t out, const mpfr_t divergence)
{
	mpfr_neg(out, divergence, MPFR_RNDD);
	mpfr_expm1(out, out, MPFR_RNDD);
	mpfr_neg(out, out, MPFR_RNDU);
	mpfr_log(out, out, MPFR_RNDU);
	mpfr_div_2ui(out, out, 1, MPFR_RNDU);
}

/* divergence + log x - log1p(x) - (log delta + log1p(x))/x */
void sotto_order_epsilon_up(mpfr_t epsilon, const mpfr_t divergence, const mpfr_t log_delta,
			    const mpfr_t x)
{
	mpfr_t l, scale, t;

	mpfr_inits2(REAL_BITS, l, scale, t, (mpfr_ptr)0);
	mpfr_log1p(l, x, MPFR_RNDN);
	mpfr_add(epsilon, log_delta, l, MPFR_RNDN);
	mpfr_div(epsilon, epsilon, x, MPFR_RNDN);
	mpfr_sub(epsilon, divergence, epsilon, MPFR_RNDN);
	mpfr_log(t, x, MPFR_RNDN);
	mpfr_sub(t, t, l, MPFR_RNDN);
	mpfr_add(epsilon, epsilon, t, MPFR_RNDN);
	mpfr_add(scale, divergence, l, MPFR_RNDN);
	mpfr_sub(scale, scale, log_delta, MPFR_RNDN);
	mpfr_add_ui(scale, scale, 1, MPFR_RNDN);
	sotto_real_widen_up(epsilon, scale);
	mpfr_clears(l, scale, t, (mpfr_ptr)0);
}

/* The above at x = exp(y), where the divergence is rho (1+x) */
static void epsilon_at(mpfr_t epsilon, const mpfr_t rho, const mpfr_t log_delta, double y)
{
	mpfr_t x, t;

	mpfr_inits2(REAL_BITS, x, t, (mpfr_ptr)0);
	mpfr_set_d(x, y, MPFR_RNDN);
	mpfr_exp(x, x, MPFR_RNDN);
	mpfr_add_ui(t, x, 1, MPFR_RNDN);
	mpfr_mul(t, t, rho, MPFR_RNDN);
	sotto_order_epsilon_up(epsilon, t, log_delta, x);
	mpfr_clears(x, t, (mpfr_ptr)0);
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
	sotto_log_total_variation_up(tv, rho);
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
	sotto_log_total_variation_up(tv, rho);
	if (mpfr_cmp(tv, log_delta) < 0)
		mpfr_set(log_delta, tv, MPFR_RNDU);
	mpfr_clear(tv);
}

/* A candidate for the largest rho: how many units of 2^-bits, and the epsilon it gives. */
struct candidate {
	mpz_t units;
	mpfr_t epsilon;
};

static void candidate_init(struct candidate *c)
{
	mpz_init(c->units);
	mpfr_init2(c->epsilon, REAL_BITS);
}

static void candidate_release(struct candidate *c)
{
	mpz_clear(c->units);
	mpfr_clear(c->epsilon);
}

static void candidate_measure(struct candidate *c, unsigned bits, const mpfr_t log_delta)
{
	mpfr_t rho;

	mpfr_init2(rho, REAL_BITS);
	mpfr_set_z_2exp(rho, c->units, -(mpfr_exp_t)bits, MPFR_RNDU);
	sotto_zcdp_epsilon_up(c->epsilon, rho, log_delta, NULL);
	mpfr_clear(rho);
}

/*
 * Where between low and high a straight line through both would meet the target,
 * at least one unit from either; every third time the middle, so that a curve that
 * is far from straight cannot slow the search down.
 */
static void between(mpz_t out, const struct candidate *low, const struct candidate *high,
		    mpq_srcptr target, unsigned round)
{
	mpfr_t rise, part;

	mpz_sub(out, high->units, low->units);
	if (round % 3 == 2 || mpfr_inf_p(high->epsilon)) {
		mpz_fdiv_q_2exp(out, out, 1);
	} else {
		mpfr_inits2(REAL_BITS, rise, part, (mpfr_ptr)0);
		mpfr_sub(rise, high->epsilon, low->epsilon, MPFR_RNDN);
		mpfr_sub_q(part, low->epsilon, target, MPFR_RNDN);
		mpfr_neg(part, part, MPFR_RNDN);
		mpfr_div(part, part, rise, MPFR_RNDN);
		mpfr_mul_z(part, part, out, MPFR_RNDN);
		/* alternately a little beyond on either side, so that both ends move */
		mpfr_mul_d(part, part, round % 3 ? 1 - 0x1p-12 : 1 + 0x1p-12, MPFR_RNDN);
		mpfr_get_z(out, part, MPFR_RNDD);
		mpfr_clears(rise, part, (mpfr_ptr)0);
	}
	mpz_add(out, out, low->units);
	if (mpz_cmp(out, low->units) <= 0)
		mpz_add_ui(out, low->units, 1);
	if (mpz_cmp(out, high->units) >= 0)
		mpz_sub_ui(out, high->units, 1);
}

/* Low fits and high does not; ends when they are neighbours. */
static void close_in(struct candidate *low, struct candidate *high, mpq_srcptr target,
		     unsigned bits, const mpfr_t log_delta)
{
	struct candidate middle, *end;
	mpz_t gap;

	candidate_init(&middle);
	mpz_init(gap);
	for (unsigned round = 0;; round++) {
		mpz_sub(gap, high->units, low->units);
		if (mpz_cmp_ui(gap, 1) <= 0)
			break;
		between(middle.units, low, high, target, round);
		candidate_measure(&middle, bits, log_delta);
		end = mpfr_cmp_q(middle.epsilon, target) <= 0 ? low : high;
		mpz_swap(end->units, middle.units);
		mpfr_swap(end->epsilon, middle.epsilon);
	}
	mpz_clear(gap);
	candidate_release(&middle);
}

void sotto_zcdp_rho_down(mpq_t rho, mpq_srcptr epsilon, mpq_srcptr delta, unsigned bits)
{
	struct candidate low, high;
	mpfr_t log_delta;

	mpfr_init2(log_delta, REAL_BITS);
	candidate_init(&low);
	candidate_init(&high);
	sotto_log_rational(log_delta, delta, MPFR_RNDD);
	candidate_measure(&low, bits, log_delta);
	mpq_mul_2exp(rho, epsilon, bits);
	mpz_cdiv_q(high.units, mpq_numref(rho), mpq_denref(rho));
	do {
		mpz_mul_2exp(high.units, high.units, 1);
		mpz_add_ui(high.units, high.units, 1);
		candidate_measure(&high, bits, log_delta);
	} while (mpfr_cmp_q(high.epsilon, epsilon) <= 0);
	close_in(&low, &high, epsilon, bits, log_delta);
	mpq_set_z(rho, low.units);
	mpq_div_2exp(rho, rho, bits);
	candidate_release(&low);
	candidate_release(&high);
	mpfr_clear(log_delta);
}
