/* The exponent in fixed point against the fraction it stands for. */
#include "core/random/gaussian/dgauss_exponent.h"

#include "testlib/sampler/sigmas.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

/* abs(2^118 x - fixed) <= slack */
static bool within_slack(const mpq_t x, sotto_u128 fixed)
{
	mpq_t scaled, difference;
	mpz_t z;
	bool ok;

	mpq_inits(scaled, difference, NULL);
	mpz_init(z);
	mpq_mul_2exp(scaled, x, SOTTO_EXP_FRACTION);
	sotto_fixed_to_mpz(fixed, z);
	mpq_set_z(difference, z);
	mpq_sub(difference, difference, scaled);
	mpq_abs(difference, difference);
	ok = mpq_cmp_ui(difference, SOTTO_DGAUSS_SLACK, 1) <= 0;
	mpz_clear(z);
	mpq_clears(scaled, difference, NULL);
	return ok;
}

static unsigned wrong_exponents(const struct sotto_dgauss *g,
				const struct sotto_dgauss_exponent *e, const mpz_t t)
{
	unsigned bad = 0;
	mpq_t x;

	mpq_init(x);
	for (uint64_t i = 0; i < 400; i++) {
		uint64_t y;

		tape_noise(i, (uint8_t *)&y, sizeof y);
		y = i < 100 ? i : y >> 32 >> (i % 31) << (i % 33);
		y &= (UINT64_C(1) << e->bits) - 1;
		sotto_dgauss_exponent_exact(g->sigma2, t, y, x);
		bad += mpq_sgn(x) < 0 || !within_slack(x, sotto_dgauss_exponent_at(e, y));
	}
	sotto_dgauss_exponent_exact(g->sigma2, t, UINT64_C(1) << e->bits, x);
	bad += mpq_cmp_ui(x, 112, 1) <= 0;
	mpq_clear(x);
	return bad;
}

static void fixed_point_is_within_the_slack_of_the_fraction(void)
{
	mpz_t none;

	mpz_init(none);
	for (size_t i = 0; i < sigmas_count; i++) {
		struct sotto_dgauss *g = law_of(sigmas[i]);

		CHECK_INT(wrong_exponents(g, &g->single, g->t), 0);
		CHECK_INT(wrong_exponents(g, &g->bulk, none), 0);
		sotto_dgauss_free(g);
	}
	mpz_clear(none);
}

static void constants_off_by_a_few_units_are_found(void)
{
	struct sotto_dgauss *g = law_of("355/113");

	g->single.constant += 32;
	CHECK(wrong_exponents(g, &g->single, g->t) > 0);
	g->single.constant -= 32;
	g->single.linear += 64;
	CHECK(wrong_exponents(g, &g->single, g->t) > 0);
	g->single.linear -= 64;
	g->single.square += 256;
	CHECK(wrong_exponents(g, &g->single, g->t) > 0);
	g->single.square -= 256;
	CHECK_INT(wrong_exponents(g, &g->single, g->t), 0);
	sotto_dgauss_free(g);
}

int main(void)
{
	RUN(fixed_point_is_within_the_slack_of_the_fraction);
	RUN(constants_off_by_a_few_units_are_found);
	return tap_done();
}
