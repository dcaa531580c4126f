/*
 * Random workloads against the tests' own accountant: the true value lies between the two
 * sides that are reported, and no theorem claims less than the truth.
 */
#include <stdlib.h>

#include "testlib/accountant/accounting.h"
#include "testlib/effort.h"
#include "testlib/accountant/random_workload.h"
#include "testlib/tap.h"

/* Both directions of a workload. */
struct truth {
	struct oracle *way[2];
};

static void truth_init(struct truth *t, const struct random_workload *w)
{
	for (int i = REMOVE; i <= ADD; i++)
		t->way[i] = oracle_new(w->events, w->n, (enum direction)i);
}

static void truth_release(struct truth *t)
{
	oracle_free(t->way[REMOVE]);
	oracle_free(t->way[ADD]);
}

/*
 * Sign of the true delta at epsilon less delta, 0 if they differ by the oracle's own
 * rounding at most; the worse direction counts.
 */
static int truth_compare(const struct truth *t, double epsilon, const char *delta)
{
	int worst = -1;
	mpfr_t d, want;

	mpfr_inits2(256, d, want, (mpfr_ptr)0);
	mpfr_set_str(want, delta, 10, MPFR_RNDN);
	for (int i = REMOVE; i <= ADD; i++) {
		int c;

		oracle_delta(t->way[i], epsilon, d);
		c = mpfr_eq(d, want, 120) ? 0 : mpfr_cmp(d, want);
		worst = c > worst ? c : worst;
	}
	mpfr_clears(d, want, (mpfr_ptr)0);
	return worst;
}

static double truth_log_delta(const struct truth *t, double epsilon)
{
	double log_delta = -INFINITY;
	mpfr_t d;

	mpfr_init2(d, 256);
	for (int i = REMOVE; i <= ADD; i++) {
		oracle_delta(t->way[i], epsilon, d);
		mpfr_log(d, d, MPFR_RNDN);
		log_delta = fmax(log_delta, mpfr_get_d(d, MPFR_RNDN));
	}
	mpfr_clear(d);
	return log_delta;
}

#define SAY(ok, ...) (void)tap_check(ok, __FILE__, __LINE__, __VA_ARGS__)

static void check_epsilon(const struct random_workload *w, const struct sotto_workload *made,
			  const struct truth *t, const char *delta)
{
	struct sotto_account_answer a = epsilon_of(made, delta, SOTTO_PLD);
	double width = a.upper - a.lower;

	SAY(a.finite || truth_compare(t, 1e5, delta) >= 0, "%s at %s: %s", w->text, delta,
	    a.reason);
	if (!a.finite)
		return;
	SAY(truth_compare(t, a.upper, delta) <= 0, "%s at %s: %.17g is below the truth",
	    w->text, delta, a.upper);
	SAY(a.lower == 0 || truth_compare(t, a.lower, delta) >= 0,
	    "%s at %s: %.17g is no lower bound", w->text, delta, a.lower);
	SAY(width <= 1e-5 * (1 + a.upper), "%s at %s: %.17g to %.17g is wide", w->text, delta,
	    a.lower, a.upper);
	for (int m = 0; m < SOTTO_PLD; m++) {
		struct sotto_account_answer other =
			epsilon_of(made, delta, (enum sotto_method)m);

		SAY(other.upper >= a.lower, "%s at %s: %s claims %.17g, below %.17g", w->text,
		    delta, sotto_method_name(other.method), other.upper, a.lower);
		SAY(a.upper <= other.upper + width + 1e-12 * (1 + other.upper),
		    "%s at %s: %s has %.17g, pld only %.17g", w->text, delta,
		    sotto_method_name(other.method), other.upper, a.upper);
	}
}

static void check_delta(const struct random_workload *w, const struct sotto_workload *made,
			const struct truth *t, const char *epsilon)
{
	struct sotto_account_answer a = delta_of(made, epsilon, SOTTO_PLD);
	double truth = truth_log_delta(t, atof(epsilon));
	double slack = isinf(truth) ? 0 : 1e-14 * (1 + fabs(truth));

	SAY(a.finite, "%s, delta at %s: %s", w->text, epsilon, a.reason);
	if (!a.finite)
		return;
	SAY(a.log_lower <= truth + slack && truth <= a.log_upper + slack,
	    "%s, log delta at %s: %.17g to %.17g, truly %.17g", w->text, epsilon, a.log_lower,
	    a.log_upper, truth);
	SAY(truth < -100 || a.log_upper - a.log_lower <= 1e-6 * (1 - truth),
	    "%s, log delta at %s: %.17g to %.17g is wide", w->text, epsilon, a.log_lower,
	    a.log_upper);
}

