/*
 * Mistakes that accountants have shipped, one test each.  (Counts that are ignored, and
 * merging of consecutive events only, are in test_properties.c; budgets that no longer
 * fit their equal shares, and filters that die of a refusal, in test_filter*.c.)
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <math.h>
#include <time.h>

#include "sotto/cost.h"
#include "testlib/accountant/accounting.h"
#include "testlib/number.h"
#include "testlib/accountant/oracle.h"
#include "testlib/tap.h"

/* "Upper bounds" below the truth from moderate delta on: round-off that nobody charged. */
static void upper_bounds_hold_far_down_the_tail(void)
{
	static const char *const deltas[] = {"1e-12", "1e-20", "1e-60", "1e-150"};
	struct oracle_event e = {ORACLE_PURE, "0.1", .count = 300};
	struct oracle *o = oracle_new(&e, 1, REMOVE);
	mpfr_t d, want;

	mpfr_inits2(192, d, want, (mpfr_ptr)0);
	for (int i = 0; i < 4; i++) {
		struct sotto_account_answer a =
			epsilon_at("pure(epsilon=0.1)*300", deltas[i], SOTTO_PLD);

		mpfr_set_str(want, deltas[i], 10, MPFR_RNDN);
		oracle_delta(o, a.upper, d);
		/* at 30, the sum of bounds, nothing is left but the oracle's own rounding */
		CHECK(mpfr_cmp(d, want) <= 0 ||
		      (a.upper == 30 && mpfr_cmp_ui_2exp(d, 1, -150) < 0));
		oracle_delta(o, a.lower, d);
		CHECK(mpfr_cmp(d, want) >= 0);
		CHECK(a.upper - a.lower < 1e-9 * a.upper);
	}
	mpfr_clears(d, want, (mpfr_ptr)0);
	oracle_free(o);
}

static void finer_laws_do_not_lose_mass(void)
{
	/* the finer the steps, the nearer to Laplace, which dominates them all */
	static const char *const steps[] = {"geometric(epsilon=0.1, sensitivity=1)*100",
					    "geometric(epsilon=0.1, sensitivity=10)*100",
					    "geometric(epsilon=0.1, sensitivity=100)*100",
					    "geometric(epsilon=0.1, sensitivity=1000)*100"};
	struct sotto_account_answer laplace =
		epsilon_at("laplace(epsilon=0.1)*100", "1e-9", SOTTO_PLD);
	double last = INFINITY;

	for (int i = 0; i < 4; i++) {
		struct sotto_account_answer a = epsilon_at(steps[i], "1e-9", SOTTO_PLD);

		CHECK(a.upper >= laplace.lower * (1 - 1e-12) && a.upper <= last);
		last = a.upper;
	}
	CHECK(last < laplace.upper * (1 + 1e-4));
}

static void epsilon_zero_gives_zero_and_no_nan(void)
{
	for (int m = 0; m < SOTTO_METHODS; m++) {
		CHECK(epsilon_at("pure(epsilon=0)*10;laplace(epsilon=0)", "1e-6",
				 (enum sotto_method)m)
			      .upper == 0);
		CHECK(epsilon_at("pure(epsilon=0)*10;pure(epsilon=0.5)", "1e-6",
				 (enum sotto_method)m)
			      .upper > 0.4);
	}
	CHECK(!isnan(delta_at("pure(epsilon=1)*3", "0", SOTTO_PLD).upper));
}

static void both_directions_count_and_are_composed_before_comparing(void)
{
	const char *events = "sampled(rate=.1, randomized-response(epsilon=1))*50";
	double remove_low, remove_up, add_low, add_up;
	struct sotto_account_answer a = epsilon_at(events, "1e-6", SOTTO_PLD);

	epsilon_one_way(events, "1e-6", REMOVE, &remove_low, &remove_up);
	epsilon_one_way(events, "1e-6", ADD, &add_low, &add_up);
	CHECK(a.upper == fmax(remove_up, add_up) && a.lower == fmax(remove_low, add_low));
	CHECK(remove_low > add_up + 0.5); /* either alone would be told from the other */
}

