/*
 * Laws in cells: above and below the truth at every epsilon, close to it, and coarse cells
 * above fine ones.
 */
#include "core/account/law/cells/law_cells.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/loss/loss_curve.h"
#include "testlib/tap.h"

/* delta(epsilon) of a law with finitely many atoms */
static double law_delta(const struct sotto_law *law, double epsilon)
{
	double sum = 0;

	for (size_t i = 0; i < law->n; i++)
		if (law->loss[i] > epsilon)
			sum += law->mass[i] * -expm1(epsilon - law->loss[i]);
	return sum;
}

static void make_terms(struct sotto_terms *t, const char *text, enum sotto_neighbours n)
{
	struct sotto_event *e = NULL;

	CHECK(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
	sotto_terms_init(t, n);
	CHECK(sotto_terms_add(t, e, 1) == SOTTO_OK);
	sotto_event_free(e);
}

/* Both laws of one direction against the event's own curve at many epsilons. */
static void
check_sides(const struct sotto_terms *t, enum sotto_direction direction, double close)
{
	struct sotto_cutting cutting = {.cells = 1 << 12, .tail = 60, .laws = 1};
	struct sotto_law above = {.count = 1}, below = {.count = 1}, coarse = {.count = 1};
	double infinite, lost, infinite_coarse;
	struct sotto_cells merged;
	struct sotto_curve *curve;
	struct sotto_cuts cuts;

	CHECK(sotto_cells_of(&cuts, t->list[0].event, t->neighbours, direction, &cutting) ==
	      SOTTO_OK);
	CHECK(sotto_cells_merge(&cuts.above, 16, &merged) == SOTTO_OK);
	CHECK(sotto_cells_law(&cuts.above, SOTTO_UPPER, &above, &infinite) == SOTTO_OK);
	CHECK(sotto_cells_law(cuts.below.at ? &cuts.below : &cuts.above, SOTTO_LOWER, &below,
			      &lost) == SOTTO_OK);
	CHECK(sotto_cells_law(&merged, SOTTO_UPPER, &coarse, &infinite_coarse) == SOTTO_OK);
	CHECK(sotto_curve_new(t, direction, &curve) == SOTTO_OK);
	CHECK(cuts.above.error < 1e-11 && cuts.below.error < 1e-11);
	for (int i = 0; i < 40; i++) {
		double epsilon = above.top * i / 50, low, high, truth, up, down;

		CHECK(sotto_curve_delta(curve, epsilon, &low, &high) == SOTTO_OK);
		truth = exp(high);
		up = infinite + (1 - infinite) * law_delta(&above, epsilon);
		down = (1 - lost) * law_delta(&below, epsilon);
		CHECK(up >= exp(low) * (1 - 1e-12 - cuts.above.error));
		CHECK(down <= truth * (1 + 1e-12 + cuts.below.error));
		CHECK(law_delta(&coarse, epsilon) >= law_delta(&above, epsilon) * (1 - 1e-12));
		CHECK(up - down <= close);
	}
	sotto_curve_free(curve);
	above.class->release(&above);
	below.class->release(&below);
	coarse.class->release(&coarse);
	sotto_cells_release(&merged);
	sotto_cells_release(&cuts.above);
	sotto_cells_release(&cuts.below);
}

/* The same with a few outcomes in place of cells. */
static void check_outcomes(const struct sotto_terms *t, enum sotto_direction direction,
			   size_t outcomes, double close)
{
	struct sotto_cutting cutting = {
		.cells = outcomes, .tail = 60, .laws = 1, .of_many = true};
	struct sotto_law above = {.count = 1}, below = {.count = 1};
	double infinite, lost;
	struct sotto_curve *curve;
	struct sotto_cuts cuts;

	CHECK(sotto_cells_of(&cuts, t->list[0].event, t->neighbours, direction, &cutting) ==
	      SOTTO_OK);
	CHECK(cuts.above.loss && cuts.above.outcomes <= outcomes + 4);
	CHECK(sotto_cells_law(&cuts.above, SOTTO_UPPER, &above, &infinite) == SOTTO_OK);
	CHECK(sotto_cells_law(&cuts.below, SOTTO_LOWER, &below, &lost) == SOTTO_OK);
	CHECK(sotto_curve_new(t, direction, &curve) == SOTTO_OK);
	for (int i = 0; i < 60; i++) {
		double epsilon = above.top * i * i / 4000, low, high, up, down;

		CHECK(sotto_curve_delta(curve, epsilon, &low, &high) == SOTTO_OK);
		up = infinite + (1 - infinite) * law_delta(&above, epsilon);
		down = (1 - lost) * law_delta(&below, epsilon);
		CHECK(up >= exp(low) * (1 - 1e-11));
		CHECK(down <= exp(high) * (1 + 1e-11));
		CHECK(up - down <= close);
	}
	sotto_curve_free(curve);
	above.class->release(&above);
	below.class->release(&below);
	sotto_cells_release(&cuts.above);
	sotto_cells_release(&cuts.below);
}

static void laws_of_few_outcomes_lie_on_their_sides(void)
{
	static const char *const texts[] = {
		"parallel(gaussian(sigma=20), laplace(epsilon=0.05))",
		"parallel(gaussian(sigma=0.5), laplace(epsilon=3))",
		"parallel(laplace(epsilon=1), geometric(epsilon=1.1, sensitivity=3))",
		"group(k=2, sampled(rate=0.01, gaussian(sigma=4)))",
		"group(k=2, sampled(rate=0.3, gaussian(sigma=8)))",
		"group(k=3, sampled(rate=0.1, laplace(epsilon=1)))",
		"sampled(rate=0.1, laplace(epsilon=0.3)*3)",
	};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct sotto_terms t;

		make_terms(&t, texts[i], SOTTO_ADD_REMOVE);
		for (size_t n = 64; n <= 1024; n *= 4) {
			check_outcomes(&t, SOTTO_REMOVE, n, n > 1000 ? 1e-3 : 0.1);
			check_outcomes(&t, SOTTO_ADD, n, n > 1000 ? 1e-3 : 0.1);
		}
		sotto_terms_release(&t);
	}
}

