/*
 * Whatever the parser accepts has an answer or a reason within a bounded number of steps, by every
 * theorem and entry point, and its lower side is not above its upper one.  Steps are counted
 * (work.h), so this does not depend on the machine; the long set prints how long they took.
 *
 * Seen to fail: with the work limit not handed to the Renyi curves (steps that nobody counts), and
 * with the limit of a loss distribution doubled.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/account/integral/work.h"
#include "core/account/loss/worse_direction.h"
#include "core/account/theorem/account_answer.h"
#include "testlib/accountant/accounting.h"
#include "testlib/effort.h"
#include "testlib/accountant/extreme_workload.h"
#include "testlib/number.h"
#include "testlib/accountant/random_workload.h"
#include "testlib/tap.h"

#define SAY(ok, ...) (void)tap_check(ok, __FILE__, __LINE__, __VA_ARGS__)

/* One answer: its own limit and, for a loss distribution, those of the theorems that stand in. */
#define STEPS_MAX (SOTTO_WORK_WHOLE + SOTTO_WORK_RENYI + 2 * SOTTO_WORK_PART)
/* What is begun is finished, which may take a little more. */
#define BEGUN 1.1

struct question {
	char number[64];
	bool is_delta;
};

static struct question question_of(uint64_t *state)
{
	static const char *const deltas[] = {"1e-300", "1e-100", "1e-9", "1e-6",
					     "0.1",    "0.999",  "0"};
	struct question q = {.is_delta = random_below(state, 3) > 0};

	if (!q.is_delta)
		extreme_number(state, q.number);
	else if (random_below(state, 2))
		(void)snprintf(q.number, sizeof q.number, "%s", deltas[random_below(state, 7)]);
	else
		extreme_chance(state, q.number);
	if (q.is_delta && strncmp(q.number, "0.9999999", 9) == 0)
		q.number[6] = '\0';
	return q;
}

/* NULL if the workload is refused, which takes no work. */
static struct sotto_workload *make(const struct extreme_workload *x)
{
	struct sotto_error err = {""};
	struct sotto_workload *w = NULL;
	char *copy = strdup(x->text), *rest = copy, *one;
	enum sotto_status st;

	if (!copy || sotto_workload_new(&w) != SOTTO_OK)
		abort();
	st = sotto_workload_set_neighbours(w, x->neighbours, &err);
	while (st == SOTTO_OK && (one = strsep(&rest, ";")))
		st = sotto_workload_add_text(w, one, &err);
	free(copy);
	if (st == SOTTO_OK)
		return w;
	SAY(st != SOTTO_EPARSE && err.text[0], "%s: %s", x->text, err.text);
	sotto_workload_free(w);
	return NULL;
}

static void check_sides(const struct sotto_account_answer *a, const char *what)
{
	SAY(a->lower <= a->upper && a->log_lower <= a->log_upper,
	    "%s by %s: %.17g to %.17g, log %.17g to %.17g", what, sotto_method_name(a->method),
	    a->lower, a->upper, a->log_lower, a->log_upper);
	SAY(a->finite ? a->upper >= 0 && a->upper < INFINITY : a->reason != NULL,
	    "%s by %s: %.17g without a reason", what, sotto_method_name(a->method), a->upper);
}

/* Every theorem; returns the steps of all. */
static double
ask(const struct sotto_workload *w, const struct question *q, const char *what, bool *done)
{
	struct sotto_rational x = rational_of(q->number);
	double sum = 0;

	*done = true;
	for (int m = 0; m < SOTTO_METHODS && *done; m++) {
		struct sotto_account_answer a = {.steps = 0};
		enum sotto_status st =
			q->is_delta ? sotto_account_epsilon(w, &x, (enum sotto_method)m, &a)
				    : sotto_account_delta(w, &x, (enum sotto_method)m, &a);

		/* counts that multiply to more than 2^53 */
		SAY(st == SOTTO_OK || st == SOTTO_ERANGE, "%s: %s", what,
		    sotto_status_text(st));
		*done = st == SOTTO_OK;
		if (!*done)
			break;
		check_sides(&a, what);
		SAY(a.steps <= BEGUN * STEPS_MAX, "%s at %s by %s: %.3g steps", what, q->number,
		    sotto_method_name(a.method), a.steps);
		sum += a.steps;
	}
	sotto_rational_release(&x);
	return sum;
}

