/*
 * Groups of people in disjoint cells, against all outcomes of geometric noise: whoever of the k people moves from which
 * cell to which, the answer covers it; in two cells under replace neighbours it is not above the worst of that.
 */
#include <math.h>
#include <stdlib.h>

#include "testlib/accountant/accounting.h"
#include "testlib/tap.h"

#define SAY(ok, ...) (void)tap_check(ok, __FILE__, __LINE__, __VA_ARGS__)

/* Noise farther out than this, in units of its scale, has no mass that counts. */
#define FAR 45

/* Noise in a cell, and how far the people of a group move its count. */
struct cell {
	double step_epsilon;
	int moved;
};

static long double geometric_mass(double a, int x)
{
	return (1 - expl(-(long double)a)) / (1 + expl(-(long double)a)) *
	       expl(-(long double)a * abs(x));
}

/* delta of the noisy counts of n cells, over all outcomes. */
static long double delta_over_all(const struct cell *cells, int n, long double loss,
				  long double mass, long double epsilon)
{
	long double sum = 0;

	if (n == 0)
		return loss > epsilon ? mass * -expm1l(epsilon - loss) : 0;
	for (int far = (int)(FAR / cells->step_epsilon), x = -far; x <= far; x++)
		sum += delta_over_all(cells + 1, n - 1,
				      loss + (long double)cells->step_epsilon *
						      (abs(x - cells->moved) - abs(x)),
				      mass * geometric_mass(cells->step_epsilon, x), epsilon);
	return sum;
}

static char *cell_text(const struct cell *c)
{
	static char text[4][64];
	static int next;

	next = (next + 1) % 4;
	snprintf(text[next], sizeof text[next], "geometric(epsilon=%.17g)", c->step_epsilon);
	return text[next];
}

static struct sotto_account_answer
answer_of(const char *text, enum sotto_neighbours neighbours, const char *delta)
{
	struct sotto_workload *w = workload_under(text, neighbours);
	struct sotto_account_answer a = epsilon_of(w, delta, SOTTO_PLD);

	sotto_workload_free(w);
	return a;
}

static void a_group_in_two_cells_costs_what_outcomes_say(void)
{
	static const double steps[][2] = {{.5, .5}, {.6, .8}, {1, .55}, {.7, .71}};
	static const char *const deltas[] = {"1e-9", "1e-6", "1e-3", "0.05"};

	for (int i = 0; i < 4; i++)
		for (int k = 2; k <= 4; k++) {
			struct cell cells[2] = {{steps[i][0], k}, {steps[i][1], -k}};
			const char *delta = deltas[(i + k) % 4];
			long double d = strtold(delta, NULL);
			struct sotto_account_answer a;
			char text[256];

			snprintf(text, sizeof text, "group(k=%d, parallel(%s, %s))", k,
				 cell_text(&cells[0]), cell_text(&cells[1]));
			a = answer_of(text, SOTTO_REPLACE, delta);
			SAY(delta_over_all(cells, 2, 0, 1, a.upper) <= d * (1 + 1e-9L),
			    "%s at %s: %.17g is too low", text, delta, a.upper);
			SAY(delta_over_all(cells, 2, 0, 1, a.lower) >= d * (1 - 1e-9L),
			    "%s at %s: %.17g is too high", text, delta, a.lower);
			SAY(a.upper - a.lower < 1e-8, "%s at %s: %.17g to %.17g", text, delta,
			    a.lower, a.upper);
		}
}

static void a_group_in_three_cells_may_move_to_both_others(void)
{
	static const double steps[][3] = {{1, 1, 1}, {1.2, 1.5, .8}, {.9, 1.3, 1.4}};

	for (int i = 0; i < 3; i++)
		for (int first = 0; first < 3; first++) {
			struct cell cells[3] = {
				{steps[i][0], 1}, {steps[i][1], 1}, {steps[i][2], 1}};
			struct sotto_account_answer a;
			char text[256];

			cells[first].moved = -2;
			snprintf(text, sizeof text, "group(k=2, parallel(%s, %s, %s))",
				 cell_text(&cells[0]), cell_text(&cells[1]),
				 cell_text(&cells[2]));
			a = answer_of(text, SOTTO_REPLACE, "1e-3");
			SAY(delta_over_all(cells, 3, 0, 1, a.upper) <= 1e-3L * (1 + 1e-9L),
			    "%s: %.17g is too low", text, a.upper);
		}
}

