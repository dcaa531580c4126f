/*
 * Rates next to 0 and to 1, where 1 - q or q itself is no double, and losses whose squares are none: no theorem claims less than
 * the truth, which is then a closed form.
 *
 * Seen to fail: with 1 - q from the rounded q (finite_pair.c); with squares of losses that became 0, or masses without logarithms
 * (rho_supremum.c); with the logarithm of a rounded rate (nested_curve.c); with nothing left out as tiny (loss_measure.h); with a delta that is
 * charged as a double (renyi_curve.c); with a box beyond the largest double (black_box_sums.c).
 */
#include <stdio.h>

#include "core/account/cost/rho_supremum.h"
#include "core/account/law/atom_list.h"
#include "core/account/loss/finite/finite_pair.h"
#include "testlib/accountant/accounting.h"
#include "testlib/tap.h"

#define SAY(ok, ...) (void)tap_check(ok, __FILE__, __LINE__, __VA_ARGS__)

/* No theorem's epsilon is below this one. */
static void check_every_epsilon(const char *events, const char *delta, double truth)
{
	struct sotto_workload *w = workload_of(events);

	for (int m = 0; m < SOTTO_METHODS; m++) {
		struct sotto_account_answer a = epsilon_of(w, delta, (enum sotto_method)m);

		SAY(a.upper >= truth * (1 - 1e-12), "%s at %s: %s claims %.17g, truly %.17g",
		    events, delta, sotto_method_name(a.method), a.upper, truth);
		SAY(a.lower <= truth * (1 + 1e-12),
		    "%s at %s: %s claims at least %.17g, truly %.17g", events, delta,
		    sotto_method_name(a.method), a.lower, truth);
	}
	sotto_workload_free(w);
}

static const char nines[] = "9999999999999999999999999999999999999999999999999999999999999999"
			    "99999999999999999999999999999999";

/* To all digits what the event costs unsampled. */
static void a_rate_next_to_1_saves_nothing(void)
{
	static const char *const events[] = {"pure(200)",
					     "pure(60)",
					     "gaussian(sigma=0.1)",
					     "laplace(100)",
					     "discrete-gaussian(sigma=0.1)",
					     "discrete-gaussian(sigma=1, sensitivity=10)",
					     "geometric(epsilon=60, sensitivity=4)",
					     "randomized-response(epsilon=80, k=5)",
					     "randomized-response(p=0.75, k=9)"};
	static const char *const deltas[] = {"1e-6", "1e-60"};
	static const int digits[] = {17, 30, 58, 60, 90};
	char text[256];

	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
		for (size_t d = 0; d < 2; d++) {
			double truth = epsilon_at(events[i], deltas[d], SOTTO_PLD).lower;

			for (size_t j = 0; j < 5; j++) {
				(void)snprintf(text, sizeof text, "sampled(rate=0.%.*s, %s)",
					       digits[j], nines, events[i]);
				check_every_epsilon(text, deltas[d], truth);
			}
		}
}

/* Who joins is hidden by those who are left out: the largest loss is -log(1 - q + q e^-200), and 1 - q is 1e-70. */
static void a_rate_next_to_1_hides_who_joins(void)
{
	char text[256];
	double lower, upper;

	(void)snprintf(text, sizeof text, "sampled(rate=0.%.70s, pure(200))", nines);
	epsilon_one_way(text, "1e-6", ADD, &lower, &upper);
	CHECK(brackets(lower, 70 * M_LN10 - 1e-6, upper, 1e-9));
}

/* At s = 6.4 the outcome of the largest loss alone, of mass 1e-330, makes K larger than 776. */
static void rho_counts_masses_below_the_least_double(void)
{
	struct sotto_event *e = NULL;
	struct sotto_pair pair = {0};

	CHECK(sotto_event_parse("sampled(rate=1e-330, pure(1000))", NULL, NULL, &e, NULL) ==
	      SOTTO_OK);
	CHECK(sotto_pair_of(&pair, e, SOTTO_REMOVE, NULL) == SOTTO_OK);
	CHECK(sotto_supremum_up(&pair, NULL) > 776 / (6.4 * 7.4));
	CHECK(sotto_supremum_up(&pair, NULL) < 20);
	sotto_pair_release(&pair);
	sotto_event_free(e);
}

