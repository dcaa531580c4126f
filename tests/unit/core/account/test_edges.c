/* The ends of every range: no noise, no events, no delta, all of delta, and beyond doubles. */
#include <math.h>
#include <stdlib.h>

#include "testlib/accountant/accounting.h"
#include "testlib/effort.h"
#include "testlib/number.h"
#include "testlib/tap.h"

static const char *const pure_events[] = {"pure(epsilon=0.5)*3",
					  "laplace(epsilon=0.5)*3",
					  "geometric(epsilon=0.5, sensitivity=2)*3",
					  "exponential(epsilon=0.5)*3",
					  "permute-and-flip(epsilon=0.5)*3",
					  "randomized-response(epsilon=0.5, k=4)*3",
					  "group(k=3, pure(epsilon=0.5))",
					  "parallel(pure(epsilon=1.5), pure(epsilon=1))"};

static const char *const other_events[] = {"gaussian(sigma=2)",
					   "discrete-gaussian(sigma=2)",
					   "zcdp(rho=0.1)",
					   "approx(epsilon=0.5, delta=1e-9)",
					   "sampled(rate=0.1, gaussian(sigma=2))",
					   "shuffle(n=1000, epsilon0=1)"};

enum { PURES = sizeof pure_events / sizeof pure_events[0] };
enum { OTHERS = sizeof other_events / sizeof other_events[0] };

static void without_delta_only_pure_events_are_finite(void)
{
	for (int i = 0; i < PURES; i++) {
		struct sotto_account_answer a = epsilon_at(pure_events[i], "0", SOTTO_PLD);

		CHECK(epsilon_at(pure_events[i], "0", SOTTO_BASIC).upper == 1.5);
		(void)tap_check(brackets(a.lower, 1.5, a.upper, 1e-12), __FILE__, __LINE__,
				"%s: %.17g to %.17g", pure_events[i], a.lower, a.upper);
	}
	for (int i = 0; i < OTHERS - 1; i++)
		for (int m = 0; m < SOTTO_METHODS; m++) {
			struct sotto_account_answer a =
				epsilon_at(other_events[i], "0", (enum sotto_method)m);

			(void)tap_check(!a.finite && a.reason && isinf(a.upper), __FILE__,
					__LINE__, "%s by %s: %g", other_events[i],
					sotto_method_name(a.method), a.upper);
		}
}

/* n users with local epsilon 1 are never worse than one of them alone. */
static void shuffling_without_delta_costs_the_local_epsilon(void)
{
	struct sotto_account_answer a = epsilon_at(other_events[OTHERS - 1], "0", SOTTO_PLD);

	CHECK(!a.finite || (a.upper >= 1 && a.lower <= 1));
}

static void a_delta_that_is_no_probability_is_refused(void)
{
	static const char *const large[] = {"1", "1.5", "1e9"};
	struct sotto_workload *w = workload_of("gaussian(sigma=1)");
	struct sotto_account_answer a;

	for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
		struct sotto_rational delta = rational_of(large[i]);

		for (int m = 0; m < SOTTO_METHODS; m++)
			CHECK_INT(sotto_account_epsilon(w, &delta, (enum sotto_method)m, &a),
				  SOTTO_EINVAL);
		CHECK_INT(sotto_account_best_epsilon(w, &delta, &a), SOTTO_EINVAL);
		sotto_rational_release(&delta);
	}
	sotto_workload_free(w);
}

/*
 * A group's bound that is cut off at 1 has a concave kink at epsilon 0, which no law has: the hull is composed, and both sides
 * are sharp.  Twice an event costs more than once, and not more than twice the sum.
 */