static void check_workload(uint64_t seed)
{
	static const char *const deltas[] = {"1e-6", "0.01", "1e-10", "1e-3", "1e-15"};
	struct random_workload w;
	struct sotto_workload *made;
	struct truth t;
	char epsilon[16];

	random_workload(&w, seed);
	made = workload_of(w.text);
	truth_init(&t, &w);
	check_epsilon(&w, made, &t, deltas[random_below(&w.state, 5)]);
	(void)snprintf(epsilon, sizeof epsilon, "%u.%03u", random_below(&w.state, 4),
		       random_below(&w.state, 1000));
	check_delta(&w, made, &t, epsilon);
	truth_release(&t);
	sotto_workload_free(made);
}

static void the_truth_lies_between_the_two_sides(void)
{
	static const unsigned how_many[] = {
		[EFFORT_SANITIZED] = 4, [EFFORT_SHORT] = 20, [EFFORT_LONG] = 2000};
	const char *only = getenv("SOTTO_SEED");

	if (only) {
		check_workload((uint64_t)atoll(only));
		return;
	}
	for (unsigned seed = 1; seed <= how_many[effort()]; seed++)
		check_workload(seed);
}

/* ---- faults that were planted: each of these claims must be seen to be wrong ---- */

/* True if the oracle would have caught this claim of an epsilon. */
static bool is_caught(const struct oracle_event *e, double claim, const char *delta)
{
	struct random_workload w = {.n = 1, .events = {*e}};
	struct truth t;
	bool caught;

	truth_init(&t, &w);
	caught = truth_compare(&t, claim, delta) > 0;
	truth_release(&t);
	return caught;
}

static void a_claim_a_billionth_too_low_is_caught(void)
{
	struct oracle_event e = {ORACLE_GEOMETRIC, "0.7", .n = 3, .count = 9};
	double upper =
		epsilon_at("geometric(epsilon=0.7, sensitivity=3)*9", "1e-7", SOTTO_PLD).upper;

	CHECK(!is_caught(&e, upper, "1e-7"));
	CHECK(is_caught(&e, upper * (1 - 1e-9), "1e-7"));
}

static void one_direction_only_is_caught(void)
{
	struct oracle_event e = {ORACLE_RESPONSE, "1", .n = 2, .rate = "0.1", .count = 20};
	double lower, upper;

	epsilon_one_way("sampled(rate=0.1, randomized-response(epsilon=1))*20", "1e-6", ADD,
			&lower, &upper);
	CHECK(is_caught(&e, upper, "1e-6"));
	epsilon_one_way("sampled(rate=0.1, randomized-response(epsilon=1))*20", "1e-6", REMOVE,
			&lower, &upper);
	CHECK(!is_caught(&e, upper, "1e-6"));
}

/* k x (1-x) in place of 1 - (1-x)^k leaves too much of delta for the rest. */
static void a_wrong_sum_of_deltas_is_caught(void)
{
	struct oracle_event e = {ORACLE_APPROX, "0.5", "0.02", .count = 5};
	double x = 0.02, right = -expm1(5 * log1p(-x)), wrong = 5 * x * (1 - x) * (1 - x);
	double rest = (0.12 - wrong) / (1 - wrong); /* delta for the pure parts */
	char delta[40];

	CHECK(wrong < right);
	(void)snprintf(delta, sizeof delta, "%.17g", rest);
	CHECK(is_caught(&e, epsilon_at("pure(epsilon=0.5)*5", delta, SOTTO_KOV).upper, "0.12"));
	(void)snprintf(delta, sizeof delta, "%.17g", (0.12 - right) / (1 - right));
	CHECK(!is_caught(&e,
			 epsilon_at("pure(epsilon=0.5)*5", delta, SOTTO_KOV).upper * (1 + 1e-9),
			 "0.12"));
}

static void a_count_that_is_ignored_is_caught(void)
{
	struct oracle_event e = {ORACLE_LAPLACE, "0.4", .count = 3};

	CHECK(is_caught(&e, epsilon_at("laplace(epsilon=0.4)*2", "1e-5", SOTTO_PLD).upper,
			"1e-5"));
	CHECK(!is_caught(&e, epsilon_at("laplace(epsilon=0.4)*3", "1e-5", SOTTO_PLD).upper,
			 "1e-5"));
}

int main(void)
{
	RUN(the_truth_lies_between_the_two_sides);
	RUN(a_claim_a_billionth_too_low_is_caught);
	RUN(one_direction_only_is_caught);
	RUN(a_wrong_sum_of_deltas_is_caught);
	RUN(a_count_that_is_ignored_is_caught);
	return tap_done();
}
