/*
 * Converts each order by itself, rounded up, and keeps the least epsilon and the order that
 * gave it.
 */
#include <math.h>

#include "core/account/integral/real.h"
#include "testlib/accountant/closed_renyi.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/number/rational/rational_value.h"
#include "sotto/account.h"

static bool is_list(const double *orders, const double *divergences, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(orders[i] > (i ? orders[i - 1] : 1)) || isinf(orders[i]) ||
		    !(divergences[i] >= 0))
			return false;
	return n > 0;
}

/* What one order says: 0 where even the total variation is below delta. */
static double one_order_up(double order, double divergence, const mpfr_t log_delta)
{
	double result;
	mpfr_t x, d, t;

	if (isinf(divergence))
		return INFINITY;
	mpfr_inits2(REAL_BITS, x, d, t, (mpfr_ptr)0);
	mpfr_set_d(d, divergence, MPFR_RNDU);
	sotto_log_total_variation_up(t, d);
	if (mpfr_cmp(t, log_delta) <= 0) {
		result = 0;
	} else {
		mpfr_set_d(x, order, MPFR_RNDN);
		mpfr_sub_ui(x, x, 1, MPFR_RNDN);
		sotto_order_epsilon_up(t, d, log_delta, x);
		result = fmax(0, sotto_real_double_up(t));
	}
	mpfr_clears(x, d, t, (mpfr_ptr)0);
	return result;
}

enum sotto_status sotto_closed_renyi_up(const double *orders, const double *divergences,
					size_t n, const struct sotto_rational *delta,
					struct sotto_closed_renyi *out)
{
	delta = sotto_rational_settled(delta);

	struct sotto_closed_renyi r = {.epsilon = INFINITY};
	mpfr_t log_delta;

	if (!is_list(orders, divergences, n) || mpq_sgn(delta->q) < 0)
		return SOTTO_EINVAL;
	mpfr_init2(log_delta, REAL_BITS);
	sotto_log_rational(log_delta, delta->q, MPFR_RNDD);
	for (size_t i = 0; i < n; i++) {
		double e = mpfr_sgn(log_delta) >= 0
				   ? 0
				   : one_order_up(orders[i], divergences[i], log_delta);

		if (e < r.epsilon) {
			r.epsilon = e;
			r.best = i;
		}
	}
	r.edge = r.epsilon > 0 && (r.best == 0 || r.best == n - 1);
	mpfr_clear(log_delta);
	*out = r;
	return SOTTO_OK;
}