static void a_group_that_is_cut_off_at_1_is_composed_sharply(void)
{
	static const char *const deltas[] = {"0.5", "1e-6"};

	for (size_t i = 0; i < 2; i++) {
		struct sotto_account_answer
			one = epsilon_at("group(k=4,sampled(rate=0.5,gaussian(sigma=0.5)))",
					 deltas[i], SOTTO_PLD),
			two = epsilon_at("group(k=4,sampled(rate=0.5,gaussian(sigma=0.5)))*2",
					 deltas[i], SOTTO_PLD);

		CHECK(two.lower > one.upper && two.lower < 2.2 * one.lower);
		CHECK(two.lower <= two.upper && two.upper - two.lower <= 1e-6 * two.upper);
	}
}

/*
 * The sum of the loss bounds is a bound, exactly; and the two sides never cross, also where a bound is
 * not convex (a black-box group) or uses up the smallest doubles.
 */
static void sides_do_not_cross_and_stop_at_the_sum_of_bounds(void)
{
	static const char *const events[] = {
		"group(k=4,sampled(rate=.01,gaussian(sigma=4)))*2",
		"group(k=3,sampled(rate=.1,laplace(epsilon=1)))*3",
		"discrete-gaussian(sigma=0.3)*2;pure(epsilon=1.3)",
		"parallel(gaussian(sigma=1),laplace(epsilon=3))*2"};
	static const char *const deltas[] = {"1e-6", "1e-300"};
	size_t many = effort() == EFFORT_SANITIZED ? 1 : 2;

	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
		for (size_t j = 0; j < many; j++) {
			struct sotto_account_answer a =
				epsilon_at(events[i], deltas[j], SOTTO_PLD);

			CHECK(a.finite && a.lower <= a.upper);
			CHECK(a.upper - a.lower <= 1e-3 * (1 + a.upper));
		}
	for (int m = 0; m < SOTTO_METHODS; m++)
		if (m == SOTTO_BASIC || m == SOTTO_KOV || m == SOTTO_RDP || m == SOTTO_PLD)
			CHECK(epsilon_at("pure(epsilon=800)*2", "1e-300", (enum sotto_method)m)
				      .upper == 1600);
}

/* Atoms far below the smallest double, and a tilt at which all atoms are small. */
static void a_narrow_discrete_gaussian_keeps_its_atoms(void)
{
	static const struct {
		const char *event;
		double truth; /* log(1 - 1e-6) below the loss of the middle atom */
	} cases[] = {{"discrete-gaussian(sigma=0.03)", 555.55555455555505},
		     {"discrete-gaussian(sigma=0.0404)", 306.34251443966216},
		     {"discrete-gaussian(sigma=0.02)", 1249.9999989999995},
		     {"discrete-gaussian(sigma=0.001)", 499999.999998999999}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (int m = 0; m < SOTTO_METHODS; m++) {
			struct sotto_account_answer a =
				epsilon_at(cases[i].event, "1e-6", (enum sotto_method)m);

			CHECK(a.upper >= cases[i].truth * (1 - 1e-15));
			CHECK(a.lower <= cases[i].truth * (1 + 1e-15));
			CHECK(m != SOTTO_PLD || a.upper - a.lower < 1e-10 * cases[i].truth);
		}
}

/* Everything that can be read has an answer after a bounded number of steps; these took minutes. */
static void extreme_parameters_get_an_answer(void)
{
	static const char *const events[] = {
		"shuffle(n=9007199254740992, epsilon0=1)",
		"geometric(epsilon=1, sensitivity=9007199254740992)",
		"sampled(rate=1e-300, gaussian(sigma=1))*10",
		"discrete-gaussian(sigma=0.001)*2000",
		"sampled(rate=1e-9, permute-and-flip(epsilon=0.1)*100)*1000000",
		"randomized-response(p=0.9, k=20)*9007199254740992",
		"sampled(rate=8.2e-155, pure(epsilon=2.59e-5))*9007199254740991",
		"group(k=7, geometric(epsilon=1000, sensitivity=1000000000)*3)*100"};

	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
		struct sotto_account_answer a = epsilon_at(events[i], "1e-6", SOTTO_PLD);

		CHECK(a.finite ? a.lower <= a.upper : a.reason != NULL);
	}
}

