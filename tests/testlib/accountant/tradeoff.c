/* What a privacy guarantee implies for tests that distinguish two neighbours. */
#include <math.h>

#include "testlib/accountant/tradeoff.h"
#include "core/account/integral/real.h"

#include "core/number/rational/rational_value.h"
#include "sotto/account.h"

/* Every step is rounded to its side, so these say only how sharp the rate is. */
enum { BITS = 128, HALVINGS = 90 };

static bool is_probability(const struct sotto_rational *r)
{
	return mpq_sgn(r->q) >= 0 && mpq_cmp_ui(r->q, 1, 1) <= 0;
}

/* The normal law's mass above z, on the side given. */
static void normal_tail(mpfr_t out, const mpfr_t z, mpfr_rnd_t side)
{
	mpfr_t root;

	mpfr_init2(root, BITS);
	mpfr_set_d(root, 0.5, MPFR_RNDN);
	/* the tail falls: z/sqrt(2) goes to the other side */
	mpfr_sqrt(root, root, (mpfr_sgn(z) > 0) == (side == MPFR_RNDU) ? MPFR_RNDD : MPFR_RNDU);
	mpfr_mul(root, root, z, side == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU);
	mpfr_erfc(out, root, side);
	mpfr_div_2ui(out, out, 1, side);
	mpfr_clear(root);
}

/*
 * True if at least fpr lies above z, for certain.  Of the two tails the smaller is looked at,
 * so that no fpr is too near 0 or 1.
 */
static bool has_above(const mpfr_t z, mpq_srcptr fpr, mpq_srcptr rest)
{
	mpfr_t tail;
	bool yes;

	mpfr_init2(tail, BITS);
	if (mpfr_sgn(z) >= 0) {
		normal_tail(tail, z, MPFR_RNDD);
		yes = mpfr_cmp_q(tail, fpr) >= 0;
	} else {
		mpfr_neg(tail, z, MPFR_RNDN);
		normal_tail(tail, tail, MPFR_RNDU);
		yes = mpfr_cmp_q(tail, rest) <= 0;
	}
	mpfr_clear(tail);
	return yes;
}

/* The quantile with fpr above it, rounded down. */
static void quantile_down(mpfr_t z, mpq_srcptr fpr)
{
	mpfr_t low, high;
	mpq_t rest;

	mpq_init(rest);
	mpq_set_ui(rest, 1, 1);
	mpq_sub(rest, rest, fpr);
	mpfr_inits2(BITS, low, high, (mpfr_ptr)0);
	mpfr_set_si(low, -1, MPFR_RNDN);
	while (!has_above(low, fpr, rest))
		mpfr_mul_2ui(low, low, 1, MPFR_RNDN);
	mpfr_set_ui(high, 1, MPFR_RNDN);
	while (has_above(high, fpr, rest))
		mpfr_mul_2ui(high, high, 1, MPFR_RNDN);
	for (int i = 0; i < HALVINGS; i++) {
		mpfr_add(z, low, high, MPFR_RNDN);
		mpfr_div_2ui(z, z, 1, MPFR_RNDN);
		mpfr_swap(has_above(z, fpr, rest) ? low : high, z);
	}
	mpfr_set(z, low, MPFR_RNDD);
	mpfr_clears(low, high, (mpfr_ptr)0);
	mpq_clear(rest);
}

enum sotto_status sotto_closed_gaussian_tpr_up(const struct sotto_rational *mu,
					       const struct sotto_rational *fpr, double *tpr)
{
	if (!mu || !fpr || !tpr)
		return SOTTO_EINVAL;
	mu = sotto_rational_settled(mu);
	fpr = sotto_rational_settled(fpr);

	mpfr_t z;

	if (mpq_sgn(mu->q) < 0 || !is_probability(fpr))
		return SOTTO_EINVAL;
	if (mpq_sgn(fpr->q) == 0 || mpq_cmp_ui(fpr->q, 1, 1) == 0) {
		*tpr = mpq_sgn(fpr->q);
		return SOTTO_OK;
	}
	mpfr_init2(z, BITS);
	quantile_down(z, fpr->q);
	mpfr_sub_q(z, z, mu->q, MPFR_RNDD);
	normal_tail(z, z, MPFR_RNDU);
	*tpr = fmin(1, sotto_real_double_up(z));
	mpfr_clear(z);
	return SOTTO_OK;
}

/* kept - exp(epsilon) fpr and exp(-epsilon) (kept - fpr), kept = 1 - delta; the larger, down */
static void least_error_down(mpfr_t out, mpq_srcptr epsilon, mpq_srcptr kept, mpq_srcptr fpr)
{
	mpfr_t x;
	mpq_t rest;

	mpfr_init2(x, BITS);
	mpq_init(rest);
	mpfr_set_q(out, epsilon, MPFR_RNDU);
	mpfr_exp(x, out, MPFR_RNDU);
	mpfr_mul_q(x, x, fpr, MPFR_RNDU);
	mpfr_sub_q(x, x, kept, MPFR_RNDU);
	mpfr_neg(x, x, MPFR_RNDD);
	mpfr_neg(out, out, MPFR_RNDD);
	mpfr_exp(out, out, MPFR_RNDD);
	mpq_sub(rest, kept, fpr);
	mpfr_mul_q(out, out, rest, MPFR_RNDD);
	mpfr_max(out, out, x, MPFR_RNDD);
	mpq_clear(rest);
	mpfr_clear(x);
}

enum sotto_status sotto_closed_tradeoff_down(const struct sotto_rational *epsilon,
					     const struct sotto_rational *delta,
					     const struct sotto_rational *fpr, double *fnr)
{
	if (!epsilon || !delta || !fpr || !fnr)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);
	delta = sotto_rational_settled(delta);
	fpr = sotto_rational_settled(fpr);

	mpq_t kept;
	mpfr_t x;

	if (mpq_sgn(epsilon->q) < 0 || !is_probability(delta) || !is_probability(fpr))
		return SOTTO_EINVAL;
	mpq_init(kept);
	mpfr_init2(x, BITS);
	mpq_set_ui(kept, 1, 1);
	mpq_sub(kept, kept, delta->q);
	least_error_down(x, epsilon->q, kept, fpr->q);
	*fnr = fmax(0, sotto_real_double_down(x));
	mpfr_clear(x);
	mpq_clear(kept);
	return SOTTO_OK;
}
