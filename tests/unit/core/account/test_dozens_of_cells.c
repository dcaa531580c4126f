/*
 * A dozen or two disjoint cells of data with atoms, whose laws are cut where their curves bend: both sides of one law against
 * the curve in closed form, in long doubles; and several together against sums over two lattices, extrapolated.
 *
 * Faults that were planted, each seen to fail: a floor of 1.01 times what it is, and slopes after a point a ten-thousandth too steep (law_cells_curve.c, curve_half.c); losses of
 * outcomes that are not those of the weights (law_cloud.c); infinite losses left out below (loss_measure_cut.c), or not seen beyond a list (loss_curve_sources.c); two vertices at one
 * place (curve_polygon.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/law/cells/law_cells.h"
#include "testlib/accountant/accounting.h"
#include "testlib/effort.h"
#include "testlib/sanitized.h"
#include "testlib/tap.h"

/* One event: Laplace noise in one cell; in the other k-ary randomized response, or an approximate event (k = 0). */
struct cells {
	double laplace, other;
	int k;
	double infinite;
};

/* Larger of the two curves at epsilon >= 0. */
static long double larger_curve(const struct cells *c, long double epsilon)
{
	long double one = epsilon < c->laplace ? -expm1l((epsilon - c->laplace) / 2) : 0,
		    all = expl(c->other), y = expl(epsilon), two;

	if (c->k)
		two = fmaxl(0, all - y) / (all + c->k - 1);
	else
		two = c->infinite + (1 - c->infinite) * fmaxl(0, all - y) / (1 + all);
	return fmaxl(one, two);
}

/* And below 0: both directions have the same curve. */
static long double curve_at(const struct cells *c, long double epsilon)
{
	return epsilon >= 0 ? larger_curve(c, epsilon)
			    : -expm1l(epsilon) + expl(epsilon) * larger_curve(c, -epsilon);
}

static void write_event(const struct cells *c, char *out, size_t size)
{
	if (c->k)
		(void)snprintf(out, size,
			       "parallel(laplace(epsilon=%.17g), "
			       "randomized-response(epsilon=%.17g, k=%d))",
			       c->laplace, c->other, c->k);
	else
		(void)snprintf(out, size,
			       "parallel(laplace(epsilon=%.17g), approx(epsilon=%.17g, "
			       "delta=%.17g))",
			       c->laplace, c->other, c->infinite);
}

/* ---- one law, on its sides ---- */

/* delta of a law that is infinite with some probability. */
UNWATCHED static long double
law_delta(const struct sotto_law *law, double infinite, double epsilon)
{
	long double sum = 0;

	for (size_t i = 0; i < law->n; i++)
		if (law->loss[i] > epsilon)
			sum -= law->mass[i] *
			       expm1l((long double)epsilon - (long double)law->loss[i]);
	return infinite + (1 - infinite) * sum;
}