/* Where log delta falls at once, the search must not stop on the edge; 5/(2 sigma^2), and more. */
static void a_cliff_is_found_to_all_digits(void)
{
	static const struct {
		const char *event, *delta;
		double truth;
	} cases[] = {{"discrete-gaussian(sigma=0.03)*3", "1e-300", 2777.7777777777778},
		     {"discrete-gaussian(sigma=0.03)*2000", "1e-300", 1112222.2222222222},
		     {"pure(epsilon=201)", "7.27e-15", 201}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_account_answer a =
			epsilon_at(cases[i].event, cases[i].delta, SOTTO_PLD);

		CHECK(brackets(a.lower, cases[i].truth, a.upper * (1 + 1e-15), 1e-10));
	}
}

/* Losses that are lost beside a mass of 1/2 count: two cells, twice, cost twice the larger one. */
static void tiny_cells_are_not_free(void)
{
	static const struct {
		const char *event;
		double truth;
	} cases[] = {
		{"parallel(pure(epsilon=1e-20), geometric(epsilon=2e-20, sensitivity=3))*2",
		 4e-20},
		{"parallel(pure(epsilon=1e-40), geometric(epsilon=2e-40, sensitivity=3))*2",
		 4e-40},
		{"parallel(pure(epsilon=1e-45), geometric(epsilon=2e-45, sensitivity=3))*2",
		 4e-45},
		{"parallel(pure(epsilon=3), geometric(epsilon=2e-45, sensitivity=3))*2", 6}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_account_answer a = epsilon_at(cases[i].event, "1e-300", SOTTO_PLD);

		CHECK(a.finite && a.lower <= cases[i].truth * (1 + 1e-15) &&
		      a.upper >= cases[i].truth * (1 - 1e-15));
	}
}

/* k people move a geometric answer k times as far, and make k reports. */
static void a_group_is_carried_into_its_mechanism(void)
{
	static const char *const same[][2] = {
		{"group(k=4, geometric(epsilon=.5))", "geometric(epsilon=2, sensitivity=4)"},
		{"group(k=2, group(k=2, geometric(epsilon=.5)))",
		 "geometric(epsilon=2, sensitivity=4)"},
		{"group(k=3, randomized-response(epsilon=1))",
		 "randomized-response(epsilon=1)*3"},
		{"group(k=3, randomized-response(p=.7))", "randomized-response(p=.7)*3"}};

	for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
		struct sotto_account_answer a = epsilon_at(same[i][0], ".01", SOTTO_PLD);
		struct sotto_account_answer b = epsilon_at(same[i][1], ".01", SOTTO_PLD);

		CHECK(a.upper == b.upper && a.lower == b.lower);
	}
}

/* The least delta is 1e-300: there every bound holds, below it there is none. */
static void delta_is_supported_down_to_its_edge(void)
{
	static const char *const events[] = {
		"gaussian(sigma=1)", "group(k=4,sampled(rate=.01,gaussian(sigma=4)))*2",
		"parallel(gaussian(sigma=1),laplace(epsilon=3))*2", "laplace(epsilon=1)*3"};
	static const char *const small[] = {"9.999e-301", "1e-308", "1e-330", "1e-1000"};

	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
		struct sotto_workload *w = workload_of(events[i]);
		struct sotto_account_answer a;

		/* the sanitizers have seen the others' way at a larger delta */
		if (i % 3 == 0 || effort() != EFFORT_SANITIZED || getenv("SOTTO_LONG")) {
			a = epsilon_of(w, "1e-300", SOTTO_PLD);
			CHECK(a.finite && a.lower <= a.upper);
		}
		for (size_t j = 0; j < sizeof small / sizeof small[0]; j++) {
			struct sotto_rational delta = rational_of(small[j]);

			CHECK_INT(sotto_account_epsilon(w, &delta, SOTTO_PLD, &a),
				  SOTTO_ERANGE);
			sotto_rational_release(&delta);
		}
		sotto_workload_free(w);
	}
}

