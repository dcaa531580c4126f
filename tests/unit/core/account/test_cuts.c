/*
 * What happens at the edges of laws that are cut: laws without a finite part, more laws than fit, masses next to the least double,
 * halves of a curve that meet at a kink, and mass beyond the cells.
 *
 * Each was seen to fail, with the repair that it is for undone: an empty law that is read (loss_measure_cut.c) and measures that are freed
 * before more laws are refused (cut_more, discretized_curve.c), both under the address sanitizer; weights divided by the largest
 * exp(c loss) alone (largest, atom_list.c); halves that are not joined (sotto_polygon_join, curve_polygon.c); mass beyond the cells charged once for all events, or to no side
 * (note_lost, loss_measure_cut.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/account/law/atom_list.h"
#include "core/account/law/cells/curve_polygon.h"
#include "core/account/law/cells/law_cells.h"
#include "core/account/loss/measure/loss_measure.h"
#include "testlib/accountant/accounting.h"
#include "testlib/accountant/random_workload.h"
#include "testlib/tap.h"

/* ---- laws without a finite part ---- */

static void a_law_that_is_all_infinite_is_charged_whole(void)
{
	static const char *const events[] = {
		"parallel(approx(epsilon=1, delta=1), laplace(1))*2",
		"parallel(approx(epsilon=1, delta=1), gaussian(sigma=1))*2",
		"group(k=9007199254740992, sampled(rate=0.5, gaussian(sigma=0.5)))*2"};

	for (size_t i = 0; i < 3; i++) {
		struct sotto_workload *w = workload_of(events[i]);
		struct sotto_account_answer a = delta_of(w, "0.5", SOTTO_PLD);

		CHECK(a.upper == 1 && a.lower <= 1);
		CHECK(epsilon_of(w, "0.5", SOTTO_PLD).upper > 1e30);
		sotto_workload_free(w);
	}
}

/* ---- more laws than can be cut ---- */

/* The infinite mass leaves no bound, so that the laws which need not be cut are to be cut too; of those there are too many. */
static void laws_that_are_too_many_to_cut_stay_as_they_are(void)
{
	struct sotto_workload *w =
		workload_of("group(k=2, sampled(rate=0.1, gaussian(sigma=9)));"
			    "approx(epsilon=1, delta=0.5)");
	struct sotto_account_answer a;
	char text[80];

	for (int i = 0; i < 4200; i++) {
		(void)snprintf(text, sizeof text, "sampled(rate=0.%05d, gaussian(sigma=3))",
			       1000 + i);
		if (sotto_workload_add_text(w, text, NULL) != SOTTO_OK)
			abort();
	}
	a = epsilon_of(w, "1e-6", SOTTO_PLD);
	CHECK(!a.finite && a.reason);
	sotto_workload_free(w);
}

/* ---- masses next to the least double ---- */

/*
 * One atom far out with a mass next to the least double, and very many whose weights are, beside exp(c loss) of the first, half of the
 * least subnormal number each: they count for 6e-12 of M together.
 */
static void weights_of_very_many_atoms_are_not_lost_beside_one_far_out(void)
{
	enum { MANY = 60000 };
	const double far = 1400, mass = 0x1.1p-1022, log_half = -1075 * M_LN2, c = 1;
	double near = far + log_half + log(0.98 * MANY), truth;
	struct sotto_law law = {.count = 1};
	struct sotto_atoms quick, slow;

	CHECK(sotto_law_atoms_init(&law, MANY + 1) == SOTTO_OK);
	for (size_t i = 0; i < MANY; i++) {
		law.loss[i] = near;
		law.mass[i] = 1.0 / MANY;
	}
	law.loss[MANY] = far;
	law.mass[MANY] = mass;
	law.n = MANY + 1;
	law.mean = near;
	truth = far + log(mass) + log1p(exp(near - far - log(mass)));
	CHECK(sotto_atoms_tilt_quickly(&quick, &law, c, 1) == SOTTO_OK);
	CHECK(sotto_atoms_tilt(&slow, &law, c, 1) == SOTTO_OK);
	CHECK(fabs(quick.log_m - truth) <= quick.slack);
	CHECK(fabs(slow.log_m - truth) <= slow.slack);
	CHECK(quick.slack < 3e-12 && slow.slack < 3e-12);
	CHECK(quick.weight[0] > 0);
	sotto_atoms_release(&quick);
	sotto_atoms_release(&slow);
	law.class->release(&law);
}

/* ---- halves of a curve that meet at a kink ---- */

enum { VERTICES = 12 };

struct halves {
	double room[4][VERTICES + 2];
	struct sotto_polygon f, b;
};

/* A convex, falling half that begins at y. */
static void random_half(struct sotto_polygon *p, uint64_t *state, double y)
{
	unsigned n = 1 + random_below(state, VERTICES - 1);
	double x = 0;

	p->n = 0;
	sotto_polygon_add(p, 0, y);
	for (unsigned i = 1; i < n; i++) {
		x += 0.01 + random_below(state, 1000) / 400.0;
		y *= random_below(state, 1000) / 1000.0;
		sotto_polygon_add(p, x, y);
	}
}

