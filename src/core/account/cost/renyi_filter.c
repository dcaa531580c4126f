/*
 * Computes once, for each order, how much divergence still gives epsilon at its share of delta,
 * rounded down; sums are rounded up, and one order that has room is enough.
 */
#include "sotto/cost.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "core/account/integral/real.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/number/rational/rational_value.h"

enum { ORDERS_MAX = 4096 };

struct sotto_renyi_filter {
	size_t n;
	double *limit; /* rounded down; negative if the order can never help */
	double *spent; /* rounded up */
};

/*
 * The largest r with r + log1p(-1/a) - (log(delta/m) + log a)/(a - 1) <= epsilon.
 */
static double limit_down(double order, const mpfr_t epsilon, const mpfr_t log_delta)
{
	mpfr_t x, a, t;
	double limit;

	mpfr_inits2(REAL_BITS, x, a, t, (mpfr_ptr)0);
	mpfr_set_d(a, order, MPFR_RNDN);
	mpfr_sub_ui(x, a, 1, MPFR_RNDN);
	mpfr_log(t, a, MPFR_RNDN);
	mpfr_add(t, t, log_delta, MPFR_RNDD);
	mpfr_div(t, t, x, MPFR_RNDD);
	mpfr_add(t, t, epsilon, MPFR_RNDD);
	mpfr_div(x, x, a, MPFR_RNDU);
	mpfr_log(x, x, MPFR_RNDU);
	mpfr_sub(t, t, x, MPFR_RNDD);
	limit = sotto_next_down(sotto_real_double_down(t));
	mpfr_clears(x, a, t, (mpfr_ptr)0);
	return limit;
}

static void set_limits(struct sotto_renyi_filter *f, const double *orders,
		       const struct sotto_rational *epsilon, const struct sotto_rational *delta)
{
	mpfr_t log_delta, e;
	mpq_t share;

	mpfr_inits2(REAL_BITS, log_delta, e, (mpfr_ptr)0);
	mpq_init(share);
	mpq_set_ui(share, f->n, 1);
	mpq_div(share, delta->q, share);
	sotto_log_rational(log_delta, share, MPFR_RNDD);
	mpfr_set_q(e, epsilon->q, MPFR_RNDD);
	for (size_t j = 0; j < f->n; j++)
		f->limit[j] = limit_down(orders[j], e, log_delta);
	mpq_clear(share);
	mpfr_clears(log_delta, e, (mpfr_ptr)0);
}

static bool allowed(const double *orders, size_t n, const struct sotto_rational *epsilon,
		    const struct sotto_rational *delta)
{
	if (n == 0 || n > ORDERS_MAX || mpq_sgn(epsilon->q) <= 0 || mpq_sgn(delta->q) <= 0 ||
	    mpq_cmp_ui(delta->q, 1, 1) >= 0)
		return false;
	for (size_t j = 0; j < n; j++)
		if (!(orders[j] > 1) || isinf(orders[j]))
			return false;
	return true;
}

enum sotto_status
sotto_renyi_filter_new(const double *orders, size_t n, const struct sotto_rational *epsilon,
		       const struct sotto_rational *delta, struct sotto_renyi_filter **out)
{
	epsilon = sotto_rational_settled(epsilon);
	delta = sotto_rational_settled(delta);

	struct sotto_renyi_filter *f;

	if (!allowed(orders, n, epsilon, delta))
		return SOTTO_EINVAL;
	f = calloc(1, sizeof *f);
	if (!f)
		return SOTTO_ENOMEM;
	f->n = n;
	f->limit = calloc(n, sizeof *f->limit);
	f->spent = calloc(n, sizeof *f->spent);
	if (!f->limit || !f->spent) {
		sotto_renyi_filter_free(f);
		return SOTTO_ENOMEM;
	}
	set_limits(f, orders, epsilon, delta);
	*out = f;
	return SOTTO_OK;
}

void sotto_renyi_filter_free(struct sotto_renyi_filter *f)
{
	if (!f)
		return;
	free(f->limit);
	free(f->spent);
	free(f);
}

/* One addition and one outward multiplication an order: at most half an ulp is lost. */
static double sum_up(double a, double b)
{
	return (a + b) * (1 + 0x1p-52);
}

enum sotto_status
sotto_renyi_filter_admit(struct sotto_renyi_filter *f, const double *divergence)
{
	if (!f || !divergence)
		return SOTTO_EINVAL;

	bool room = false;

	for (size_t j = 0; j < f->n; j++) {
		if (!(divergence[j] >= 0))
			return SOTTO_EINVAL;
		room |= sum_up(f->spent[j], divergence[j]) <= f->limit[j];
	}
	if (!room)
		return SOTTO_EBUDGET;
	for (size_t j = 0; j < f->n; j++)
		f->spent[j] = sum_up(f->spent[j], divergence[j]);
	return SOTTO_OK;
}