/* The largest loss of pure DP, sampled: log(1 + q (e^epsilon - 1)). */
static void a_rate_next_to_0_is_not_free(void)
{
	check_every_epsilon("sampled(rate=1e-45, pure(1))", "0", 1.7182818284590452e-45);
	check_every_epsilon("sampled(rate=1e-90, pure(1))", "0", 1.7182818284590452e-90);
	check_every_epsilon("sampled(rate=1e-290, pure(1))", "0", 1.7182818284590452e-290);
	check_every_epsilon("sampled(rate=1e-330, pure(1000))", "0", 1000 - 330 * M_LN10);
	check_every_epsilon("sampled(rate=1e-400, geometric(epsilon=2000, sensitivity=3))", "0",
			    2000 - 400 * M_LN10);
}

/* With little noise sampled people are told from the others: delta is the rate. */
static void a_delta_below_the_least_double_is_told_by_its_logarithm(void)
{
	static const char *const events[] = {
		"sampled(rate=1e-400, gaussian(sigma=0.01))",
		"sampled(rate=1e-400, laplace(3000))", "sampled(rate=1e-400, pure(3000))",
		"sampled(rate=1e-400, discrete-gaussian(sigma=0.01))"};
	double truth = -400 * M_LN10;

	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
		struct sotto_workload *w = workload_of(events[i]);

		for (int m = 0; m < SOTTO_METHODS; m++) {
			struct sotto_account_answer a =
				delta_of(w, "0.1", (enum sotto_method)m);

			SAY(!a.finite || a.log_upper >= truth - 1e-9,
			    "%s: %s claims log delta %.17g", events[i],
			    sotto_method_name(a.method), a.log_upper);
			SAY(!a.finite || a.log_lower <= truth + 1e-9,
			    "%s: %s claims log delta of at least %.17g", events[i],
			    sotto_method_name(a.method), a.log_lower);
		}
		CHECK(delta_of(w, "0.1", SOTTO_PLD).log_upper <= truth + 1e-9);
		sotto_workload_free(w);
	}
}

/* Squares of these losses are no doubles.  Every pair is the least that these events can be: its delta at epsilon 0. */
static void tiny_events_are_not_free(void)
{
	static const struct {
		const char *events;
		double log_delta;
	} tiny[] = {{"laplace(1e-200)", -200},
		    {"permute-and-flip(1e-200)", -200},
		    {"pure(1e-200)", -200},
		    {"randomized-response(epsilon=1e-200, k=3)", -200},
		    {"geometric(epsilon=1e-200, sensitivity=5)", -200},
		    {"geometric(epsilon=1e-200, sensitivity=99)", -200},
		    {"gaussian(sigma=1e200)", -200},
		    {"discrete-gaussian(sigma=1e200)", -200},
		    {"laplace(1e-200)*3;gaussian(sigma=1e200)", -200},
		    {"sampled(rate=1e-100, gaussian(sigma=1e100))*2", -200},
		    {"sampled(rate=1e-100, laplace(1e-100))*2", -200},
		    {"sampled(rate=1e-250, gaussian(sigma=1))*3", -250},
		    {"approx(epsilon=1e-200, delta=1e-250);laplace(1e-210)", -200},
		    {"group(k=3, laplace(1e-200));pure(1e-210)", -200},
		    {"parallel(laplace(1e-200), gaussian(sigma=1e201))*2", -200}};

	for (size_t i = 0; i < sizeof tiny / sizeof tiny[0]; i++) {
		struct sotto_workload *w = workload_of(tiny[i].events);
		double least = (tiny[i].log_delta - 1) * M_LN10;

		for (int m = 0; m < SOTTO_METHODS; m++) {
			struct sotto_account_answer delta = delta_of(w, "0",
								     (enum sotto_method)m),
						    epsilon = epsilon_of(w, "1e-300",
									 (enum sotto_method)m);

			SAY(!delta.finite || delta.log_upper >= least,
			    "%s: %s claims log delta %.17g", tiny[i].events,
			    sotto_method_name(delta.method), delta.log_upper);
			SAY(epsilon.upper > 0, "%s: %s claims epsilon 0", tiny[i].events,
			    sotto_method_name(epsilon.method));
		}
		sotto_workload_free(w);
	}
}