static void people_who_are_added_may_be_in_different_cells(void)
{
	static const double steps[][2] = {{.5, .5}, {.6, .8}, {1, .55}, {.7, .71}};

	for (int i = 0; i < 4; i++)
		for (int k = 2; k <= 4; k++)
			for (int here = 0; here <= k; here++) {
				struct cell cells[2] = {{steps[i][0], here},
							{steps[i][1], k - here}};
				struct sotto_account_answer a;
				char text[256];

				snprintf(text, sizeof text, "group(k=%d, parallel(%s, %s))", k,
					 cell_text(&cells[0]), cell_text(&cells[1]));
				a = answer_of(text, SOTTO_ADD_REMOVE, "1e-3");
				SAY(delta_over_all(cells, 2, 0, 1, a.upper) <=
					    1e-3L * (1 + 1e-9L),
				    "%s, %d in the first: %.17g is too low", text, here,
				    a.upper);
			}
}

static void check_same(const char *one, const char *other)
{
	struct sotto_account_answer a = answer_of(one, SOTTO_REPLACE, "1e-6"),
				    b = answer_of(other, SOTTO_REPLACE, "1e-6");

	SAY(a.lower == b.lower && a.upper == b.upper, "%s: %.17g to %.17g, %s: %.17g to %.17g",
	    one, a.lower, a.upper, other, b.lower, b.upper);
	CHECK(a.upper > 0 && isfinite(a.upper));
}

static void counts_and_nested_groups_in_two_cells_multiply(void)
{
	check_same("group(k=2, parallel(geometric(epsilon=.5)*3, group(k=2, "
		   "laplace(epsilon=.1)*2)*5)*7)*2",
		   "geometric(epsilon=1, sensitivity=2)*42; laplace(epsilon=.4)*140");
	check_same(
		"group(k=2, group(k=3, parallel(laplace(epsilon=.1), gaussian(sigma=5))*2))*3",
		"laplace(epsilon=.6)*6; gaussian(sigma=5, sensitivity=6)*6");
	check_same("group(k=2, parallel(laplace(epsilon=.1), gaussian(sigma=5)*0, "
		   "gaussian(sigma=5))*2)*3",
		   "laplace(epsilon=.2)*6; gaussian(sigma=5, sensitivity=2)*6");
	check_same("parallel(group(k=2, parallel(laplace(epsilon=.1), gaussian(sigma=5)))*2, "
		   "laplace(epsilon=1))",
		   "laplace(epsilon=.2)*2; gaussian(sigma=5, sensitivity=2)*2; "
		   "laplace(epsilon=1)");
}

static void groups_in_cells_that_are_too_large_are_refused(void)
{
	struct sotto_workload *w = workload_under(
		"group(k=9007199254740992, parallel(randomized-response(epsilon=1)*3, "
		"laplace(epsilon=1)))",
		SOTTO_REPLACE);
	struct sotto_account_answer a;
	struct sotto_rational delta;

	sotto_rational_init(&delta);
	CHECK_INT(sotto_account_epsilon(w, &delta, SOTTO_PLD, &a), SOTTO_ERANGE);
	sotto_rational_release(&delta);
	sotto_workload_free(w);
}

int main(void)
{
	RUN(a_group_in_two_cells_costs_what_outcomes_say);
	RUN(a_group_in_three_cells_may_move_to_both_others);
	RUN(people_who_are_added_may_be_in_different_cells);
	RUN(counts_and_nested_groups_in_two_cells_multiply);
	RUN(groups_in_cells_that_are_too_large_are_refused);
	return tap_done();
}