static void check_event(const char *text, enum sotto_neighbours neighbours, double close)
{
	struct sotto_terms t;

	make_terms(&t, text, neighbours);
	check_sides(&t, SOTTO_REMOVE, close);
	check_sides(&t, SOTTO_ADD, close);
	sotto_terms_release(&t);
}

static void sampled_laws_lie_between_their_cells(void)
{
	check_event("sampled(rate=0.1, gaussian(sigma=1))", SOTTO_ADD_REMOVE, 1e-4);
	check_event("sampled(rate=0.7, gaussian(sigma=0.3))", SOTTO_ADD_REMOVE, 1e-3);
	check_event("sampled(rate=0.1, laplace(epsilon=1))", SOTTO_ADD_REMOVE, 1e-6);
	check_event("sampled(rate=0.9, laplace(epsilon=4))", SOTTO_ADD_REMOVE, 1e-5);
}

static void laws_from_curves_lie_between_their_cells(void)
{
	check_event("parallel(laplace(epsilon=1), geometric(epsilon=1.1, sensitivity=3))",
		    SOTTO_ADD_REMOVE, 1e-4);
	check_event("sampled(rate=0.1, laplace(epsilon=0.3)*3)", SOTTO_ADD_REMOVE, 1e-6);
	check_event("group(k=3, sampled(rate=0.1, laplace(epsilon=1)))", SOTTO_ADD_REMOVE,
		    1e-3);
}

static void clones_lie_between_their_cells(void)
{
	check_event("shuffle(n=1000, epsilon0=1)", SOTTO_REPLACE, 1e-6);
	check_event("shuffle(n=50, epsilon0=3, randomizer=binary)", SOTTO_REPLACE, 1e-5);
}

/* e^loss passes the largest double here */
static void laws_of_large_losses_lie_between_their_cells(void)
{
	check_event("parallel(gaussian(sigma=0.03), laplace(epsilon=1))", SOTTO_ADD_REMOVE,
		    1e-2);
}

static void a_single_loss_has_cells(void)
{
	struct sotto_cutting cutting = {.cells = 16, .tail = 50, .laws = 1};
	struct sotto_cells c;

	CHECK(sotto_cells_init(&c, 1, 1, &cutting) == SOTTO_OK);
	CHECK(c.d > 0 && c.d * (double)c.n < 1e-5);
	sotto_cells_add(&c, 1, 1);
	CHECK(c.above == 0 && c.below == 0);
	sotto_cells_release(&c);
}

static void a_range_that_is_not_finite_is_refused(void)
{
	struct sotto_cutting cutting = {.cells = 16, .tail = 50, .laws = 1};
	struct sotto_cells c;

	CHECK(sotto_cells_init(&c, 0, INFINITY, &cutting) == SOTTO_ERANGE);
	CHECK(sotto_cells_init(&c, NAN, 1, &cutting) == SOTTO_ERANGE);
}

int main(void)
{
	RUN(sampled_laws_lie_between_their_cells);
	RUN(laws_from_curves_lie_between_their_cells);
	RUN(laws_of_few_outcomes_lie_on_their_sides);
	RUN(clones_lie_between_their_cells);
	RUN(laws_of_large_losses_lie_between_their_cells);
	RUN(a_single_loss_has_cells);
	RUN(a_range_that_is_not_finite_is_refused);
	return tap_done();
}