/* There are events whose worse direction changes along the curve. */
static void the_worse_direction_may_differ_from_delta_to_delta(void)
{
	const char *events = "sampled(rate=.5, approx(epsilon=0.1, delta=0.01))";
	struct oracle_event e = {ORACLE_APPROX, "0.1", "0.01", .rate = "0.5", .count = 1};

	for (int i = 0; i < 6; i++) {
		char epsilon[16];
		struct sotto_account_answer a;

		(void)snprintf(epsilon, sizeof epsilon, "%g", 0.2 * i + 0.03);
		a = delta_at(events, epsilon, SOTTO_PLD);
		CHECK(brackets(a.lower, oracle_worst_delta(&e, 1, atof(epsilon)),
			       a.upper * (1 + 1e-14), 1e-9));
	}
}

static void an_order_near_one_does_not_make_epsilon_zero(void)
{
	static const char *const deltas[] = {"0.05", "0.2", "0.5", "0.6"};

	for (int i = 0; i < 4; i++) {
		double truth = epsilon_at("gaussian(sigma=0.4)", deltas[i], SOTTO_PLD).lower;

		CHECK(truth > 0.5);
		CHECK(epsilon_at("gaussian(sigma=0.4)", deltas[i], SOTTO_RDP).upper > truth);
		CHECK(epsilon_at("gaussian(sigma=0.4)", deltas[i], SOTTO_ZCDP).upper > truth);
	}
}

static void the_best_order_is_not_at_the_end_of_a_list(void)
{
	/* alpha is about sqrt(log(1/delta)/rho): 1.5 to 10^7 */
	static const char *const rhos[] = {"zcdp(rho=100)", "zcdp(rho=1e-3)", "zcdp(rho=1e-7)",
					   "zcdp(rho=1e-13)"};

	for (int i = 0; i < 4; i++) {
		double rdp = epsilon_at(rhos[i], "1e-9", SOTTO_RDP).upper;
		double zcdp = epsilon_at(rhos[i], "1e-9", SOTTO_ZCDP).upper;

		CHECK_REL(rdp, zcdp, 1e-9);
	}
}

static void no_order_is_dropped_where_quadrature_is_hard(void)
{
	static const char *const hard[] = {"sampled(rate=1e-6, gaussian(sigma=0.1))*10",
					   "sampled(rate=0.5, gaussian(sigma=0.05))",
					   "sampled(rate=0.3, gaussian(sigma=0.01))*2",
					   "sampled(rate=1e-9, gaussian(sigma=0.04))",
					   "sampled(rate=0.999, gaussian(sigma=30))*10"};

	for (int i = 0; i < 5; i++) {
		struct sotto_account_answer pld = epsilon_at(hard[i], "1e-6", SOTTO_PLD);
		struct sotto_account_answer rdp = epsilon_at(hard[i], "1e-6", SOTTO_RDP);

		(void)tap_check(rdp.finite && rdp.upper >= pld.lower, __FILE__, __LINE__,
				"%s: rdp %g, pld at least %g", hard[i], rdp.upper, pld.lower);
	}
}

static double seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Quadratic time would be 10^24 steps: no such run would end. */
static void large_counts_neither_overflow_nor_take_quadratic_time(void)
{
	struct sotto_account_answer a =
		epsilon_at("pure(epsilon=0.001)*1000000", "1e-6", SOTTO_KOV);

	CHECK(a.finite && a.upper > 4.7 && a.upper < 5.5);
	a = epsilon_at("laplace(epsilon=1e-6)*1000000000000", "1e-6", SOTTO_PLD);
	CHECK(a.finite && a.upper > 4.8 && a.upper < 5.1); /* nearly Gaussian, mu = 1 */
	a = epsilon_at("pure(epsilon=5)*100000", "1e-6", SOTTO_KOV);
	CHECK(a.finite && a.upper > 4.9e5 && a.upper <= 5e5);
}

static void answers_are_found_outside_any_fixed_bracket(void)
{
	CHECK(epsilon_at("gaussian(sigma=1e-3)", "1e-6", SOTTO_PLD).upper > 5e5);
	CHECK(epsilon_at("gaussian(sigma=1e9)", "1e-12", SOTTO_PLD).upper < 1e-6);
	CHECK(epsilon_at("laplace(epsilon=50000)*3", "1e-9", SOTTO_PLD).lower > 149000);
	CHECK(epsilon_at("gaussian(sigma=1e7)", "1e-9", SOTTO_PLD).upper > 0);
}

