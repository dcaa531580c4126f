/*
 * Disjoint cells of which somebody leaves one and enters another: two cells and what is above them against the largest of the curves of all couples, each a sum
 * over fine lists of outcomes; and workloads of such events against those of the two cells that cost most, and against laws by pieces.
 *
 * Faults that were planted, each seen to fail: couples with the least cell only (couples.c); runs that have the Q-mass of the run one farther down
 * (couple_curve.c); outcomes moved to the near end of their cell (cell_lattice.c); of Gaussian noise the density with a mean of 0; of randomized response the
 * other answers left out; eight rows of products with the first one twice (couple_block.c); cells in the order of their losses (worst_couple.c), and what others
 * are above the first of two, or the second, left out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/event/event.h"
#include "core/account/law/couples/couples.h"
#include "core/account/law/couples/law_raised.h"
#include "core/account/law/couples/worst_couple.h"
#include "sotto/account.h"
#include "testlib/accountant/accounting.h"
#include "testlib/tap.h"

enum { OUTCOMES = 60000, CELLS = 4 };

static void must(bool done)
{
	if (!done)
		abort();
}

/* One cell as a fine list. */
struct listed {
	size_t n;
	double loss[OUTCOMES], mass[OUTCOMES];
};

static void put(struct listed *l, double loss, double mass)
{
	must(l->n < OUTCOMES);
	l->loss[l->n] = loss;
	l->mass[l->n++] = mass;
}

/* A mass and its opposite. */
static void put_both(struct listed *l, double loss, double mass)
{
	put(l, loss, mass);
	put(l, -loss, mass * exp(-loss));
}

static void list_laplace(struct listed *l, double a)
{
	int n = 4000;

	put_both(l, a, 0.5);
	for (int i = 0; i < n; i++) {
		double x = -a + 2 * a * (i + 0.5) / n;

		put(l, x, 0.25 * exp(0.5 * (x - a)) * 2 * a / n);
	}
}

static void list_gaussian(struct listed *l, double mu)
{
	int n = 1200;

	for (int i = -n; i <= n; i++) {
		double z = 10.0 * i / n;

		put(l, mu * z + 0.5 * mu * mu, exp(-0.5 * z * z) / sqrt(2 * M_PI) * 10 / n);
	}
}

static void list_discrete(struct listed *l, double v, double s)
{
	double all = 0;

	for (int k = -200; k <= 200; k++)
		all += exp(-k * k / (2 * v));
	for (int k = -200; k <= 200; k++)
		put(l, s * (s + 2 * k) / (2 * v), exp(-k * k / (2 * v)) / all);
}

static void list_shuffle(struct listed *l, double n, double e0)
{
	double p = exp(-e0), a = 1 / (1 + p), b = p / (1 + p);

	for (double c = 0; c < n; c++) {
		double clones = lgamma(n) - lgamma(c + 1) - lgamma(n - c) - c * e0 +
				(n - 1 - c) * log1p(-p);

		for (double x = 0; x <= c + 1; x++) {
			double ways = lgamma(c + 2) - lgamma(x + 1) - lgamma(c + 2 - x) -
				      (c + 1) * M_LN2,
			       lean = a * x + b * (c + 1 - x), back = b * x + a * (c + 1 - x);

			put(l, log(lean / back), exp(clones + ways) * lean / (c + 1) * 2);
		}
	}
}

static void list_geometric(struct listed *l, double a, int s)
{
	double q = exp(-a);

	put(l, a * s, 1 / (1 + q));
	for (int j = 1; j < s; j++)
		put(l, a * (s - 2 * j), (1 - q) / (1 + q) * pow(q, j));
	put(l, -a * s, pow(q, s) / (1 + q));
}

static void list_response(struct listed *l, double e, double k)
{
	double d = exp(e) + k - 1;

	put_both(l, e, exp(e) / d);
	put(l, 0, (k - 2) / d);
}

/* What two lists together cost at x: the sum over one of the curve of the other, which is sorted and summed from the top. */
static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct tails {
	size_t n;
	double *loss, *p, *q; /* of each and all above it */
};

