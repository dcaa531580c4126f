/* Closed forms of single events and of many black boxes, for comparison with what the library computes. */
#include "testlib/accountant/closed_form.h"

#include <math.h>

#include "core/account/integral/real.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/number/rational/rational_value.h"

enum { MOST_EVENTS = 1000000, LARGEST_EPSILON = 1000000 };

static bool is_negative(const struct sotto_rational *r)
{
	return mpq_sgn(r->q) < 0;
}

static bool is_one_or_more(const struct sotto_rational *r)
{
	return mpq_cmp_ui(r->q, 1, 1) >= 0;
}

static enum sotto_status give(double *out, double x)
{
	*out = x;
	return SOTTO_OK;
}

/*
 * left = 1 - (1 - delta)/(1 - delta0)^k, rounded down: what of delta the events' own deltas
 * leave.  False if it is negative, unless k delta0 <= delta.
 */
static bool leave_down(mpfr_t left, mpq_srcptr delta0, uint64_t k, mpq_srcptr delta)
{
	mpfr_t kept;
	mpq_t sum;

	mpfr_init2(kept, REAL_BITS);
	mpq_init(sum);
	mpfr_set_q(kept, delta0, MPFR_RNDU);
	mpfr_neg(kept, kept, MPFR_RNDD);
	mpfr_log1p(kept, kept, MPFR_RNDD);
	mpfr_mul_ui(kept, kept, k, MPFR_RNDD);
	mpfr_set_q(left, delta, MPFR_RNDD);
	mpfr_neg(left, left, MPFR_RNDU);
	mpfr_log1p(left, left, MPFR_RNDU);
	mpfr_sub(left, left, kept, MPFR_RNDU);
	mpfr_expm1(left, left, MPFR_RNDU);
	mpfr_neg(left, left, MPFR_RNDD);
	mpq_set_ui(sum, k, 1);
	mpq_mul(sum, sum, delta0);
	if (mpfr_sgn(left) < 0 && mpq_cmp(sum, delta) <= 0)
		mpfr_set_zero(left, 1);
	mpq_clear(sum);
	mpfr_clear(kept);
	return mpfr_sgn(left) >= 0;
}

/*
 * Of k two-point losses, the outcomes with at most i - 1 minuses: their mass under one
 * hypothesis (high) and under the other (low), and the next outcome's masses.
 */
struct grid {
	mpfr_t up, down; /* exp(epsilon), exp(-epsilon) */
	mpfr_t high, low, next_high, next_low;
	mpfr_t ratio; /* exp(epsilon (k - 2i)) */
};

static void init_grid(struct grid *g, mpq_srcptr epsilon, uint64_t k)
{
	mpfr_inits2(REAL_BITS, g->up, g->down, g->high, g->low, g->next_high, g->next_low,
		    g->ratio, (mpfr_ptr)0);
	mpfr_set_q(g->up, epsilon, MPFR_RNDN);
	mpfr_mul_ui(g->ratio, g->up, k, MPFR_RNDN);
	mpfr_exp(g->ratio, g->ratio, MPFR_RNDN);
	mpfr_exp(g->up, g->up, MPFR_RNDN);
	mpfr_ui_div(g->down, 1, g->up, MPFR_RNDN);
	mpfr_set_zero(g->high, 1);
	mpfr_set_zero(g->low, 1);
	mpfr_add_ui(g->next_low, g->up, 1, MPFR_RNDN);
	mpfr_pow_ui(g->next_low, g->next_low, k, MPFR_RNDN);
	mpfr_ui_div(g->next_low, 1, g->next_low, MPFR_RNDN);
	mpfr_mul(g->next_high, g->next_low, g->ratio, MPFR_RNDN);
}

static void release_grid(struct grid *g)
{
	mpfr_clears(g->up, g->down, g->high, g->low, g->next_high, g->next_low, g->ratio,
		    (mpfr_ptr)0);
}

/* mass of i - 1 minuses into that of i */
static void advance(mpfr_t mass, uint64_t k, uint64_t i, const mpfr_t odds)
{
	mpfr_mul_ui(mass, mass, k - i + 1, MPFR_RNDN);
	mpfr_div_ui(mass, mass, i, MPFR_RNDN);
	mpfr_mul(mass, mass, odds, MPFR_RNDN);
}

/* From i - 1 to i; delta is that of epsilon (k - 2i), rounded up. */
static void step_grid(struct grid *g, uint64_t k, uint64_t i, mpfr_t delta)
{
	mpfr_add(g->high, g->high, g->next_high, MPFR_RNDN);
	mpfr_add(g->low, g->low, g->next_low, MPFR_RNDN);
	advance(g->next_high, k, i, g->down);
	advance(g->next_low, k, i, g->up);
	mpfr_mul(g->ratio, g->ratio, g->down, MPFR_RNDN);
	mpfr_mul(g->ratio, g->ratio, g->down, MPFR_RNDN);
	mpfr_mul(delta, g->ratio, g->low, MPFR_RNDN);
	mpfr_sub(delta, g->high, delta, MPFR_RNDN);
	sotto_real_widen_up(delta, g->high);
}

/* The largest i whose delta fits into what is left. */
static uint64_t walk_grid(mpq_srcptr epsilon, uint64_t k, const mpfr_t left)
{
	struct grid g;
	mpfr_t delta;
	uint64_t i = 0;

	init_grid(&g, epsilon, k);
	mpfr_init2(delta, REAL_BITS);
	while (2 * (i + 1) <= k) {
		step_grid(&g, k, i + 1, delta);
		if (mpfr_cmp(delta, left) > 0)
			break;
		i++;
	}
	mpfr_clear(delta);
	release_grid(&g);
	return i;
}

