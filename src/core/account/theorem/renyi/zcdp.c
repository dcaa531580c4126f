/*
 * Rounds every rho up before it is added and accounts for the events' own deltas apart; long
 * lists of Laplace events are summed in doubles, each a little too large.
 */
#include "core/account/theorem/renyi/zcdp.h"

#include <math.h>

#include "core/account/integral/real.h"
#include "core/account/theorem/composition/black_box.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/base/failure.h"

enum sotto_status sotto_zcdp_sum(const struct sotto_terms *t, mpfr_t sum, mpq_t delta)
{
	enum sotto_status st = SOTTO_OK;
	mpfr_t rho;
	mpq_t own;

	mpfr_init2(rho, SOTTO_RHO_BITS);
	mpq_init(own);
	mpfr_set_zero(sum, 1);
	for (size_t i = 0; i < t->n && st == SOTTO_OK; i++) {
		st = sotto_rho_of(rho, own, t->list[i].event, t->neighbours, t->work);
		mpfr_mul_ui(rho, rho, t->list[i].count, MPFR_RNDU);
		mpfr_add(sum, sum, rho, MPFR_RNDU);
		sotto_real_add_up(delta, own, t->list[i].count);
	}
	for (size_t i = 0; i < t->n_laplace && st == SOTTO_OK; i++) {
		/* e - 1 + exp(-e) in doubles, for lists of a million */
		double e = t->laplace[i], value = e + expm1(-e);

		if (e < 1e-3)
			value = e * e / 2 * (1 - e / 3 + e * e / 12);
		mpfr_set_d(rho, value * (1 + 0x1p-46) * (double)t->laplace_count[i], MPFR_RNDU);
		mpfr_add(sum, sum, rho, MPFR_RNDU);
	}
	mpq_clear(own);
	mpfr_clear(rho);
	return st;
}

enum sotto_status sotto_zcdp_terms_epsilon(const struct sotto_terms *t, mpq_srcptr delta,
					   double *epsilon, double *order)
{
	enum sotto_status st;
	mpfr_t rho, l, e;
	mpq_t rest;

	mpfr_inits2(REAL_BITS, rho, l, e, (mpfr_ptr)0);
	mpq_init(rest);
	st = sotto_zcdp_sum(t, rho, rest);
	mpq_sub(rest, delta, rest);
	*epsilon = INFINITY;
	if (st == SOTTO_OK && (mpq_sgn(rest) > 0 || (mpq_sgn(rest) == 0 && mpfr_zero_p(rho)))) {
		mpfr_set_inf(l, -1);
		if (mpq_sgn(rest) > 0)
			sotto_log_rational(l, rest, MPFR_RNDD);
		sotto_zcdp_epsilon_up(e, rho, l, order);
		*epsilon = sotto_real_double_up(e);
	}
	mpq_clear(rest);
	mpfr_clears(rho, l, e, (mpfr_ptr)0);
	return st;
}

enum sotto_status sotto_zcdp_terms_log_delta(const struct sotto_terms *t, mpq_srcptr epsilon,
					     double *log_delta, double *order)
{
	enum sotto_status st;
	mpfr_t rho, l, e;
	mpq_t own;

	mpfr_inits2(REAL_BITS, rho, l, e, (mpfr_ptr)0);
	mpq_init(own);
	st = sotto_zcdp_sum(t, rho, own);
	mpfr_set_q(e, epsilon, MPFR_RNDD);
	sotto_zcdp_log_delta_up(l, rho, e, order);
	if (mpq_sgn(own) > 0) {
		mpfr_exp(l, l, MPFR_RNDU);
		mpfr_add_q(l, l, own, MPFR_RNDU);
		mpfr_log(l, l, MPFR_RNDU);
	}
	*log_delta = fmin(0, sotto_real_double_up(l));
	mpq_clear(own);
	mpfr_clears(rho, l, e, (mpfr_ptr)0);
	return st;
}
