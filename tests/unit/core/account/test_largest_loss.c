/*
 * Epsilon just below the largest loss, and a little farther below it: against sums over all outcomes one by one.
 *
 * Faults that were planted, each seen to fail: of equal losses only the first counted, no distance to the next loss (loss_measure_top.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sotto/account.h"
#include "testlib/accountant/accounting.h"
#include "testlib/tap.h"

#define SAY(ok, ...) (void)tap_check(ok, __FILE__, __LINE__, __VA_ARGS__)

enum { EVENTS = 9, OUTCOMES = 4 };

/* Losses and P-masses of one event. */
struct listed {
	int n;
	long double loss[OUTCOMES], mass[OUTCOMES];
};

static struct listed pure(double epsilon)
{
	long double e = epsilon;

	return (struct listed){2, {e, -e}, {1 / (1 + expl(-e)), 1 / (1 + expl(e))}};
}

/* Of two users: no clone, or one; with a clone both reports are alike or not. */
static struct listed shuffle(double epsilon0)
{
	long double e = epsilon0, p = expl(-e), a = 1 / (1 + p), b = p / (1 + p);

	return (struct listed){
		4, {e, -e, e, 0}, {(1 - p) * a + p * a / 2, (1 - p) * b + p * b / 2, 0, p / 2}};
}

/* delta, over all outcomes. */
static long double delta_over_all(const struct listed *events, int n, long double loss,
				  long double mass, long double epsilon)
{
	long double sum = 0;

	if (n == 0)
		return loss > epsilon ? mass * -expm1l(epsilon - loss) : 0;
	for (int i = 0; i < events->n; i++)
		sum += delta_over_all(events + 1, n - 1, loss + events->loss[i],
				      mass * events->mass[i], epsilon);
	return sum;
}

static void check(const struct listed *events, int n, const char *text, const char *delta)
{
	struct sotto_workload *w = workload_under(text, SOTTO_REPLACE);
	struct sotto_account_answer a = epsilon_of(w, delta, SOTTO_PLD);
	long double d = strtold(delta, NULL);

	sotto_workload_free(w);
	SAY(delta_over_all(events, n, 0, 1, a.upper) <= d * (1 + 1e-12L),
	    "%s: %.17g is too low", delta, a.upper);
	SAY(delta_over_all(events, n, 0, 1, a.lower) >= d * (1 - 1e-12L),
	    "%s: %.17g is too high", delta, a.lower);
	SAY(a.upper - a.lower < 1e-8, "%s: %.17g to %.17g", delta, a.lower, a.upper);
}

static void epsilon_near_the_largest_loss_is_what_outcomes_say(void)
{
	static const char *const deltas[] = {"1e-12", "1e-6", "1e-3", "0.05",
					     "0.2",   "0.3",  "0.4"};
	struct listed events[EVENTS];
	char text[1000] = "", *end = text;

	for (int i = 0; i < EVENTS; i++) {
		double epsilon = 1.5 + 0.25 * i;

		events[i] = i % 3 ? pure(epsilon) : shuffle(epsilon);
		end += sprintf(
			end, i % 3 ? "%spure(epsilon=%.17g)" : "%sshuffle(n=2, epsilon0=%.17g)",
			i ? ";" : "", epsilon);
	}
	for (size_t i = 0; i < sizeof deltas / sizeof deltas[0]; i++)
		check(events, EVENTS, text, deltas[i]);
}

/* Hundreds of large losses: the product of their masses is known, and no other loss is near. */
static void many_large_losses_are_priced_sharply(void)
{
	struct sotto_workload *w = workload_under("pure(epsilon=9)", SOTTO_REPLACE);
	struct sotto_account_answer a;
	long double top = 9, mass = -log1pl(expl(-9)), truth;
	char text[80];

	for (int i = 1; i < 300; i++) {
		double epsilon = 9 + 0.03125 * i;

		(void)snprintf(text, sizeof text, "pure(epsilon=%.17g)", epsilon);
		CHECK(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
		top += epsilon;
		mass -= log1pl(expl(-epsilon));
	}
	truth = top + log1pl(-1e-6L / expl(mass));
	a = epsilon_of(w, "1e-6", SOTTO_PLD);
	sotto_workload_free(w);
	SAY(a.lower <= truth && truth <= a.upper && a.upper - a.lower < 1e-8,
	    "%.17g to %.17g, not %.17Lg", a.lower, a.upper, truth);
}

int main(void)
{
	RUN(epsilon_near_the_largest_loss_is_what_outcomes_say);
	RUN(many_large_losses_are_priced_sharply);
	return tap_done();
}