static void make_tails(const struct listed *l, struct tails *t)
{
	double(*pairs)[2] = malloc(l->n * sizeof *pairs);

	*t = (struct tails){l->n, malloc((l->n + 1) * sizeof *t->loss),
			    malloc((l->n + 1) * sizeof *t->p),
			    malloc((l->n + 1) * sizeof *t->q)};
	must(pairs && t->loss && t->p && t->q);
	for (size_t i = 0; i < l->n; i++) {
		pairs[i][0] = l->loss[i];
		pairs[i][1] = l->mass[i];
	}
	qsort(pairs, l->n, sizeof *pairs, compare);
	t->p[l->n] = t->q[l->n] = 0;
	for (size_t i = l->n; i-- > 0;) {
		t->loss[i] = pairs[i][0];
		t->p[i] = t->p[i + 1] + pairs[i][1];
		t->q[i] = t->q[i + 1] + pairs[i][1] * exp(-pairs[i][0]);
	}
	free(pairs);
}

static double curve_at(const struct tails *t, double x)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->loss[middle] <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return t->p[low] - exp(x) * t->q[low];
}

static double couple_at(const struct tails *a, const struct listed *b, double x)
{
	double sum = 0;

	for (size_t i = 0; i < b->n; i++)
		sum += b->mass[i] * curve_at(a, x - b->loss[i]);
	return sum;
}

/* What is above the two cells, straight in E between the points, and nothing beyond the last. */
static double above_at(const struct sotto_points *p, double x)
{
	for (size_t i = 1; i < p->n; i++)
		if (x <= p->x[i])
			return p->value[i] +
			       (p->value[i - 1] - p->value[i]) * (expm1(p->x[i] - x) * exp(x)) /
				       (expm1(p->x[i] - p->x[i - 1]) * exp(p->x[i - 1]));
	return 0;
}

/* Cells in the order of the text, their kinds, and what others are above two of them at least. */
struct checked {
	const char *text;
	int n;
	double least;
	struct listed *cells[CELLS];
	enum sotto_event_kind kinds[CELLS];
};

static struct listed lists[8];

/* Fine lists of continuous noise are themselves good to so much. */
#define CLOSE 2e-7

static struct sotto_event *simple_event(const char *text)
{
	struct sotto_event *parsed, *e;

	must(sotto_event_parse(text, NULL, NULL, &parsed, NULL) == SOTTO_OK);
	must(sotto_event_simplify(parsed, SOTTO_REPLACE, &e) == SOTTO_OK);
	sotto_event_free(parsed);
	return e;
}

/* Where a child is in the text. */
static size_t cell_of(const struct checked *c, const struct sotto_event *e, size_t child)
{
	size_t i = 0;

	while (c->kinds[i] != e->children[child]->kind)
		i++;
	return i;
}

/* From E = 1 on: the areas on both sides of the truth, counted as the error is at an order that is next to nothing. */
static void check_event(const struct checked *c)
{
	const struct sotto_couples_share share = {{400, 1e9, 20000}, 1, 0, 1e-3};
	struct sotto_event *e = simple_event(c->text);
	struct sotto_largest_couple largest;
	struct tails tails[CELLS];
	double area = 0, raised = 0, step;
	size_t one, other;

	CHECK(sotto_couples_possible(e, SOTTO_REPLACE));
	must(sotto_couples_largest(e, &share, NULL, &largest) == SOTTO_OK);
	for (int i = 0; i < c->n; i++)
		make_tails(c->cells[i], &tails[i]);
	one = cell_of(c, e, largest.one);
	other = cell_of(c, e, largest.other);
	step = 1.1 * largest.top / 300;
	for (double x = step / 2; x < 1.1 * largest.top; x += step) {
		double base = couple_at(&tails[one], c->cells[other], x), truth = base,
		       above = above_at(&largest.above, x);

		for (int i = 0; i < c->n; i++)
			for (int j = 0; j < i; j++)
				truth = fmax(truth, couple_at(&tails[i], c->cells[j], x));
		area += fabs(truth - base - above) * step * (1 + exp(-x));
		raised += (truth - base) * step;
	}
	printf("# %s: raised by %g, wrong by %g of %g\n", c->text, raised, area,
	       largest.error.area[0]);
	CHECK(raised > c->least);
	CHECK(area < largest.error.area[0] + CLOSE);
	CHECK(largest.error.area[0] < 1e-3);
	for (int i = 0; i < c->n; i++) {
		free(tails[i].loss);
		free(tails[i].p);
		free(tails[i].q);
	}
	free(largest.above.x);
	sotto_event_free(e);
}