/* epsilon k, rounded up */
static double times_up(mpq_srcptr epsilon, uint64_t k)
{
	mpfr_t x;
	double result;

	mpfr_init2(x, REAL_BITS);
	mpfr_set_ui(x, k, MPFR_RNDU);
	mpfr_mul_q(x, x, epsilon, MPFR_RNDU);
	result = sotto_real_double_up(x);
	mpfr_clear(x);
	return result;
}

static double grid_up(mpq_srcptr epsilon, mpq_srcptr delta0, uint64_t k, mpq_srcptr delta)
{
	double result = INFINITY;
	mpfr_t left;

	mpfr_init2(left, REAL_BITS);
	if (leave_down(left, delta0, k, delta))
		result = times_up(epsilon, k - 2 * walk_grid(epsilon, k, left));
	mpfr_clear(left);
	return result;
}

enum sotto_status sotto_closed_kov_grid_up(const struct sotto_rational *epsilon,
					   const struct sotto_rational *delta0, uint64_t k,
					   const struct sotto_rational *delta, double *total)
{
	if (!epsilon || !delta0 || !delta || !total)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);
	delta0 = sotto_rational_settled(delta0);
	delta = sotto_rational_settled(delta);
	if (is_negative(epsilon) || is_negative(delta0) || mpq_cmp_ui(delta0->q, 1, 1) > 0 ||
	    is_negative(delta))
		return SOTTO_EINVAL;
	if (k > MOST_EVENTS || mpq_cmp_ui(epsilon->q, LARGEST_EPSILON, 1) > 0)
		return SOTTO_ERANGE;
	if (k == 0 || is_one_or_more(delta))
		return give(total, 0);
	return give(total, grid_up(epsilon->q, delta0->q, k, delta->q));
}

enum sotto_status sotto_closed_zcdp_up(const struct sotto_rational *rho,
				       const struct sotto_rational *delta, double *epsilon)
{
	if (!rho || !delta || !epsilon)
		return SOTTO_EINVAL;
	rho = sotto_rational_settled(rho);
	delta = sotto_rational_settled(delta);

	mpfr_t x, r;

	if (is_negative(rho) || is_negative(delta))
		return SOTTO_EINVAL;
	if (mpq_sgn(rho->q) == 0 || is_one_or_more(delta))
		return give(epsilon, 0);
	if (mpq_sgn(delta->q) == 0)
		return give(epsilon, INFINITY);
	mpfr_inits2(REAL_BITS, x, r, (mpfr_ptr)0);
	mpfr_set_q(r, rho->q, MPFR_RNDU);
	sotto_log_rational(x, delta->q, MPFR_RNDD);
	mpfr_neg(x, x, MPFR_RNDU);
	mpfr_mul(x, x, r, MPFR_RNDU);
	mpfr_sqrt(x, x, MPFR_RNDU);
	mpfr_mul_2ui(x, x, 1, MPFR_RNDU);
	mpfr_add(x, x, r, MPFR_RNDU);
	*epsilon = sotto_real_double_up(x);
	mpfr_clears(x, r, (mpfr_ptr)0);
	return SOTTO_OK;
}

enum sotto_status sotto_closed_exponential_up(const struct sotto_rational *epsilon, uint64_t k,
					      const struct sotto_rational *delta, double *total)
{
	if (!epsilon || !delta || !total)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);
	delta = sotto_rational_settled(delta);

	mpfr_t rho, log_delta, x;

	if (is_negative(epsilon) || is_negative(delta))
		return SOTTO_EINVAL;
	mpfr_inits2(REAL_BITS, rho, log_delta, x, (mpfr_ptr)0);
	mpfr_set_q(rho, epsilon->q, MPFR_RNDU);
	mpfr_sqr(rho, rho, MPFR_RNDU);
	mpfr_mul_ui(rho, rho, k, MPFR_RNDU);
	mpfr_div_2ui(rho, rho, 3, MPFR_RNDU);
	sotto_log_rational(log_delta, delta->q, MPFR_RNDD);
	sotto_zcdp_epsilon_up(x, rho, log_delta, NULL);
	*total = fmin(sotto_real_double_up(x), times_up(epsilon->q, k));
	mpfr_clears(rho, log_delta, x, (mpfr_ptr)0);
	return SOTTO_OK;
}

enum sotto_status sotto_filter_direct_up(const struct sotto_rational *V,
					 const struct sotto_rational *delta, double *epsilon)
{
	mpfr_t l, v;

	if (!V || !delta || !epsilon)
		return SOTTO_EINVAL;
	V = sotto_rational_settled(V);
	delta = sotto_rational_settled(delta);
	if (is_negative(V) || mpq_sgn(delta->q) <= 0 || is_one_or_more(delta))
		return SOTTO_EINVAL;
	mpfr_inits2(REAL_BITS, l, v, (mpfr_ptr)0);
	sotto_log_rational(l, delta->q, MPFR_RNDD);
	mpfr_mul_si(l, l, -2, MPFR_RNDU);
	mpfr_mul_q(l, l, V->q, MPFR_RNDU);
	mpfr_sqrt(l, l, MPFR_RNDU);
	mpfr_set_q(v, V->q, MPFR_RNDU);
	mpfr_div_2ui(v, v, 1, MPFR_RNDU);
	mpfr_add(l, l, v, MPFR_RNDU);
	*epsilon = sotto_real_double_up(l);
	mpfr_clears(l, v, (mpfr_ptr)0);
	return SOTTO_OK;
}
