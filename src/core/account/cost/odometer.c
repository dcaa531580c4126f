/*
 * Takes the better of plain addition and a ladder: a zCDP filter at each of many levels of rho,
 * with delta divided among the levels, of which the first that holds the sum counts.
 */
#include "sotto/cost.h"

#include <math.h>
#include <mpfr.h>

#include "core/account/cost/spend.h"
#include "core/account/integral/real.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"

enum { LEVELS_PER_OCTAVE = 4, LOWEST_OCTAVE = -14 };

static bool is_open_probability(const struct sotto_rational *delta)
{
	return mpq_sgn(delta->q) > 0 && mpq_cmp_ui(delta->q, 1, 1) < 0;
}

enum sotto_status
sotto_odometer_init(struct sotto_odometer *o, const struct sotto_rational *delta)
{
	if (!o || !delta)
		return SOTTO_EINVAL;
	delta = sotto_rational_settled(delta);
	if (!is_open_probability(delta))
		return SOTTO_EINVAL;
	sotto_rational_init(&o->delta);
	sotto_rational_set(&o->delta, delta);
	sotto_cost_init(&o->spent);
	return SOTTO_OK;
}

void sotto_odometer_release(struct sotto_odometer *o)
{
	if (!o)
		return;
	sotto_rational_release(&o->delta);
	sotto_cost_release(&o->spent);
}

enum sotto_status sotto_odometer_add(struct sotto_odometer *o, const struct sotto_cost *cost)
{
	if (!o || !cost)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_spend_check(cost, NULL));
	sotto_spend_add(&o->spent, cost);
	return SOTTO_OK;
}

static void level(mpq_t rho, unsigned j)
{
	int octave = LOWEST_OCTAVE + (int)(j / LEVELS_PER_OCTAVE);

	mpq_set_ui(rho, LEVELS_PER_OCTAVE + j % LEVELS_PER_OCTAVE, 1);
	if (octave < 0)
		mpq_div_2exp(rho, rho, (unsigned)-octave);
	else
		mpq_mul_2exp(rho, rho, (unsigned)octave);
}

static double ladder_epsilon_up(mpq_srcptr rho, const struct sotto_rational *delta)
{
	mpfr_t r, log_delta, epsilon;
	double up;
	mpq_t share;

	mpq_init(share);
	mpfr_inits2(REAL_BITS, r, log_delta, epsilon, (mpfr_ptr)0);
	mpq_set_ui(share, 1, SOTTO_ODOMETER_LEVELS);
	mpq_mul(share, share, delta->q);
	sotto_log_rational(log_delta, share, MPFR_RNDD);
	mpfr_set_q(r, rho, MPFR_RNDU);
	sotto_zcdp_epsilon_up(epsilon, r, log_delta, NULL);
	up = sotto_real_double_up(epsilon);
	mpfr_clears(r, log_delta, epsilon, (mpfr_ptr)0);
	mpq_clear(share);
	return up;
}

double sotto_odometer_epsilon_up(const struct sotto_odometer *o)
{
	double best = INFINITY, ladder;
	mpq_t rho;

	if (o->spent.bounded)
		best = sotto_rational_double_up(&o->spent.epsilon);
	mpq_init(rho);
	for (unsigned j = 0; j < SOTTO_ODOMETER_LEVELS; j++) {
		level(rho, j);
		if (mpq_cmp(o->spent.rho.q, rho) > 0)
			continue;
		ladder = ladder_epsilon_up(rho, &o->delta);
		if (ladder < best)
			best = ladder;
		break;
	}
	mpq_clear(rho);
	return best;
}

/* sqrt(2 (V+g) (log(1/delta) + log((V+g)/g)/2)) + V/2, g > 0 */
static double bound_up(mpq_srcptr V, mpq_srcptr g, mpq_srcptr delta)
{
	mpfr_t l, t, v;
	double up;
	mpq_t sum;

	mpq_init(sum);
	mpfr_inits2(REAL_BITS, l, t, v, (mpfr_ptr)0);
	sotto_log_rational(l, delta, MPFR_RNDD);
	mpfr_neg(l, l, MPFR_RNDU);
	mpq_add(sum, V, g);
	mpq_div(sum, sum, g);
	sotto_log_rational(t, sum, MPFR_RNDU);
	mpfr_div_2ui(t, t, 1, MPFR_RNDU);
	mpfr_add(l, l, t, MPFR_RNDU);
	mpq_add(sum, V, g);
	mpfr_mul_2ui(l, l, 1, MPFR_RNDU);
	mpfr_mul_q(l, l, sum, MPFR_RNDU);
	mpfr_sqrt(l, l, MPFR_RNDU);
	mpfr_set_q(v, V, MPFR_RNDU);
	mpfr_div_2ui(v, v, 1, MPFR_RNDU);
	mpfr_add(l, l, v, MPFR_RNDU);
	up = sotto_real_double_up(l);
	mpfr_clears(l, t, v, (mpfr_ptr)0);
	mpq_clear(sum);
	return up;
}

enum sotto_status sotto_odometer_mixture_up(const struct sotto_rational *V,
					    const struct sotto_rational *gamma,
					    const struct sotto_rational *delta, double *epsilon)
{
	if (!V || !gamma || !delta || !epsilon)
		return SOTTO_EINVAL;
	V = sotto_rational_settled(V);
	gamma = sotto_rational_settled(gamma);
	delta = sotto_rational_settled(delta);
	if (mpq_sgn(V->q) < 0 || mpq_sgn(gamma->q) <= 0 || !is_open_probability(delta))
		return SOTTO_EINVAL;
	*epsilon = bound_up(V->q, gamma->q, delta->q);
	return SOTTO_OK;
}
