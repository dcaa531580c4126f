/* Coins of 1/(1 + ratio exp(-x)): digits against MPFR, and the law over every head. */
#include "core/random/coin/odds_coin.h"

#include <mpfr.h>

#include "core/number/exp/exp_share.h"
#include "testlib/number.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static void digits_are_those_of_the_number(void)
{
	static const struct {
		const char *x, *ratio;
	} cases[] = {
		{"1", "1"}, {"0.001", "999"}, {"20", "1/7"}, {"700", "1"}, {"1e-12", "1e12"}};

	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		struct sotto_rational x = rational_of(cases[c].x),
				      r = rational_of(cases[c].ratio);
		mpz_t got, want;
		mpfr_t v;

		mpz_inits(got, want, NULL);
		mpfr_init2(v, 4000);
		mpfr_set_q(v, x.q, MPFR_RNDN);
		mpfr_neg(v, v, MPFR_RNDN);
		mpfr_exp(v, v, MPFR_RNDN);
		mpfr_mul_q(v, v, r.q, MPFR_RNDN);
		mpfr_add_ui(v, v, 1, MPFR_RNDN);
		mpfr_ui_div(v, 1, v, MPFR_RNDN);
		mpfr_mul_2ui(v, v, 1500, MPFR_RNDN);
		mpfr_get_z(want, v, MPFR_RNDD);
		sotto_share_floor(x.q, r.q, 1500, got);
		CHECK(mpz_cmp(got, want) == 0);
		mpz_fdiv_q_2exp(want, want, 1500 - 192);
		mpz_fdiv_r_2exp(want, want, 64);
		CHECK(mpz_get_ui(want) == sotto_share_word(x.q, r.q, 128));
		mpfr_clear(v);
		mpz_clears(got, want, NULL);
		sotto_rational_release(&x);
		sotto_rational_release(&r);
	}
}

/* For every 16-bit head the coin is what the digits say; a tie takes the next word. */
static void the_coin_compares_digit_by_digit(void)
{
	struct sotto_rational x = rational_of("0.7"), r = rational_of("3");
	struct sotto_odds_coin coin;
	long yes = 0;
	uint64_t tie[3];

	sotto_odds_coin_init(&coin, x.q, r.q);
	for (uint64_t head = 0; head < 1 << 16; head++) {
		const uint64_t word = head << 48 | UINT64_C(1) << 47;
		struct tape *t = tape_open(&word, sizeof word, 0);
		bool out = false;

		CHECK_INT(sotto_odds_coin_flip(&coin, &t->rng, &out), SOTTO_OK);
		yes += out;
		tape_close(t);
	}
	CHECK(fabs((double)yes - 65536 / (1 + 3 * exp(-0.7))) <= 1);
	for (int k = 0; k < 2; k++)
		tie[k] = sotto_share_word(x.q, r.q, 64 * (unsigned)k);
	for (int above = -1; above <= 1; above++) {
		struct tape *t;
		bool out = above > 0;
		enum sotto_status st;

		tie[2] = sotto_share_word(x.q, r.q, 128) + (uint64_t)(int64_t)above;
		t = tape_open(tie, sizeof tie, 0);
		st = sotto_odds_coin_flip(&coin, &t->rng, &out);
		CHECK_INT(st, above ? SOTTO_OK : SOTTO_EENTROPY); /* still tied at the end */
		CHECK_INT(out, above < 0);
		tape_close(t);
	}
	sotto_odds_coin_release(&coin);
	sotto_rational_release(&x);
	sotto_rational_release(&r);
}

int main(void)
{
	RUN(digits_are_those_of_the_number);
	RUN(the_coin_compares_digit_by_digit);
	return tap_done();
}