/* Sides of the curve, where the same limit holds for all points together. */
static void check_curve(const struct sotto_workload *w, const char *what)
{
	static const double at[] = {0, 1e-9, 0.5, 3, 700, 1e6};
	enum { POINTS = sizeof at / sizeof at[0] };
	double low[POINTS], high[POINTS];
	enum sotto_status st = sotto_account_curve(w, at, POINTS, low, high);

	SAY(st == SOTTO_OK || st == SOTTO_EREFUSED || st == SOTTO_ERANGE, "%s: %s", what,
	    sotto_status_text(st));
	for (int i = 0; i < POINTS && st == SOTTO_OK; i++)
		SAY(low[i] <= high[i], "%s, log delta at %g: %.17g to %.17g", what, at[i],
		    low[i], high[i]);
}

static double seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* The steps of one workload's answers; the long set also keeps the longest time. */
static void check_workload(uint64_t seed, double *most_steps, double *most_seconds)
{
	static struct extreme_workload x;
	struct sotto_workload *w;
	struct question q;
	char what[160];
	bool done;

	extreme_workload(&x, seed);
	(void)snprintf(what, sizeof what, "%u: %.140s", (unsigned)seed, x.text);
	w = make(&x);
	if (!w)
		return;
	q = question_of(&x.state);
	if (effort() == EFFORT_LONG) {
		double from = seconds(), steps = ask(w, &q, what, &done), took;

		took = seconds() - from;
		if (took > *most_seconds)
			printf("# seed %u: %.2f s, %.3g steps\n", (unsigned)seed, took, steps);
		*most_seconds = fmax(*most_seconds, took);
		*most_steps = fmax(*most_steps, steps);
	} else {
		*most_steps = fmax(*most_steps, ask(w, &q, what, &done));
	}
	if (done && seed % 4 == 0)
		check_curve(w, what);
	sotto_workload_free(w);
}

static void extremes_are_answered_within_their_steps(void)
{
	static const unsigned how_many[] = {
		[EFFORT_SANITIZED] = 6, [EFFORT_SHORT] = 60, [EFFORT_LONG] = 3000};
	const char *only = getenv("SOTTO_SEED");
	double most_steps = 0, most_seconds = 0;

	if (only) {
		check_workload((uint64_t)atoll(only), &most_steps, &most_seconds);
		return;
	}
	for (unsigned seed = 1; seed <= how_many[effort()]; seed++)
		check_workload(seed, &most_steps, &most_seconds);
	printf("# at most %.3g steps for all theorems together\n", most_steps);
	if (effort() == EFFORT_LONG)
		printf("# and %.2f s\n", most_seconds);
	CHECK(effort() == EFFORT_SANITIZED || most_steps > SOTTO_WORK_PART); /* some are hard */
}

/*
 * The cheaper direction of these events has a largest loss just above the epsilon of the other one: K was looked up
 * at orders of a hundred thousand, each of them a long integral for each event, however many steps were left.
 */
static void a_direction_that_ends_near_epsilon_is_done_with_quickly(void)
{
	struct sotto_workload *w;
	struct sotto_account_answer a;
	char text[80];

	if (sotto_workload_new(&w) != SOTTO_OK)
		abort();
	for (int i = 0; i < 200; i++) {
		int sigma = 69 + 37 * i % 300;

		(void)snprintf(text, sizeof text,
			       "sampled(rate=0.0%04d, gaussian(sigma=%d.%02d))", 100 + 9 * i,
			       sigma / 100, sigma % 100);
		if (sotto_workload_add_text(w, text, NULL) != SOTTO_OK)
			abort();
	}
	a = epsilon_of(w, "1e-6", SOTTO_PLD);
	CHECK(a.steps <= 0.5 * SOTTO_WORK_WHOLE);
	CHECK(a.lower > 1.96 && a.upper < 1.97 && a.upper - a.lower <= 1e-6);
	sotto_workload_free(w);
}

/*
 * Of a thousand sampled Laplace events with epsilons in the hundreds K is a thousand long integrals, at each order.  To choose the
 * laws that steer, all of them were computed at up to nine orders: a hundred times the limit.
 */
static void what_steers_keeps_to_the_limit(void)
{
	struct sotto_workload *w;
	char text[80];

	if (sotto_workload_new(&w) != SOTTO_OK)
		abort();
	for (int i = 0; i < 1000; i++) {
		(void)snprintf(text, sizeof text, "sampled(rate=0.%03d, laplace(epsilon=%d))",
			       100 + 7 * i % 800, 300 + i);
		if (sotto_workload_add_text(w, text, NULL) != SOTTO_OK)
			abort();
	}
	CHECK(epsilon_of(w, "1e-6", SOTTO_PLD).steps <= BEGUN * STEPS_MAX);
	CHECK(epsilon_of(w, "1e-6", SOTTO_RDP).steps <= 2 * BEGUN * SOTTO_WORK_RENYI);
	sotto_workload_free(w);
}