static void nothing_costs_nothing(void)
{
	static const char *const free_events[] = {"gaussian(sigma=1)*0",
						  "pure(epsilon=0)*5",
						  "approx(epsilon=0, delta=0)",
						  "zcdp(rho=0)",
						  "laplace(epsilon=0)*3",
						  "sampled(rate=0, gaussian(sigma=1))*9",
						  "gaussian(sigma=1, sensitivity=0)",
						  "randomized-response(p=1/2)",
						  "randomized-response(p=1/5, k=5)",
						  "parallel(pure(epsilon=0), zcdp(rho=0))",
						  "group(k=3, laplace(epsilon=0))",
						  "shuffle(n=5, epsilon0=0)",
						  "geometric(scale=2, sensitivity=0)",
						  "exponential(epsilon=0)",
						  "sampled(rate=0.3, pure(epsilon=1)*0)"};

	for (size_t i = 0; i < sizeof free_events / sizeof free_events[0]; i++)
		for (int m = 0; m < SOTTO_METHODS; m++) {
			struct sotto_account_answer e =
				epsilon_at(free_events[i], "0", (enum sotto_method)m);
			struct sotto_account_answer d =
				delta_at(free_events[i], "0", (enum sotto_method)m);

			(void)tap_check(e.finite && e.upper == 0 && d.finite && d.upper == 0,
					__FILE__, __LINE__, "%s by %s: %g, %g", free_events[i],
					sotto_method_name(e.method), e.upper, d.upper);
		}
}

static void no_noise_is_infinite(void)
{
	static const char *const bare[] = {
		"gaussian(sigma=0)",  "laplace(scale=0)",         "discrete-gaussian(sigma=0)",
		"geometric(scale=0)", "randomized-response(p=1)", "approx(epsilon=0, delta=1)"};

	for (size_t i = 0; i < sizeof bare / sizeof bare[0]; i++)
		for (int m = 0; m < SOTTO_METHODS; m++) {
			struct sotto_account_answer a =
				epsilon_at(bare[i], "0.999", (enum sotto_method)m);

			(void)tap_check(!a.finite && isinf(a.upper), __FILE__, __LINE__,
					"%s by %s: %g", bare[i], sotto_method_name(a.method),
					a.upper);
		}
}

static void no_epsilon_overflows(void)
{
	static const char *const huge[] = {"pure(epsilon=1000)*1000",
					   "laplace(epsilon=710)*3",
					   "randomized-response(epsilon=2000, k=7)",
					   "geometric(epsilon=1e6, sensitivity=3)*1000",
					   "sampled(rate=1e-9, pure(epsilon=5000))*10",
					   "gaussian(sigma=1e-4)",
					   "exponential(epsilon=1e5)*9",
					   "pure(epsilon=1e-300)*1000",
					   "laplace(epsilon=1e-200)",
					   "gaussian(sigma=1e200)",
					   "zcdp(rho=1e8)"};

	for (size_t i = 0; i < sizeof huge / sizeof huge[0]; i++)
		for (int m = 0; m < SOTTO_METHODS; m++) {
			struct sotto_account_answer a =
				epsilon_at(huge[i], "1e-9", (enum sotto_method)m);

			if (m == SOTTO_ADVANCED || (m == SOTTO_PLD && strstr(huge[i], "zcdp")))
				continue; /* e^epsilon by its formula, or none */
			(void)tap_check(a.finite && a.upper >= 0 && isfinite(a.upper) &&
						a.lower <= a.upper,
					__FILE__, __LINE__, "%s by %s: %g (%s)", huge[i],
					sotto_method_name(a.method), a.upper,
					a.finite ? "" : a.reason);
		}
}

static void answers_are_finite_down_to_tiny_deltas(void)
{
	for (int i = 0; i < OTHERS; i++)
		for (int m = 0; m < SOTTO_METHODS; m++) {
			struct sotto_account_answer a;

			if (strstr(other_events[i], "approx") ||
			    (m == SOTTO_PLD && strstr(other_events[i], "zcdp")))
				continue;
			a = epsilon_at(other_events[i], "1e-300", (enum sotto_method)m);
			(void)tap_check(a.finite && a.upper > 0, __FILE__, __LINE__,
					"%s by %s: %g", other_events[i],
					sotto_method_name(a.method), a.upper);
		}
}