static void memory_stays_small_for_tiny_epsilon_and_huge_sigma(void)
{
	static const char *const wide[] = {"laplace(epsilon=1e-7)*3",
					   "discrete-gaussian(sigma=1e6)*3",
					   "geometric(epsilon=1e-5, sensitivity=1000000)*3",
					   "gaussian(sigma=1e12)",
					   "discrete-gaussian(sigma=0.05)*3",
					   "sampled(rate=1e-9, gaussian(sigma=50))*100"};
	struct rusage use;

	for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
		struct sotto_account_answer a = epsilon_at(wide[i], "1e-9", SOTTO_PLD);

		(void)tap_check(a.finite && a.lower <= a.upper, __FILE__, __LINE__,
				"%s: %g to %g", wide[i], a.lower, a.upper);
	}
	(void)getrusage(RUSAGE_SELF, &use);
	if (!getenv("SOTTO_VARIANT") || strcmp(getenv("SOTTO_VARIANT"), "asan") != 0)
		CHECK(use.ru_maxrss < 100 * 1024);
}

/* mu = q sqrt(k (e^(1/sigma^2) - 1)) is on the unsafe side here. */
static void the_limit_theorem_is_not_printed_as_epsilon(void)
{
	double mu = 0.01 * sqrt(1000 * expm1(1));
	char event[48];
	double clt;

	(void)snprintf(event, sizeof event, "gaussian(sigma=%.15g)", 1 / mu);
	clt = epsilon_at(event, "1e-5", SOTTO_PLD).upper;
	CHECK(clt < 1.7);
	CHECK(epsilon_at("sampled(rate=.01, gaussian(sigma=1))*1000", "1e-5", SOTTO_PLD).lower >
	      clt);
	CHECK(epsilon_at("sampled(rate=.01, gaussian(sigma=1))*1000", "1e-5", SOTTO_RDP).upper >
	      clt);
}

static void the_conversion_of_zcdp_is_not_the_loose_one(void)
{
	double loose = 0.5 + 2 * sqrt(0.5 * log(1e6));

	CHECK(epsilon_at("zcdp(rho=0.5)", "1e-6", SOTTO_ZCDP).upper < loose - 0.5);
}

static void the_optimum_is_not_the_grid_of_its_theorem(void)
{
	double grid = 4.8; /* the least multiple of 2 epsilon whose delta is small enough */

	CHECK(epsilon_at("pure(epsilon=0.1)*100", "1e-6", SOTTO_KOV).upper < grid - 0.02);
}

/* 1 - (1-x)^k is not k x (1-x), nor k x. */
static void equal_and_nearly_equal_events_agree(void)
{
	const char *equal = "approx(epsilon=0.2, delta=0.01)*6";
	const char *nearly = "approx(epsilon=0.2, delta=0.01)*3;"
			     "approx(epsilon=0.2000000000001, delta=0.0100000000001)*3";

	for (int m = 0; m < SOTTO_METHODS; m++) {
		struct sotto_account_answer a, b;

		a = epsilon_at(equal, "0.08", (enum sotto_method)m);
		b = epsilon_at(nearly, "0.08", (enum sotto_method)m);
		CHECK(a.finite && b.finite);
		CHECK_REL(a.upper, b.upper, 1e-8);
	}
	CHECK(epsilon_at(equal, "0.0585199", SOTTO_KOV).finite); /* 0.058519850599 */
	CHECK(!epsilon_at(equal, "0.0585198", SOTTO_KOV).finite);
}

/* Processor time that 5000 more releases take. */
static double seconds_of_more(struct sotto_odometer *o, const struct sotto_cost *c)
{
	double start = seconds();

	for (int i = 0; i < 5000; i++)
		CHECK_INT(sotto_odometer_add(o, c), SOTTO_OK);
	return seconds() - start;
}