static void the_largest_curve_is_two_cells_and_what_is_above_them(void)
{
	struct listed *laplace = &lists[0], *gaussian = &lists[1], *shuffle = &lists[2],
		      *discrete = &lists[3], *response = &lists[4], *geometric = &lists[5],
		      *pure = &lists[6];
	const struct checked checked[] = {
		{"parallel(laplace(epsilon=0.7),gaussian(sigma=2),shuffle(n=40,epsilon0=1))",
		 3,
		 0,
		 {laplace, gaussian, shuffle},
		 {SOTTO_EVENT_LAPLACE, SOTTO_EVENT_GAUSSIAN, SOTTO_EVENT_SHUFFLE}},
		{"parallel(discrete-gaussian(sigma=3,sensitivity=2),randomized-response("
		 "epsilon=0.9,k=5)"
		 ",shuffle(n=40,epsilon0=1),gaussian(sigma=2))",
		 4,
		 1e-6,
		 {discrete, response, shuffle, gaussian},
		 {SOTTO_EVENT_DISCRETE_GAUSSIAN, SOTTO_EVENT_RANDOMIZED_RESPONSE,
		  SOTTO_EVENT_SHUFFLE, SOTTO_EVENT_GAUSSIAN}},
		{"parallel(geometric(epsilon=1.2,sensitivity=3),shuffle(n=40,epsilon0=1),"
		 "laplace(epsilon=0.7))",
		 3,
		 1e-6,
		 {geometric, shuffle, laplace},
		 {SOTTO_EVENT_GEOMETRIC, SOTTO_EVENT_SHUFFLE, SOTTO_EVENT_LAPLACE}},
		{"parallel(pure(epsilon=0.6),randomized-response(epsilon=0.9,k=5),laplace("
		 "epsilon=0.7))",
		 3,
		 1e-3,
		 {pure, response, laplace},
		 {SOTTO_EVENT_PURE, SOTTO_EVENT_RANDOMIZED_RESPONSE, SOTTO_EVENT_LAPLACE}},
		{"parallel(geometric(epsilon=1.2,sensitivity=3),gaussian(sigma=2),discrete-"
		 "gaussian("
		 "sigma=3,sensitivity=2))",
		 3,
		 0,
		 {geometric, gaussian, discrete},
		 {SOTTO_EVENT_GEOMETRIC, SOTTO_EVENT_GAUSSIAN, SOTTO_EVENT_DISCRETE_GAUSSIAN}},
	};

	list_laplace(laplace, 0.7);
	list_gaussian(gaussian, 0.5);
	list_shuffle(shuffle, 40, 1);
	list_discrete(discrete, 9, 2);
	list_response(response, 0.9, 5);
	list_geometric(geometric, 0.4, 3);
	put_both(pure, 0.6, 1 / (1 + exp(-0.6)));
	for (size_t i = 0; i < sizeof checked / sizeof checked[0]; i++)
		check_event(&checked[i]);
}

/* A couple is the worst only where no other two are above it, and none is said to be where others are. */
static void the_worst_couple_is_above_all_others(void)
{
	static const char narrow[] =
		"parallel(laplace(epsilon=0.7),gaussian(sigma=2),shuffle(n=40,epsilon0=0.1))",
			  farther[] = "parallel(laplace(epsilon=0.45),gaussian(sigma=2),"
				      "discrete-gaussian(sigma=20))";
	static const char *const crossing[] = {
		"parallel(laplace(epsilon=0.7),gaussian(sigma=2),shuffle(n=40,epsilon0=1))",
		"parallel(laplace(epsilon=0.1),gaussian(sigma=2),shuffle(n=400,epsilon0=1))",
		("parallel(randomized-response(epsilon=0.9,k=5),laplace(epsilon=0.7),gaussian("
		 "sigma=2))"),
	};
	struct listed *cells[3] = {&lists[0], &lists[1], &lists[7]};
	struct sotto_worst_couple worst;
	struct sotto_event *e;
	struct tails tails[3];

	list_shuffle(cells[2], 40, 0.1);
	e = simple_event(narrow);
	CHECK(sotto_worst_couple_of(e, NULL, &worst) == SOTTO_OK);
	CHECK(worst.left_out < 1e-16 && e->children[worst.one]->kind != SOTTO_EVENT_SHUFFLE &&
	      e->children[worst.other]->kind != SOTTO_EVENT_SHUFFLE);
	sotto_event_free(e);
	e = simple_event(farther); /* with the larger losses, which next to nobody has */
	CHECK(sotto_worst_couple_of(e, NULL, &worst) == SOTTO_OK);
	CHECK(e->children[worst.one]->kind != SOTTO_EVENT_DISCRETE_GAUSSIAN &&
	      e->children[worst.other]->kind != SOTTO_EVENT_DISCRETE_GAUSSIAN);
	sotto_event_free(e);
	for (int i = 0; i < 3; i++)
		make_tails(cells[i], &tails[i]);
	for (double x = 0; x < 6; x += 0.05) {
		double most = couple_at(&tails[0], cells[1], x) + CLOSE;

		CHECK(most > couple_at(&tails[0], cells[2], x));
		CHECK(most > couple_at(&tails[1], cells[2], x));
	}
	for (int i = 0; i < 3; i++) {
		free(tails[i].loss);
		free(tails[i].p);
		free(tails[i].q);
	}
	for (size_t i = 0; i < sizeof crossing / sizeof crossing[0]; i++) {
		e = simple_event(crossing[i]);
		CHECK(sotto_worst_couple_of(e, NULL, &worst) == SOTTO_EREFUSED);
		sotto_event_free(e);
	}
}

