/*
 * What an answer takes besides its integrals is bounded, or counted as steps: sums of long fractions, loss bounds, lists of
 * bounded-range events, and the shares that are told apart.
 *
 * Faults that were planted, each seen to fail: fractions rounded down (real.c, shorten_up), or never; the odds of a response
 * rounded to the nearest of 192 bits before their logarithm is taken (black_box.c); K of bounded-range events not counted
 * (renyi_curve.c); all steps for each of many totals (composition_totals.c).
 */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

#include "core/account/integral/real.h"
#include "sotto/account.h"
#include "testlib/accountant/accounting.h"
#include "testlib/tap.h"

/* 1/(2^400 + 2i + 1) */
static void set_long_fraction(mpq_t x, unsigned i)
{
	mpq_set_ui(x, 1, 1);
	mpz_ui_pow_ui(mpq_denref(x), 2, 400);
	mpz_add_ui(mpq_denref(x), mpq_denref(x), 2 * i + 1);
}

static void long_fractions_add_up_to_hardly_more_and_never_less(void)
{
	mpq_t sum, exact, x, slack;

	mpq_inits(sum, exact, x, slack, (mpq_ptr)0);
	for (unsigned i = 0; i < 60; i++) {
		set_long_fraction(x, i);
		sotto_real_add_up(sum, x, 1);
		mpq_add(exact, exact, x);
		CHECK(i > 8 || mpq_equal(sum, exact));
		CHECK(mpz_sizeinbase(mpq_denref(sum), 2) < 8000);
	}
	CHECK(mpq_cmp(sum, exact) > 0);
	mpq_div_2exp(slack, exact, 1900);
	mpq_add(exact, exact, slack);
	CHECK(mpq_cmp(sum, exact) < 0);
	mpq_clears(sum, exact, x, slack, (mpq_ptr)0);
}

static void equal_shares_of_decimals_stay_exact(void)
{
	mpq_t sum, x;

	mpq_inits(sum, x, (mpq_ptr)0);
	mpq_set_ui(x, 1, 1000003);
	for (unsigned i = 0; i < 1003; i++)
		sotto_real_add_up(sum, x, 997);
	mpq_set_ui(x, 999991, 1000003);
	CHECK(mpq_equal(sum, x));
	mpq_clears(sum, x, (mpq_ptr)0);
}

/* p = 1/2 + r: log(p/(1-p)) = 2 atanh(2r), which is next to 4r. */
static void odds_next_to_one_are_rounded_up(void)
{
	for (int i = 1; i < 40; i++) {
		struct sotto_account_answer a;
		struct sotto_rational none;
		struct sotto_workload *w;
		char text[400];
		mpfr_t r;

		(void)snprintf(text, sizeof text, "randomized-response(p=0.5%0190d)", 3 * i);
		w = workload_of(text);
		sotto_rational_init(&none);
		CHECK_INT(sotto_account_epsilon(w, &none, SOTTO_BASIC, &a), SOTTO_OK);
		mpfr_init2(r, 4000);
		mpfr_set_str(r, strchr(text, '=') + 1, 10, MPFR_RNDN);
		mpfr_sub_d(r, r, 0.5, MPFR_RNDN);
		mpfr_mul_2ui(r, r, 1, MPFR_RNDN);
		mpfr_atanh(r, r, MPFR_RNDN);
		mpfr_mul_2ui(r, r, 1, MPFR_RNDN);
		CHECK(mpfr_cmp_d(r, a.upper) <= 0);
		CHECK(mpfr_cmp_d(r, nextafter(a.upper, 0)) > 0);
		mpfr_clear(r);
		sotto_rational_release(&none);
		sotto_workload_free(w);
	}
}

/* What a method takes, and whether it has an answer. */
static double steps_of(const struct sotto_workload *w, enum sotto_method method, bool *finite)
{
	struct sotto_account_answer a = {.steps = 0};
	struct sotto_rational delta;

	sotto_rational_init(&delta);
	CHECK_INT(sotto_rational_set_ratio(&delta, 1, 1000000), SOTTO_OK);
	CHECK_INT(sotto_account_epsilon(w, &delta, method, &a), SOTTO_OK);
	sotto_rational_release(&delta);
	*finite = a.finite;
	return a.steps;
}

static struct sotto_workload *exponentials(int n)
{
	struct sotto_workload *w = workload_of("exponential(epsilon=1/3)");

	for (int i = 1; i < n; i++) {
		char text[80];

		(void)snprintf(text, sizeof text, "exponential(epsilon=0.%06d)", i);
		CHECK_INT(sotto_workload_add_text(w, text, NULL), SOTTO_OK);
	}
	return w;
}

static void long_lists_of_bounded_ranges_are_counted(void)
{
	struct sotto_workload *few = exponentials(100), *many = exponentials(40000);
	bool finite;

	CHECK(steps_of(few, SOTTO_RDP, &finite) > 100 * 5e3);
	CHECK(finite);
	CHECK(steps_of(many, SOTTO_BASIC, &finite) > 40000 * 100.0);
	CHECK(finite);
	(void)steps_of(many, SOTTO_RDP, &finite);
	CHECK(!finite);
	sotto_workload_free(few);
	sotto_workload_free(many);
}

static void a_part_of_the_steps_gives_a_larger_rho(void)
{
	struct sotto_workload *w =
		workload_of("sampled(rate=1/100, geometric(epsilon=1, sensitivity=3)*20)");
	struct sotto_totals alone, one_of_many;

	CHECK_INT(sotto_account_totals(w, 1, &alone), SOTTO_OK);
	CHECK_INT(sotto_account_totals(w, 100000, &one_of_many), SOTTO_OK);
	CHECK_INT(sotto_account_totals(w, 0, &alone), SOTTO_EINVAL);
	CHECK(one_of_many.epsilon == alone.epsilon);
	CHECK(one_of_many.rho > alone.rho);
	sotto_workload_free(w);
}

int main(void)
{
	RUN(long_fractions_add_up_to_hardly_more_and_never_less);
	RUN(equal_shares_of_decimals_stay_exact);
	RUN(odds_next_to_one_are_rounded_up);
	RUN(long_lists_of_bounded_ranges_are_counted);
	RUN(a_part_of_the_steps_gives_a_larger_rho);
	return tap_done();
}
