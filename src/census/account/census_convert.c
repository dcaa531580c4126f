/* From rho-zCDP to (epsilon, delta) and back, for people who publish both. */
#include <mpfr.h>

#include "core/account/theorem/renyi/renyi_convert.h"
#include "sotto/census.h"

enum { BITS = 256, RHO_BITS = 80, MORE_BITS_MAX = 96 };

/* rho + 2 sqrt(rho ln(1/delta)), rounded up */
static double
bun_steinke_up(const struct sotto_rational *rho, const struct sotto_rational *delta)
{
	mpfr_t r, l;
	double out;

	mpfr_inits2(BITS, r, l, (mpfr_ptr)0);
	sotto_log_rational(l, delta->q, MPFR_RNDD);
	mpfr_neg(l, l, MPFR_RNDU);
	mpfr_set_q(r, rho->q, MPFR_RNDU);
	mpfr_mul(l, l, r, MPFR_RNDU);
	mpfr_sqrt(l, l, MPFR_RNDU);
	mpfr_mul_2ui(l, l, 1, MPFR_RNDU);
	mpfr_add(l, l, r, MPFR_RNDU);
	out = mpfr_get_d(l, MPFR_RNDU);
	mpfr_clears(r, l, (mpfr_ptr)0);
	return out;
}

static bool is_probability(const struct sotto_rational *delta)
{
	return sotto_rational_sign(delta) > 0 && mpq_cmp_ui(delta->q, 1, 1) < 0;
}

enum sotto_status sotto_census_convert(const struct sotto_rational *rho,
				       const struct sotto_rational *delta,
				       struct sotto_census_conversion *out)
{
	mpfr_t r, l, epsilon;

	if (!rho || !delta || !out || sotto_rational_sign(rho) < 0 || !is_probability(delta))
		return SOTTO_EINVAL;
	mpfr_inits2(BITS, r, l, epsilon, (mpfr_ptr)0);
	mpfr_set_q(r, rho->q, MPFR_RNDU);
	sotto_log_rational(l, delta->q, MPFR_RNDD);
	sotto_zcdp_epsilon_up(epsilon, r, l, NULL);
	out->epsilon_up = mpfr_get_d(epsilon, MPFR_RNDU);
	out->epsilon_bun_steinke_up = bun_steinke_up(rho, delta);
	mpfr_clears(r, l, epsilon, (mpfr_ptr)0);
	return SOTTO_OK;
}

/* rho is about epsilon^2 / (4 ln(1/delta)): digits for a small epsilon, too. */
static unsigned bits_for(mpq_srcptr epsilon)
{
	size_t above = mpz_sizeinbase(mpq_numref(epsilon), 2);
	size_t below = mpz_sizeinbase(mpq_denref(epsilon), 2);
	size_t more = below > above ? 2 * (below - above) : 0;

	return (unsigned)(more < MORE_BITS_MAX ? RHO_BITS + more : RHO_BITS + MORE_BITS_MAX);
}

enum sotto_status sotto_census_rho_down(const struct sotto_rational *epsilon,
					const struct sotto_rational *delta,
					struct sotto_rational *rho)
{
	if (!epsilon || !delta || !rho || sotto_rational_sign(epsilon) < 0 ||
	    !is_probability(delta))
		return SOTTO_EINVAL;
	sotto_zcdp_rho_down(rho->q, epsilon->q, delta->q, bits_for(epsilon->q));
	return SOTTO_OK;
}
