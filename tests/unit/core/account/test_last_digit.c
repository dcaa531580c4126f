/*
 * The last digit: what is rounded up is the least double that is not below the formula,
 * what is rounded down the greatest that is not above it.  The formulas are evaluated
 * here once more, with a thousand bits.
 */
#include <math.h>
#include <mpfr.h>

#include "testlib/accountant/closed_form.h"
#include "testlib/accountant/tradeoff.h"
#include "sotto/account.h"
#include "sotto/cost.h"
#include "testlib/accountant/accounting.h"
#include "testlib/number.h"
#include "testlib/tap.h"

enum { BITS = 1000, CASES = 40 };

/* Fractions that no double is equal to. */
static void fraction(struct sotto_rational *x, unsigned numerator, unsigned denominator)
{
	mpq_set_ui(x->q, numerator, denominator);
	mpq_canonicalize(x->q);
}

static bool is_least_above(double x, const mpfr_t exact)
{
	return mpfr_cmp_d(exact, x) <= 0 && mpfr_cmp_d(exact, nextafter(x, -INFINITY)) > 0;
}

static bool is_greatest_below(double x, const mpfr_t exact)
{
	return mpfr_cmp_d(exact, x) >= 0 && mpfr_cmp_d(exact, nextafter(x, INFINITY)) < 0;
}

static void log_of(mpfr_t out, const struct sotto_rational *x)
{
	mpfr_set_q(out, x->q, MPFR_RNDN);
	mpfr_log(out, out, MPFR_RNDN);
}

/* Values that every case needs. */
static struct {
	struct sotto_rational a, b, delta;
	mpfr_t x, y, z;
} v;

static void sums_are_rounded_up(void)
{
	struct sotto_workload *w = workload_of("approx(epsilon=1/7, delta=1/3000000)*5; "
					       "zcdp(rho=1/30)*3; pure(epsilon=1/3)");
	struct sotto_totals t;

	CHECK_INT(sotto_account_totals(w, 1, &t), SOTTO_OK);
	mpfr_set_ui(v.x, 5, MPFR_RNDN);
	mpfr_div_ui(v.x, v.x, 3000000, MPFR_RNDN);
	CHECK(is_least_above(t.delta, v.x));
	CHECK(is_least_above(t.rho_delta, v.x));
	sotto_workload_free(w);
	w = workload_of("zcdp(rho=1/30)*7");
	CHECK_INT(sotto_account_totals(w, 1, &t), SOTTO_OK);
	mpfr_set_ui(v.x, 7, MPFR_RNDN);
	mpfr_div_ui(v.x, v.x, 30, MPFR_RNDN);
	CHECK(is_least_above(t.rho, v.x));
	sotto_workload_free(w);
	w = workload_of("pure(epsilon=1/3)*5; pure(epsilon=1/7)*2");
	CHECK_INT(sotto_account_totals(w, 1, &t), SOTTO_OK);
	mpfr_set_ui(v.x, 41, MPFR_RNDN);
	mpfr_div_ui(v.x, v.x, 21, MPFR_RNDN);
	CHECK(is_least_above(t.epsilon, v.x));
	sotto_workload_free(w);
}

static void an_odometer_rounds_up(void)
{
	struct sotto_odometer o;
	struct sotto_cost c;

	sotto_cost_init(&c);
	fraction(&v.a, 1, 70);
	fraction(&v.delta, 1, 1000003);
	CHECK_INT(sotto_cost_set_pure(&c, &v.a), SOTTO_OK);
	CHECK_INT(sotto_odometer_init(&o, &v.delta), SOTTO_OK);
	for (unsigned i = 1; i <= 6; i++) { /* so few that their sum is the least bound */
		CHECK_INT(sotto_odometer_add(&o, &c), SOTTO_OK);
		mpfr_set_ui(v.x, i, MPFR_RNDN);
		mpfr_div_ui(v.x, v.x, 70, MPFR_RNDN);
		CHECK(is_least_above(sotto_odometer_epsilon_up(&o), v.x));
	}
	sotto_odometer_release(&o);
	sotto_cost_release(&c);
}

/* sqrt(2 (V+g) (log(1/delta) + log((V+g)/g)/2)) + V/2; g = 0: without the inner logarithm */
static void filter_formula(bool mixture)
{
	mpq_t sum;

	mpq_init(sum);
	log_of(v.x, &v.delta);
	mpfr_neg(v.x, v.x, MPFR_RNDN);
	mpq_set(sum, v.a.q);
	if (mixture) {
		mpq_add(sum, sum, v.b.q);
		mpfr_set_q(v.y, sum, MPFR_RNDN);
		mpfr_div_q(v.y, v.y, v.b.q, MPFR_RNDN);
		mpfr_log(v.y, v.y, MPFR_RNDN);
		mpfr_div_ui(v.y, v.y, 2, MPFR_RNDN);
		mpfr_add(v.x, v.x, v.y, MPFR_RNDN);
	}
	mpfr_mul_q(v.x, v.x, sum, MPFR_RNDN);
	mpfr_mul_ui(v.x, v.x, 2, MPFR_RNDN);
	mpfr_sqrt(v.x, v.x, MPFR_RNDN);
	mpfr_set_q(v.y, v.a.q, MPFR_RNDN);
	mpfr_div_ui(v.y, v.y, 2, MPFR_RNDN);
	mpfr_add(v.x, v.x, v.y, MPFR_RNDN);
	mpq_clear(sum);
}