/* P-mass of all outcomes but those without a loss; false if one is negative or no number. */
static bool has_masses(const struct sotto_polygon *p, bool mirrored, double *sum)
{
	for (size_t i = 1; i < p->n; i++) {
		double mass = sotto_polygon_mass(p, i, mirrored);

		if (!(mass >= 0) || !isfinite(p->x[i]))
			return false;
		*sum += mass;
	}
	return true;
}

/* At E = 1 the slope from the left, seen from there, is not above that to the right. */
static bool is_convex_at_1(const struct sotto_polygon *f, const struct sotto_polygon *b)
{
	double right, left, gap;

	if (f->x[0] != 0 || b->x[0] != 0 || f->n < 2 || b->n < 2)
		return true; /* one line passes it */
	right = sotto_slope_right(f->x[1], f->y[1] - f->y[0]);
	gap = -expm1(-b->x[1]);
	left = (f->y[0] - (gap + (1 - gap) * b->y[1])) / gap;
	return left <= right + 1e-12;
}

static void joined_halves_are_the_curve_of_a_law(void)
{
	uint64_t state = 11;
	int kinks = 0;

	for (int i = 0; i < 20000; i++) {
		struct halves h;
		double y = (1 + random_below(&state, 1000)) / 1000.0, sum = 0;

		h.f = (struct sotto_polygon){.x = h.room[0], .y = h.room[1]};
		h.b = (struct sotto_polygon){.x = h.room[2], .y = h.room[3]};
		random_half(&h.f, &state, y);
		random_half(&h.b, &state, y);
		kinks += !is_convex_at_1(&h.f, &h.b);
		sotto_polygon_join(&h.f, &h.b, y);
		CHECK(is_convex_at_1(&h.f, &h.b));
		CHECK(has_masses(&h.f, false, &sum) && has_masses(&h.b, true, &sum));
		CHECK(sum <= 1 + 1e-9);
	}
	CHECK(kinks > 1000); /* many were to be joined */
}

/* ---- what lies beyond the cells ---- */

enum { TIMES = 5 };

/* The mass beyond the cells of an event, on one side. */
static double mass_beyond(const struct sotto_event *e, const struct sotto_cutting *cutting,
			  enum sotto_side side)
{
	struct sotto_law law = {.count = 1};
	struct sotto_cuts cuts;
	double lost = NAN;

	CHECK(sotto_cells_of(&cuts, e, SOTTO_ADD_REMOVE, SOTTO_REMOVE, cutting) == SOTTO_OK);
	CHECK(sotto_cells_law(&cuts.above, side, &law, &lost) == SOTTO_OK);
	law.class->release(&law);
	sotto_cells_release(&cuts.above);
	sotto_cells_release(&cuts.below);
	return lost;
}

/* Cut where much lies beyond: above, it is lost to infinity in each event; below, what is kept of all is a power. */
static void mass_beyond_the_cells_is_charged_for_every_event(void)
{
	struct sotto_workload *w = workload_of("sampled(rate=0.3, gaussian(sigma=1))*5");
	struct sotto_cutting cutting = {.cells = 256, .tail = 4, .extent = SOTTO_CUT_ALL};
	struct sotto_cut_measures m;
	struct sotto_terms t;
	double up, down, infinite;

	CHECK(sotto_terms_of(&t, w) == SOTTO_OK && t.n == 1 && t.list[0].count == TIMES);
	CHECK(sotto_measure_cut(&m, &t, SOTTO_REMOVE, &cutting) == SOTTO_OK);
	up = mass_beyond(t.list[0].event, &cutting, SOTTO_UPPER);
	down = mass_beyond(t.list[0].event, &cutting, SOTTO_LOWER);
	CHECK(up > 0.01 && down >= up && down < 0.5);
	infinite = -expm1(mpfr_get_d(m.above.log_finite, MPFR_RNDN));
	CHECK(infinite >= (1 - pow(1 - up, TIMES)) * (1 - 1e-12));
	CHECK(infinite <= (1 - pow(1 - up, TIMES)) * (1 + 1e-12));
	CHECK(m.above.log_kept == 0 && mpfr_zero_p(m.below.log_finite));
	CHECK(m.below.log_kept <= TIMES * log1p(-down));
	CHECK(m.below.log_kept >= TIMES * log1p(-down) * (1 + 1e-9));
	sotto_cut_measures_release(&m);
	sotto_terms_release(&t);
	sotto_workload_free(w);
}

int main(void)
{
	RUN(a_law_that_is_all_infinite_is_charged_whole);
	RUN(laws_that_are_too_many_to_cut_stay_as_they_are);
	RUN(weights_of_very_many_atoms_are_not_lost_beside_one_far_out);
	RUN(joined_halves_are_the_curve_of_a_law);
	RUN(mass_beyond_the_cells_is_charged_for_every_event);
	return tap_done();
}