/* Beside an event of ordinary size they change nothing. */
static void tiny_events_cost_nothing_beside_others(void)
{
	static const char *const tiny[] = {
		"laplace(1e-200)",
		"gaussian(sigma=1e200)*1000000",
		"sampled(rate=1e-100, gaussian(sigma=1e100))",
		"sampled(rate=1e-300, laplace(3))*7",
		"group(k=2, sampled(rate=1e-300, gaussian(sigma=1)))",
		"parallel(laplace(1e-200), gaussian(sigma=1e201))",
		"approx(epsilon=1e-200, delta=1e-250)"};
	static const char *const big[] = {"laplace(1)", "gaussian(sigma=2)", "pure(0.5)*3",
					  "sampled(rate=0.1, gaussian(sigma=1))*20"};
	char text[256];

	for (size_t i = 0; i < sizeof tiny / sizeof tiny[0]; i++)
		for (size_t j = 0; j < 4; j++) {
			struct sotto_account_answer alone = epsilon_at(big[j], "1e-6",
								       SOTTO_PLD),
						    both;

			(void)snprintf(text, sizeof text, "%s;%s", big[j], tiny[i]);
			both = epsilon_at(text, "1e-6", SOTTO_PLD);
			SAY(both.finite && both.upper >= alone.lower &&
				    both.upper <= alone.upper * (1 + 1e-9) + 1e-9 &&
				    both.lower >= alone.lower * (1 - 1e-9) - 1e-9,
			    "%s: %.17g to %.17g, alone %.17g to %.17g", text, both.lower,
			    both.upper, alone.lower, alone.upper);
		}
}

static void an_epsilon_beyond_the_largest_double_is_composed(void)
{
	struct sotto_workload *w = workload_of("parallel(randomized-response(p=0.9, k=3), "
					       "pure(1e300)*9007199254740992);pure(1)");

	for (int m = 0; m < SOTTO_METHODS; m++) {
		CHECK(!epsilon_of(w, "1e-6", (enum sotto_method)m).finite);
		CHECK(delta_of(w, "5", (enum sotto_method)m).upper > 0.9);
	}
	sotto_workload_free(w);
}

/* Subnormal products lose digits, and take a hundred times as long: such an atom is left out, and charged by its loss. */
static void a_weight_whose_products_are_subnormal_is_charged(void)
{
	double loss[] = {1, -640}, mass[] = {0.5, 0.5};
	struct sotto_law law = {.n = 2, .loss = loss, .mass = mass, .count = 1};
	struct sotto_atoms a;

	CHECK(sotto_atoms_tilt(&a, &law, 1, 2) == SOTTO_OK);
	CHECK(fabs(a.weight[0] - 1) < 1e-15);
	CHECK(a.weight[1] == 0);
	CHECK(a.eta1 >= 640 * 0x1p-920);
	sotto_atoms_release(&a);
}

int main(void)
{
	RUN(a_rate_next_to_1_saves_nothing);
	RUN(a_rate_next_to_1_hides_who_joins);
	RUN(a_rate_next_to_0_is_not_free);
	RUN(rho_counts_masses_below_the_least_double);
	RUN(a_delta_below_the_least_double_is_told_by_its_logarithm);
	RUN(tiny_events_are_not_free);
	RUN(tiny_events_cost_nothing_beside_others);
	RUN(an_epsilon_beyond_the_largest_double_is_composed);
	RUN(a_weight_whose_products_are_subnormal_is_charged);
	return tap_done();
}