static void an_odometer_does_not_rescan_its_history(void)
{
	struct sotto_rational d = rational_of("1e-6"), e = rational_of("0.001");
	struct sotto_odometer o;
	struct sotto_cost c;
	double first, last = INFINITY;

	sotto_cost_init(&c);
	CHECK_INT(sotto_cost_set_pure(&c, &e), SOTTO_OK);
	CHECK_INT(sotto_odometer_init(&o, &d), SOTTO_OK);
	first = seconds_of_more(&o, &c);
	for (int i = 0; i < 200000; i++)
		CHECK_INT(sotto_odometer_add(&o, &c), SOTTO_OK);
	for (int i = 0; i < 10; i++) /* the quickest of ten: a busy machine slows down some */
		last = fmin(last, seconds_of_more(&o, &c));
	CHECK(last < 10 * first + 0.02); /* 42 times as long a history */
	sotto_odometer_release(&o);
	sotto_cost_release(&c);
	sotto_rational_release(&d);
	sotto_rational_release(&e);
}

/* One vector answer is one event, with the sensitivity of the vector. */
static void one_release_is_one_event(void)
{
	double vector =
		epsilon_at("laplace(scale=10, sensitivity=20)", "1e-6", SOTTO_PLD).upper;
	double entries = epsilon_at("laplace(scale=10)*20", "1e-6", SOTTO_PLD).upper;

	CHECK_REL(vector, 2, 1e-5);
	CHECK(entries < vector - 0.01); /* entering it as 20 independent ones claims less */
}

/* Removing a person under fixed-size sampling is another relation: there is no event for it. */
static void fixed_size_sampling_cannot_be_taken_for_poisson(void)
{
	struct sotto_workload *w = NULL;
	struct sotto_error err = {""};

	CHECK_INT(sotto_workload_new(&w), SOTTO_OK);
	CHECK_INT(sotto_workload_set_neighbours(w, SOTTO_REPLACE, &err), SOTTO_OK);
	CHECK_INT(sotto_workload_add_text(w, "sampled(rate=0.1, gaussian(sigma=1))", &err),
		  SOTTO_EINVAL);
	CHECK(strstr(err.text, "Poisson") != NULL);
	sotto_workload_free(w);
}

static void shuffling_reports_both_ends_of_its_bracket(void)
{
	struct oracle_event e = {ORACLE_SHUFFLE, "1", .n = 60, .count = 1};

	for (int i = 1; i < 8; i++) {
		char epsilon[16];
		struct sotto_account_answer a;

		(void)snprintf(epsilon, sizeof epsilon, "%g", 0.125 * i);
		a = delta_at("shuffle(n=60, epsilon0=1)", epsilon, SOTTO_PLD);
		CHECK(brackets(a.lower, oracle_worst_delta(&e, 1, atof(epsilon)), a.upper,
			       1e-9));
	}
}

int main(void)
{
	RUN(upper_bounds_hold_far_down_the_tail);
	RUN(finer_laws_do_not_lose_mass);
	RUN(epsilon_zero_gives_zero_and_no_nan);
	RUN(both_directions_count_and_are_composed_before_comparing);
	RUN(the_worse_direction_may_differ_from_delta_to_delta);
	RUN(an_order_near_one_does_not_make_epsilon_zero);
	RUN(the_best_order_is_not_at_the_end_of_a_list);
	RUN(no_order_is_dropped_where_quadrature_is_hard);
	RUN(large_counts_neither_overflow_nor_take_quadratic_time);
	RUN(answers_are_found_outside_any_fixed_bracket);
	RUN(memory_stays_small_for_tiny_epsilon_and_huge_sigma);
	RUN(the_limit_theorem_is_not_printed_as_epsilon);
	RUN(the_conversion_of_zcdp_is_not_the_loose_one);
	RUN(the_optimum_is_not_the_grid_of_its_theorem);
	RUN(equal_and_nearly_equal_events_agree);
	RUN(an_odometer_does_not_rescan_its_history);
	RUN(one_release_is_one_event);
	RUN(fixed_size_sampling_cannot_be_taken_for_poisson);
	RUN(shuffling_reports_both_ends_of_its_bracket);
	return tap_done();
}