static void a_delta_below_that_of_the_events_is_infinite(void)
{
	/* 1 - (1 - 0.01)^5 = 0.0490099501 */
	const char *events = "approx(epsilon=0.5, delta=0.01)*5";

	CHECK(!epsilon_at(events, "0.04900995", SOTTO_PLD).finite);
	CHECK(!epsilon_at(events, "0.04900995", SOTTO_KOV).finite);
	CHECK(epsilon_at(events, "0.0490099502", SOTTO_PLD).finite);
	CHECK(epsilon_at(events, "0.0490099502", SOTTO_KOV).finite);
	CHECK(!epsilon_at(events, "0.0499999", SOTTO_BASIC).finite);
	CHECK(epsilon_at(events, "0.05", SOTTO_BASIC).upper == 2.5);
}

static void rate_one_is_the_event_itself(void)
{
	static const char *const inner[] = {"gaussian(sigma=2)", "laplace(epsilon=0.4)",
					    "approx(epsilon=0.4, delta=1e-7)",
					    "geometric(epsilon=1, sensitivity=3)"};
	char text[96];

	for (int i = 0; i < 4; i++)
		for (int m = 0; m < SOTTO_METHODS; m++) {
			struct sotto_account_answer a, b;

			(void)snprintf(text, sizeof text, "sampled(rate=1, %s)*6", inner[i]);
			a = epsilon_at(text, "1e-5", (enum sotto_method)m);
			(void)snprintf(text, sizeof text, "%s*6", inner[i]);
			b = epsilon_at(text, "1e-5", (enum sotto_method)m);
			CHECK(a.finite == b.finite && a.upper == b.upper && a.lower == b.lower);
		}
}

/* Where epsilon reaches the sum of all loss bounds, the sum being one no double holds. */
/* Replacing a unit moves it from one cell to another: both pay, rho and delta. */
static void cells_under_replacement_cost_the_two_largest(void)
{
	/* none is worse than all others in every respect, so that nothing can be left out */
	static const char deltas[] = "parallel(approx(epsilon=.2, delta=1e-6), "
				     "approx(epsilon=.1, delta=2e-6), "
				     "approx(epsilon=.3, delta=1e-7))";
	static const char rhos[] = "parallel(pure(epsilon=.1), zcdp(rho=.01), zcdp(rho=.3))";
	struct sotto_workload *w = workload_under(deltas, SOTTO_REPLACE);

	CHECK(!epsilon_of(w, "2.9e-6", SOTTO_ZCDP).finite);
	CHECK(epsilon_of(w, "3.1e-6", SOTTO_ZCDP).finite);
	CHECK(!epsilon_of(w, "2.9e-6", SOTTO_BASIC).finite);
	CHECK_REL(epsilon_of(w, "3.1e-6", SOTTO_BASIC).upper, .5, 1e-9);
	sotto_workload_free(w);
	w = workload_under(rhos, SOTTO_REPLACE);
	CHECK_REL(epsilon_of(w, "1e-6", SOTTO_ZCDP).upper,
		  epsilon_at("zcdp(rho=.31)", "1e-6", SOTTO_ZCDP).upper, 1e-9);
	sotto_workload_free(w);
	w = workload_under(rhos, SOTTO_ADD_REMOVE);
	CHECK_REL(epsilon_of(w, "1e-6", SOTTO_ZCDP).upper,
		  epsilon_at("zcdp(rho=.3)", "1e-6", SOTTO_ZCDP).upper, 1e-9);
	sotto_workload_free(w);
}