static void check_sides(const struct cells *c, size_t points, double order)
{
	const double needs[1] = {1};
	struct sotto_cutting cutting = {.cells = points,
					.tail = 60,
					.laws = 1,
					.of_many = true,
					.extent = SOTTO_CUT_ALL,
					.order = order,
					.needs = needs};
	struct sotto_law above = {.count = 1}, below = {.count = 1};
	double lost, kept, worst = 0;
	struct sotto_event *e = NULL;
	struct sotto_cuts cuts;
	char text[200];
	int apart = 0;

	write_event(c, text, sizeof text);
	CHECK(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
	CHECK(sotto_cells_of(&cuts, e, SOTTO_ADD_REMOVE, SOTTO_REMOVE, &cutting) == SOTTO_OK);
	CHECK(sotto_cells_law(&cuts.above, SOTTO_UPPER, &above, &lost) == SOTTO_OK);
	CHECK(sotto_cells_law(&cuts.below, SOTTO_LOWER, &below, &kept) == SOTTO_OK);
	for (int i = -500; i <= 500; i++) {
		double epsilon = i * (1.1 / 500) * fmax(c->laplace, c->other);
		long double truth = curve_at(c, epsilon),
			    high = law_delta(&above, lost, epsilon),
			    low = law_delta(&below, cuts.below.infinite, epsilon);

		apart += !(low <= truth * (1 + 1e-15L) && truth <= high * (1 + 1e-15L));
		worst = fmax(worst, (double)(high - low));
	}
	CHECK(apart == 0);
	CHECK(worst < 100 / ((double)points * (double)points));
	above.class->release(&above);
	below.class->release(&below);
	sotto_cells_release(&cuts.above);
	sotto_cells_release(&cuts.below);
	sotto_event_free(e);
}

static void laws_that_are_cut_where_they_bend_lie_on_their_sides(void)
{
	static const struct cells list[] = {{0.2, 0.3, 2, 0},      {0.2, 0.3, 5, 0},
					    {0.31, 0.17, 3, 0},    {0.05, 0.9, 2, 0},
					    {0.25, 0.12, 0, 1e-9}, {0.25, 0.4, 0, 1e-5},
					    {2, 1.2, 2, 0},        {1, 0.02, 40, 0}};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		for (size_t points = 300; points < 6000; points *= 4)
			for (double order = 0; order < 10; order += 8)
				check_sides(&list[i], points, order);
}

/* ---- several events, against sums over a lattice ---- */

enum { EVENTS = 8, HALF_MAX = 2048, ROOM = 2 * EVENTS * HALF_MAX + 1 };

/* P-masses at i/step, i from -half to half. */
struct lattice {
	double step;
	int half;
	double *mass;
};

/* A factor of the next size, one loss and its neighbours at a time. */
UNWATCHED static void multiply(struct lattice *l, const struct cells *c)
{
	double reach = ceil(fmax(c->laplace, c->other) * l->step) + 1;
	int near = (int)reach, half = l->half + near;
	double *next = calloc((size_t)(2 * half + 1), sizeof *next);

	for (int i = -near; i <= near; i++) {
		long double d = 1 / (long double)l->step, at = i * d, here = curve_at(c, at),
			    rise = (curve_at(c, at + d) - here) / expm1l(d),
			    fall = (here - curve_at(c, at - d)) / -expm1l(-d);
		double mass = (double)(rise - fall);

		if (i == -near) /* all of Q is above */
			mass = (double)(rise + expl(at));
		for (int j = -l->half; j <= l->half && mass > 0; j++)
			next[i + j + half] += mass * l->mass[j + l->half];
	}
	free(l->mass);
	l->mass = next;
	l->half = half;
}

static double lattice_delta(const struct cells *list, double step, double epsilon)
{
	struct lattice l = {step, 0, malloc(sizeof(double))};
	double sum = 0, finite = 1;

	*l.mass = 1;
	for (int i = 0; i < EVENTS; i++) {
		multiply(&l, &list[i]);
		finite *= 1 - list[i].infinite;
	}
	for (int j = -l.half; j <= l.half; j++)
		if (j / step > epsilon)
			sum -= l.mass[j + l.half] * expm1(epsilon - j / step);
	free(l.mass);
	return 1 - finite + sum;
}

/* Chords make delta too large by what goes with the square of the distance. */
static double oracle(const struct cells *list, double epsilon)
{
	double coarse = lattice_delta(list, 2048, epsilon),
	       fine = lattice_delta(list, 4096, epsilon);

	return (4 * fine - coarse) / 3;
}

static void check_together(const struct cells *list)
{
	struct sotto_workload *w = NULL;
	struct sotto_account_answer a;
	char text[200];

	for (int i = 0; i < EVENTS; i++) {
		write_event(&list[i], text, sizeof text);
		if (!w)
			w = workload_of(text);
		else
			CHECK(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	a = epsilon_of(w, "1e-5", SOTTO_PLD);
	CHECK(a.upper - a.lower <= 1e-6);
	CHECK(oracle(list, a.upper) <= 1e-5 * (1 + 3e-6));
	CHECK(oracle(list, a.lower) >= 1e-5 * (1 - 3e-6));
	sotto_workload_free(w);
}

static void a_few_cells_with_atoms_agree_with_sums_over_a_lattice(void)
{
	struct cells list[EVENTS];

	for (int i = 0; i < EVENTS; i++) /* atoms on the lattice, seams not */
		list[i] = (struct cells){(320 + 41 * i) / 2048.0, (500 - 37 * i) / 2048.0,
					 2 + i % 3, 0};
	check_together(list);
	for (int i = 0; i < EVENTS; i++)
		list[i] = (struct cells){(320 + 41 * i) / 2048.0, (400 - 37 * i) / 2048.0, 0,
					 2e-8 * (1 + i)};
	check_together(list);
}

/* ---- dozens, and how sharp they are ---- */

static void dozens_of_disjoint_cells_are_sharp(void)
{
	static const char *const shapes[] = {
		"parallel(laplace(epsilon=%.6f), randomized-response(epsilon=%.6f, k=3))",
		"parallel(gaussian(sigma=%.6f), randomized-response(epsilon=%.6f, k=2))",
		"parallel(gaussian(sigma=%.6f), laplace(epsilon=%.6f))",
		"parallel(gaussian(sigma=%.6f), approx(epsilon=%.6f, delta=1e-11))",
		"parallel(discrete-gaussian(sigma=%.6f), laplace(epsilon=%.6f))"};
	int most = effort() == EFFORT_SANITIZED ? 8 : 20;

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		for (int n = 8; n <= most; n += 12) {
			struct sotto_workload *w = workload_of("pure(epsilon=0.01)");
			struct sotto_account_answer a;

			for (int j = 0; j < n; j++) {
				char text[200];
				double first = i == 0 ? 0.1 + 0.003 * j : 8 + 0.7 * j;

				(void)snprintf(text, sizeof text, shapes[i], first,
					       0.25 - 0.004 * j);
				CHECK(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
			}
			a = epsilon_of(w, "1e-6", SOTTO_PLD);
			CHECK(a.upper - a.lower <= 1e-6);
			sotto_workload_free(w);
		}
	}
}

/* Two vertices of the polygon below fall on one place here. */
static void a_group_in_cells_has_a_lower_side(void)
{
	struct sotto_account_answer a =
		epsilon_at("group(k=5, parallel(laplace(epsilon=0.120475), "
			   "geometric(epsilon=0.254292, sensitivity=3)))*2",
			   "1e-6", SOTTO_PLD);

	CHECK(a.upper - a.lower <= 1e-5);
}

/* Their values are slow: a rough cut and a better one do not both fit into the work of an answer. */
static void groups_of_shuffles_are_not_cut_twice(void)
{
	static const unsigned sizes[] = {17, 9, 14, 9, 12, 8, 10};
	static const unsigned users[] = {317546, 10158, 142330, 114195, 10853, 399713, 481185};
	static const char *const epsilons[] = {"1.47407", "1.76082", "0.899587", "1.28256",
					       "1.22024", "1.05404", "1.21663"};
	struct sotto_workload *w = NULL;
	struct sotto_account_answer a;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char text[200];

		(void)snprintf(text, sizeof text, "group(k=%u, shuffle(n=%u, epsilon0=%s))",
			       sizes[i], users[i], epsilons[i]);
		if (!w)
			w = workload_of(text);
		else
			CHECK(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	a = epsilon_of(w, "1e-4", SOTTO_PLD);
	CHECK(a.lower > 1.3 && a.upper < 1.33);
	sotto_workload_free(w);
}

/* Three groups: composed in another language, of polygons of some thousand corners, good to 1e-8. */
static void groups_of_cells_enclose_the_figures(void)
{
	static const struct {
		const char *delta;
		double epsilon;
	} figures[] = {{"1e-2", 7.679531836}, {"1e-3", 7.695823305}, {"1e-6", 7.697618205}};

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		struct sotto_account_answer a = epsilon_at(
			"group(k=3,parallel(laplace(epsilon=1.2563),pure(epsilon=0.1915))); "
			"group(k=2,parallel(laplace(epsilon=0.30941),pure(epsilon=0.063969))); "
			"group(k=3,parallel(laplace(epsilon=1.1033),pure(epsilon=0.36293)))",
			figures[i].delta, SOTTO_PLD);

		CHECK(a.lower <= figures[i].epsilon + 1e-8);
		CHECK(figures[i].epsilon - 1e-8 <= a.upper);
		CHECK(a.upper - a.lower <= 1e-7);
	}
}

/* Nearly all mass is at the largest loss, where all polygons have to end. */
static void groups_at_their_largest_loss_are_sharp(void)
{
	struct sotto_workload *w = workload_under("pure(epsilon=0.000001)", SOTTO_ADD_REMOVE);
	struct sotto_account_answer a;

	for (int i = 1; i <= 20; i++) {
		double laplace = 0.01 * pow(200, fmod(0.754877666 * i, 1)),
		       other = 0.01 * pow(200, fmod(0.569840291 * i, 1));
		char text[160];

		(void)snprintf(
			text, sizeof text,
			"group(k=%d, parallel(laplace(epsilon=%.9f), pure(epsilon=%.9f)))",
			2 + i % 3, laplace, other);
		CHECK(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	a = epsilon_of(w, "1e-6", SOTTO_PLD);
	CHECK(a.lower > 0);
	CHECK(a.upper - a.lower <= 1e-6);
	sotto_workload_free(w);
}

int main(void)
{
	RUN(laws_that_are_cut_where_they_bend_lie_on_their_sides);
	RUN(a_few_cells_with_atoms_agree_with_sums_over_a_lattice);
	RUN(dozens_of_disjoint_cells_are_sharp);
	RUN(a_group_in_cells_has_a_lower_side);
	RUN(groups_of_shuffles_are_not_cut_twice);
	RUN(groups_of_cells_enclose_the_figures);
	RUN(groups_at_their_largest_loss_are_sharp);
	return tap_done();
}