/* Work that nobody counts has no limit: each of these does some, by each theorem. */
static void every_theorem_counts_its_steps(void)
{
	static const char sampled[] = "sampled(rate=0.1, discrete-gaussian(sigma=3))*9;"
				      "sampled(rate=0.1, gaussian(sigma=2))";
	static const char *const busy[] = {sampled, "shuffle(n=100000, epsilon0=1)*3",
					   "laplace(epsilon=0.3)*7;pure(epsilon=0.1)*5",
					   "parallel(gaussian(sigma=4), laplace(epsilon=1))*4"};

	for (size_t i = 0; i < sizeof busy / sizeof busy[0]; i++) {
		struct sotto_workload *w = workload_of(busy[i]);

		CHECK(epsilon_of(w, "1e-6", SOTTO_PLD).steps > 1e5);
		CHECK(delta_of(w, "0.5", SOTTO_PLD).steps > 1e4);
		CHECK(epsilon_of(w, "1e-6", SOTTO_RDP).steps > 1e3);
		CHECK(epsilon_of(w, "1e-6", SOTTO_ZCDP).steps > 1e3 || i == 2);
		sotto_workload_free(w);
	}
}

/* Listing 2001 outcomes beside a Laplace event took three seconds that nobody counted: each of them was carried through all that follow. */
static void outcomes_beside_laplace_noise_are_counted(void)
{
	struct sotto_account_answer a = epsilon_at(
		"laplace(epsilon=1);geometric(epsilon=1, sensitivity=2000)", "1e-6", SOTTO_PLD);

	CHECK(a.steps > 1e7 && a.steps < 1e8);
	CHECK(a.lower > 1.999996 && a.upper < 1.999997 && a.upper - a.lower < 1e-12);
}

/* The same question takes the same steps, whatever was asked before. */
static void steps_depend_on_the_question_alone(void)
{
	const char *events = "sampled(rate=0.2, gaussian(sigma=1))*30;laplace(epsilon=1)*3";
	double once = epsilon_at(events, "1e-7", SOTTO_PLD).steps;

	(void)epsilon_at("shuffle(n=9007199254740992, epsilon0=2)*9", "1e-9", SOTTO_PLD);
	CHECK(once > 0 && epsilon_at(events, "1e-7", SOTTO_PLD).steps == once);
}

/* ---- sides that cross claim nothing ---- */

static void crossing_sides_claim_nothing(void)
{
	double low = 18.93090, high = 18.93084;

	CHECK(!sotto_sides_settle(&low, &high, 0, INFINITY));
	CHECK(low == 0 && isinf(high));
	low = -3;
	high = NAN;
	CHECK(!sotto_sides_settle(&low, &high, -INFINITY, 0));
	CHECK(isinf(low) && high == 0);
	low = 1;
	high = 1;
	CHECK(sotto_sides_settle(&low, &high, 0, INFINITY) && low == 1 && high == 1);
}

/* Whatever the way to an answer, one whose sides cross leaves as an infinite one, with the reason. */
static void no_answer_leaves_with_crossing_sides(void)
{
	struct sotto_account_answer epsilon = {.finite = true,
					       .lower = 18.93090,
					       .upper = 18.93084,
					       .log_lower = -2,
					       .log_upper = -1},
				    delta = {.finite = true,
					     .lower = 0.1,
					     .upper = 0.2,
					     .log_lower = -1,
					     .log_upper = -2},
				    good = delta;

	sotto_answer_settle(&epsilon);
	CHECK(!epsilon.finite && epsilon.lower == 0 && isinf(epsilon.upper));
	CHECK(epsilon.reason && strstr(epsilon.reason, "contradict"));
	sotto_answer_settle(&delta);
	CHECK(!delta.finite && delta.lower == 0 && isinf(delta.upper));
	good.log_upper = good.log_lower;
	sotto_answer_settle(&good);
	CHECK(good.finite && good.lower == 0.1 && good.upper == 0.2);
}

int main(void)
{
	RUN(extremes_are_answered_within_their_steps);
	RUN(a_direction_that_ends_near_epsilon_is_done_with_quickly);
	RUN(what_steers_keeps_to_the_limit);
	RUN(every_theorem_counts_its_steps);
	RUN(outcomes_beside_laplace_noise_are_counted);
	RUN(steps_depend_on_the_question_alone);
	RUN(crossing_sides_claim_nothing);
	RUN(no_answer_leaves_with_crossing_sides);
	return tap_done();
}