static void delta_at_the_sum_of_loss_bounds_is_exact(void)
{
	static const char *const tops[][2] = {
		{"pure(epsilon=0.1)*3", "0.3"},
		{"laplace(epsilon=1/3)*7", "7/3"},
		{"geometric(epsilon=0.7, sensitivity=3)*3", "2.1"},
		{"group(k=2, pure(epsilon=0.1))", "0.2"},
		{"parallel(pure(epsilon=.1), pure(epsilon=.2))", "0.2"}};
	static const enum sotto_method exact[] = {SOTTO_BASIC, SOTTO_KOV, SOTTO_RDP, SOTTO_PLD};

	for (int i = 0; i < 5; i++)
		for (int m = 0; m < 4; m++) {
			struct sotto_account_answer a =
				delta_at(tops[i][0], tops[i][1], exact[m]);

			(void)tap_check(a.finite && a.upper == 0 && isinf(a.log_upper),
					__FILE__, __LINE__, "%s by %s: %g", tops[i][0],
					sotto_method_name(exact[m]), a.upper);
		}
	CHECK(delta_at("pure(epsilon=0.1)*3", "0.29999", SOTTO_PLD).lower > 1e-6);
	CHECK(!delta_at("pure(epsilon=0.1)*3", "0.29999999999999999999", SOTTO_BASIC).finite);
}

/* Its sides are 0 and the smallest double, since it lies between them. */
static void a_delta_below_the_smallest_double_is_between_it_and_zero(void)
{
	struct sotto_account_answer a = delta_at("gaussian(sigma=1)", "60", SOTTO_PLD);

	CHECK(a.upper == 0x1p-1074 && a.lower == 0);
	CHECK(a.log_lower <= -1779.2333908700932 && a.log_upper >= -1779.2333908700933);
	CHECK(a.log_upper - a.log_lower < 1e-9);
}

static void events_of_one_user_or_answer_are_the_local_ones(void)
{
	struct sotto_account_answer a =
		epsilon_at("shuffle(n=1, epsilon0=1)", "1e-6", SOTTO_PLD);
	struct sotto_account_answer b = epsilon_at("pure(epsilon=1)", "1e-6", SOTTO_PLD);

	CHECK(a.lower <= b.upper && b.lower <= a.upper);
	CHECK_REL(a.upper, b.upper, 1e-9);
	a = epsilon_at("geometric(epsilon=0.3)*9", "1e-6", SOTTO_PLD);
	b = epsilon_at("randomized-response(epsilon=0.3)*9", "1e-6", SOTTO_PLD);
	CHECK(a.upper == b.upper && a.lower == b.lower);
}

/* Above the largest double an epsilon is not infinite, and the answer says so. */
static void what_no_double_holds_is_not_called_infinite(void)
{
	static const char *const huge[] = {"gaussian(sigma=1e-300)", "pure(epsilon=1e308)*10"};

	for (size_t i = 0; i < 2; i++)
		for (int m = 0; m < SOTTO_METHODS; m++) {
			struct sotto_account_answer a =
				epsilon_at(huge[i], "1e-6", (enum sotto_method)m);

			CHECK(!a.finite && isinf(a.upper));
			CHECK_STR(a.reason, "no bound below the largest double, 1.8e308");
		}
	CHECK_STR(epsilon_at("gaussian(sigma=1)", "0", SOTTO_BASIC).reason,
		  "infinite at this delta");
	CHECK_STR(epsilon_at("approx(epsilon=1, delta=1e-3)", "1e-6", SOTTO_PLD).reason,
		  "infinite at this delta");
}

/*
 * delta of one Laplace event at epsilon0 - gap is gap/2 to first order, so here half an ulp of
 * epsilon is a per cent of it: the low side must not come from an epsilon rounded down.
 */
static void a_decimal_epsilon_between_two_doubles_is_bounded_on_both_sides(void)
{
	static const char *const places[] = {"0.99999999999999005", "0.99999999999998995",
					     "0.99999999999999003"};
	static const double deltas[] = {4.975e-15, 5.025e-15, 4.985e-15};

	for (size_t i = 0; i < 3; i++) {
		struct sotto_account_answer a =
			delta_at("laplace(epsilon=1)", places[i], SOTTO_PLD);

		CHECK(a.lower <= deltas[i] * (1 + 1e-12) && deltas[i] * (1 - 1e-12) <= a.upper);
	}
}