/* Of 40 events, of which the third cell costs next to nothing: as much as the other two together. */
static bool costs_nothing(const char *third, int count, const char *delta)
{
	static char three[8000], two[8000];
	char *end = three, *other = two;
	struct sotto_workload *of_three, *of_two;
	struct sotto_account_answer a, b;

	for (int i = 0; i < count; i++) {
		double epsilon = 0.3 + 0.01 * i, sigma = 3 + 0.1 * i;

		end += sprintf(end,
			       "%sparallel(laplace(epsilon=%.17g),gaussian(sigma=%.17g),%s)",
			       i ? ";" : "", epsilon, sigma, third);
		other += sprintf(other, "%slaplace(epsilon=%.17g);gaussian(sigma=%.17g)",
				 i ? ";" : "", epsilon, sigma);
	}
	of_three = workload_under(three, SOTTO_REPLACE);
	of_two = workload_under(two, SOTTO_REPLACE);
	a = epsilon_of(of_three, delta, SOTTO_PLD);
	b = epsilon_of(of_two, delta, SOTTO_PLD);
	sotto_workload_free(of_three);
	sotto_workload_free(of_two);
	CHECK(a.lower <= b.upper && a.upper >= b.lower);
	return a.upper - a.lower < 1e-6;
}

/* (Kills: composing the worst couple beside many events only.) */
static void a_third_cell_that_costs_nothing_changes_nothing(void)
{
	CHECK(costs_nothing("shuffle(n=100000,epsilon0=0.3)", 40, "1e-6"));
	CHECK(costs_nothing("discrete-gaussian(sigma=30)", 40, "1e-6"));
	CHECK(costs_nothing("discrete-gaussian(sigma=30)", 3, "1e-6"));
}

/* A shuffled report is known up to 1e-17 or so.  (Kills: forgetting how far others may be above the worst couple.) */
static void what_others_may_be_above_the_worst_couple_is_charged(void)
{
	CHECK(!costs_nothing("shuffle(n=100000,epsilon0=0.3)", 40, "1e-30"));
}

/*
 * A cell of two far losses takes what the other two cost more apart: the largest of its couples is that cell with the larger of the other two curves, which has a
 * law of its own where somebody is added or removed (law_pieces.md).
 */