static void filters_round_up(void)
{
	for (unsigned i = 1; i <= CASES; i++) {
		double epsilon;

		fraction(&v.a, i, 37);
		fraction(&v.b, 3, 10 + i);
		fraction(&v.delta, 1, 1000 * i + 7);
		CHECK_INT(sotto_filter_direct_up(&v.a, &v.delta, &epsilon), SOTTO_OK);
		filter_formula(false);
		CHECK(is_least_above(epsilon, v.x));
		CHECK_INT(sotto_odometer_mixture_up(&v.a, &v.b, &v.delta, &epsilon), SOTTO_OK);
		filter_formula(true);
		CHECK(is_least_above(epsilon, v.x));
	}
}

/* rho + 2 sqrt(rho log(1/delta)) */
static void the_older_zcdp_bound_rounds_up(void)
{
	for (unsigned i = 1; i <= CASES; i++) {
		double epsilon;

		fraction(&v.a, i, 41);
		fraction(&v.delta, 1, 999 * i + 4);
		CHECK_INT(sotto_closed_zcdp_up(&v.a, &v.delta, &epsilon), SOTTO_OK);
		log_of(v.x, &v.delta);
		mpfr_neg(v.x, v.x, MPFR_RNDN);
		mpfr_mul_q(v.x, v.x, v.a.q, MPFR_RNDN);
		mpfr_sqrt(v.x, v.x, MPFR_RNDN);
		mpfr_mul_ui(v.x, v.x, 2, MPFR_RNDN);
		mpfr_add_q(v.x, v.x, v.a.q, MPFR_RNDN);
		CHECK(is_least_above(epsilon, v.x));
	}
}

/* log(1 + tanh(e0/2) 8 (sqrt(s log(4/delta)) + s)), s = exp(e0)/n */
static void the_bound_by_clones_rounds_up(void)
{
	for (unsigned i = 1; i <= CASES; i++) {
		double epsilon;

		fraction(&v.a, i, 29);
		fraction(&v.delta, 1, 999 * i + 4);
		CHECK_INT(sotto_closed_shuffle_up(&v.a, 100000 + i, &v.delta, &epsilon),
			  SOTTO_OK);
		mpfr_set_q(v.x, v.a.q, MPFR_RNDN);
		mpfr_exp(v.y, v.x, MPFR_RNDN);
		mpfr_div_ui(v.y, v.y, 100000 + i, MPFR_RNDN);
		mpfr_div_ui(v.x, v.x, 2, MPFR_RNDN);
		mpfr_tanh(v.x, v.x, MPFR_RNDN);
		mpfr_set_ui(v.z, 4, MPFR_RNDN);
		mpfr_div_q(v.z, v.z, v.delta.q, MPFR_RNDN);
		mpfr_log(v.z, v.z, MPFR_RNDN);
		mpfr_mul(v.z, v.z, v.y, MPFR_RNDN);
		mpfr_sqrt(v.z, v.z, MPFR_RNDN);
		mpfr_add(v.z, v.z, v.y, MPFR_RNDN);
		mpfr_mul_ui(v.z, v.z, 8, MPFR_RNDN);
		mpfr_mul(v.x, v.x, v.z, MPFR_RNDN);
		mpfr_log1p(v.x, v.x, MPFR_RNDN);
		CHECK(is_least_above(epsilon, v.x));
	}
}

/* max(1 - delta - exp(epsilon) fpr, exp(-epsilon) (1 - delta - fpr)) */
static void what_a_test_misses_is_rounded_down(void)
{
	for (unsigned i = 1; i <= CASES; i++) {
		double fnr;
		mpq_t rest;

		fraction(&v.a, i, 29);
		fraction(&v.b, 1, 5 + i);
		fraction(&v.delta, 1, 999 * i + 4);
		CHECK_INT(sotto_closed_tradeoff_down(&v.a, &v.delta, &v.b, &fnr), SOTTO_OK);
		mpfr_set_q(v.x, v.a.q, MPFR_RNDN);
		mpfr_exp(v.x, v.x, MPFR_RNDN);
		mpfr_ui_div(v.y, 1, v.x, MPFR_RNDN);
		mpq_init(rest);
		mpq_set_ui(rest, 1, 1);
		mpq_sub(rest, rest, v.delta.q);
		mpfr_mul_q(v.x, v.x, v.b.q, MPFR_RNDN);
		mpfr_sub_q(v.x, v.x, rest, MPFR_RNDN);
		mpfr_neg(v.x, v.x, MPFR_RNDN);
		mpq_sub(rest, rest, v.b.q);
		mpfr_mul_q(v.y, v.y, rest, MPFR_RNDN);
		mpfr_max(v.x, v.x, v.y, MPFR_RNDN);
		CHECK(is_greatest_below(fnr, v.x));
		mpq_clear(rest);
	}
}

int main(void)
{
	sotto_rational_init(&v.a);
	sotto_rational_init(&v.b);
	sotto_rational_init(&v.delta);
	mpfr_inits2(BITS, v.x, v.y, v.z, (mpfr_ptr)0);
	RUN(sums_are_rounded_up);
	RUN(an_odometer_rounds_up);
	RUN(filters_round_up);
	RUN(the_older_zcdp_bound_rounds_up);
	RUN(the_bound_by_clones_rounds_up);
	RUN(what_a_test_misses_is_rounded_down);
	sotto_rational_release(&v.a);
	sotto_rational_release(&v.b);
	sotto_rational_release(&v.delta);
	mpfr_clears(v.x, v.y, v.z, (mpfr_ptr)0);
	return tap_done();
}