/* log delta is -1e35 and less: as a fraction such a delta would fill the memory. */
static void noise_far_too_large_for_any_delta_has_a_bound_by_every_theorem(void)
{
	static const char *const noises[] = {"gaussian(sigma=9007199254740992)",
					     "gaussian(sigma=2.344e8)*3",
					     "sampled(rate=1e-9, gaussian(sigma=1e12))"};

	for (int i = 0; i < 3; i++)
		for (int m = 0; m < SOTTO_METHODS; m++) {
			struct sotto_account_answer a =
				delta_at(noises[i], "154.2", (enum sotto_method)m);

			(void)tap_check(a.finite && a.log_upper < -1e4, __FILE__, __LINE__,
					"%s by %s: %g", noises[i], sotto_method_name(a.method),
					a.log_upper);
		}
}

/* Of disjoint cells the largest divergence counts at every order; where one is the largest at all, it alone. */
static void cells_cost_the_largest_renyi_curve(void)
{
	static const char *const
		one = "sampled(rate=0.01, gaussian(sigma=1))*7",
		*const cells = "parallel(sampled(rate=0.01, gaussian(sigma=1)), "
			       "laplace(epsilon=0.001))*7",
		*const crossed = "parallel(laplace(epsilon=0.1), gaussian(sigma=15))*100";
	double alone = epsilon_at(one, "1e-6", SOTTO_RDP).upper,
	       both = epsilon_at(cells, "1e-6", SOTTO_RDP).upper;

	CHECK(fabs(both - alone) <= 1e-9 * alone);
	both = epsilon_at(crossed, "1e-6", SOTTO_RDP).upper;
	CHECK(both >= epsilon_at("laplace(epsilon=0.1)*100", "1e-6", SOTTO_RDP).upper);
	CHECK(both >= epsilon_at("gaussian(sigma=15)*100", "1e-6", SOTTO_RDP).upper);
	CHECK(both >= epsilon_at(crossed, "1e-6", SOTTO_PLD).lower);
	CHECK(both <= epsilon_at(crossed, "1e-6", SOTTO_ZCDP).upper);
}

int main(void)
{
	RUN(without_delta_only_pure_events_are_finite);
	RUN(shuffling_without_delta_costs_the_local_epsilon);
	RUN(a_delta_that_is_no_probability_is_refused);
	RUN(a_cliff_is_found_to_all_digits);
	RUN(tiny_cells_are_not_free);
	RUN(a_group_is_carried_into_its_mechanism);
	RUN(delta_is_supported_down_to_its_edge);
	RUN(a_group_that_is_cut_off_at_1_is_composed_sharply);
	RUN(sides_do_not_cross_and_stop_at_the_sum_of_bounds);
	RUN(a_narrow_discrete_gaussian_keeps_its_atoms);
	RUN(extreme_parameters_get_an_answer);
	RUN(nothing_costs_nothing);
	RUN(no_noise_is_infinite);
	RUN(no_epsilon_overflows);
	RUN(answers_are_finite_down_to_tiny_deltas);
	RUN(a_delta_below_that_of_the_events_is_infinite);
	RUN(rate_one_is_the_event_itself);
	RUN(cells_under_replacement_cost_the_two_largest);
	RUN(cells_cost_the_largest_renyi_curve);
	RUN(delta_at_the_sum_of_loss_bounds_is_exact);
	RUN(a_delta_below_the_smallest_double_is_between_it_and_zero);
	RUN(noise_far_too_large_for_any_delta_has_a_bound_by_every_theorem);
	RUN(events_of_one_user_or_answer_are_the_local_ones);
	RUN(what_no_double_holds_is_not_called_infinite);
	RUN(a_decimal_epsilon_between_two_doubles_is_bounded_on_both_sides);
	return tap_done();
}