static void a_cell_of_two_far_losses_goes_with_the_larger_of_the_others(void)
{
	static char cells[40000], apart[40000];
	char *end = cells, *other = apart;
	struct sotto_workload *in_cells, *by_pieces;
	struct sotto_account_answer a, b;

	for (int i = 0; i < 200; i++) {
		double far = 1 + 0.005 * i, near = 0.1 + 0.001 * i, sigma = 12 + 0.05 * i;

		end += sprintf(end,
			       "%sparallel(pure(epsilon=%.17g),laplace(epsilon=%.17g),"
			       "discrete-gaussian(sigma=%.17g))",
			       i ? ";" : "", far, near, sigma);
		other += sprintf(other,
				 "%spure(epsilon=%.17g);parallel(laplace(epsilon=%.17g),"
				 "discrete-gaussian(sigma=%.17g))",
				 i ? ";" : "", far, near, sigma);
	}
	in_cells = workload_under(cells, SOTTO_REPLACE);
	by_pieces = workload_under(apart, SOTTO_ADD_REMOVE);
	a = epsilon_of(in_cells, "1e-6", SOTTO_PLD);
	b = epsilon_of(by_pieces, "1e-6", SOTTO_PLD);
	sotto_workload_free(in_cells);
	sotto_workload_free(by_pieces);
	printf("# %.9f %.9f, %.9f %.9f\n", a.lower, a.upper, b.lower, b.upper);
	CHECK(a.lower <= b.upper && a.upper >= b.lower);
	CHECK(a.upper - a.lower < 1e-4);
	CHECK(b.upper - b.lower < 1e-6);
}

/* Areas at high orders overflow, and may come out as no number: nothing is known there, and not that nothing is above. */
static void an_area_that_overflowed_is_not_none(void)
{
	struct sotto_rise r = sotto_rise_none(64);

	for (int i = 0; i < SOTTO_RISE_ORDERS; i++)
		r.area[i] = i < 5 ? 1e-5 : i < 6 ? INFINITY : NAN;
	CHECK(sotto_rise_is(&r));
	CHECK(sotto_rise_error(&r, 1, 0) > 1e-5);
	CHECK(sotto_rise_error(&r, 4, 0) > 1e-5 && sotto_rise_error(&r, 4, 0) < 1);
	CHECK(isinf(sotto_rise_error(&r, 12, 0)));
	CHECK(isinf(sotto_rise_error(&r, 20, 0)));
	CHECK(isinf(sotto_rise_error(&r, 60, 0)));
	CHECK(isinf(sotto_rise_error(&r, 65, 0)));
}

/* What a polygon of such an area of error is charged, over M(2): at the real point, and at the last of a block of nodes. */
static void charge_of(double area, double *at_point, double *at_node)
{
	double x[] = {0, 0.5, 1}, value[] = {0.01, 0.005, 0}, log_m;
	struct sotto_largest_couple largest = {.above = {.x = x, .value = value, .n = 3},
					       .error = sotto_rise_none(64),
					       .top = 1};
	struct sotto_block b = {.c = 2, .h = 0.1, .n = SOTTO_BLOCK};
	struct sotto_law law = {.count = 1, .top = 1};
	void *state = NULL;

	for (int i = 0; i < SOTTO_RISE_ORDERS; i++)
		largest.error.area[i] = area;
	for (int i = 0; i < SOTTO_BLOCK; i++)
		b.re[i] = 1;
	must(sotto_law_raised_of(&law, NULL, 0, 0.25, &largest, true) == SOTTO_OK);
	must(law.class->begin(&law, b.c, b.h, &state, &log_m, at_point) == SOTTO_OK);
	law.class->apply(&law, state, &b);
	*at_node = b.absolute[SOTTO_BLOCK - 1];
	*at_point *= exp(log_m);
	*at_node *= exp(log_m);
	law.class->end(state);
	law.class->release(&law);
}

/* |s(s+1)| times the area.  (Kills: a law that takes the polygon for the truth.) */
static void what_the_polygon_may_be_wrong_by_is_charged(void)
{
	double none_at_point, none_at_node, point, node, t = 0.1 * (SOTTO_BLOCK - 1),
							 at_node = hypot(2, t) * hypot(3, t);

	charge_of(0, &none_at_point, &none_at_node);
	charge_of(1e-4, &point, &node);
	CHECK(point - none_at_point >= 6e-4 && point < 8e-4);
	CHECK(node - none_at_node >= 1e-4 * at_node * (1 - 1e-9) && node < 1.3e-4 * at_node);
}

int main(void)
{
	RUN(the_largest_curve_is_two_cells_and_what_is_above_them);
	RUN(an_area_that_overflowed_is_not_none);
	RUN(the_worst_couple_is_above_all_others);
	RUN(a_cell_of_two_far_losses_goes_with_the_larger_of_the_others);
	RUN(a_third_cell_that_costs_nothing_changes_nothing);
	RUN(what_others_may_be_above_the_worst_couple_is_charged);
	RUN(what_the_polygon_may_be_wrong_by_is_charged);
	return tap_done();
}
