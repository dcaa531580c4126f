/*
 * Many distinct events, of which the accountant looks only at the nodes that matter, against sums over a fine grid
 * of losses.
 *
 * Faults that were planted, each seen to fail: nodes between those that a scan looks at taken for as small as these
 * (contour_scan.c, slip 0 and every 32nd node); the masses of a sampled discrete Gaussian without those of Q
 * (outcomes.c); the rule of a sampled Gaussian with a step for 5 digits, charged as if for 32 (law_sgauss.c);
 * blocks called nothing from 0.3 of the sum on (contour.c).
 * Laws from curves: a lower polygon with its vertices on the curve (law_cells_curve.c; laws_of_few_outcomes_lie_on_their_sides in
 * test_cells.c fails as well, and also if the upper values are moved down by 1e-9).  A large event: every fourth law in place of
 * those that weigh most (loss_measure_steer.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sotto/account.h"
#include "testlib/effort.h"
#include "testlib/sanitized.h"
#include "testlib/tap.h"

static void must(bool done)
{
	if (!done)
		abort();
}

enum { EVENTS = 120, ATOMS_MAX = 400 };

/* What the sums over the grid are good to, and how near the two sides must be, relative to delta. */
#define CLOSE 1e-7
#define WIDTH 6e-5

/* One event's losses and their probabilities under P. */
struct listed {
	size_t n;
	double loss[ATOMS_MAX], mass[ATOMS_MAX];
};

/* Probabilities of the losses (first + i) d; each outcome is shared by its two neighbours so that P and Q are kept. */
struct grid {
	double d;
	long first;
	size_t n;
	double *mass, *next;
};

static void grid_init(struct grid *g, double d, double low, double high)
{
	*g = (struct grid){
		.d = d, .first = (long)floor(low / d), .n = (size_t)((high - low) / d)};
	g->mass = calloc(g->n, sizeof *g->mass);
	g->next = calloc(g->n, sizeof *g->next);
	must(g->mass && g->next);
	g->mass[-g->first] = 1;
}

static void grid_release(struct grid *g)
{
	free(g->mass);
	free(g->next);
}

UNWATCHED static void grid_shift(struct grid *g, long by, double share)
{
	long from = by < 0 ? -by : 0, to = by > 0 ? (long)g->n - by : (long)g->n;
	const double *mass = g->mass;
	double *next = g->next + by;

	for (long i = from; i < to; i++)
		next[i] += share * mass[i];
}

static void grid_add(struct grid *g, const struct listed *l)
{
	double *swap = g->mass;

	for (size_t i = 0; i < g->n; i++)
		g->next[i] = 0;
	for (size_t i = 0; i < l->n; i++) {
		long cell = (long)floor(l->loss[i] / g->d);
		double rest = l->loss[i] - (double)cell * g->d;
		double right = -expm1(-rest) / -expm1(-g->d);

		grid_shift(g, cell, l->mass[i] * (1 - right));
		grid_shift(g, cell + 1, l->mass[i] * right);
	}
	g->mass = g->next;
	g->next = swap;
}

static double grid_delta(const struct grid *g, double epsilon)
{
	double sum = 0;

	for (size_t i = 0; i < g->n; i++) {
		double loss = (double)(g->first + (long)i) * g->d;

		if (loss > epsilon)
			sum += g->mass[i] * -expm1(epsilon - loss);
	}
	return sum;
}

/* P = (1-q) Q + q P0 against Q, or P0 against (1-q) P0 + q Q, from the outcomes of P0 against Q. */
static void sample(struct listed *l, double q, bool removed)
{
	for (size_t i = 0; i < l->n; i++) {
		double loss = l->loss[i];

		if (removed) {
			l->mass[i] *= q + (1 - q) * exp(-loss);
			l->loss[i] = log1p(q * expm1(loss));
		} else {
			l->loss[i] = -log1p(q * expm1(-loss));
		}
	}
}

static void list_pure(struct listed *l, double e)
{
	*l = (struct listed){2, {e, -e}, {1 / (1 + exp(-e)), 1 / (1 + exp(e))}};
}

static void list_gaussian(struct listed *l, double sigma)
{
	int reach = (int)(12 * sigma) + 2;
	double sum = 0;

	l->n = 0;
	for (int x = -reach; x <= reach + 1; x++) {
		l->loss[l->n] = (1 - 2.0 * x) / (2 * sigma * sigma);
		l->mass[l->n] = exp(-x * x / (2 * sigma * sigma));
		sum += l->mass[l->n++];
	}
	for (size_t i = 0; i < l->n; i++)
		l->mass[i] /= sum;
}

/* The i-th of a family: as text, and as a list. */
struct family {
	const char *what;
	void (*write)(int i, char *text, size_t size);
	void (*list)(int i, bool removed, struct listed *l);
	double d, reach, epsilon;
	int n;
	double close;
};

static double part(int i)
{
	return 1 + i / 173.0;
}

static void write_sampled_pure(int i, char *text, size_t size)
{
	(void)snprintf(text, size, "sampled(rate=%.17g, pure(epsilon=%.17g))", 0.1 * part(i),
		       0.2 * part(i));
}

static void list_sampled_pure(int i, bool removed, struct listed *l)
{
	list_pure(l, 0.2 * part(i));
	sample(l, 0.1 * part(i), removed);
}

static void write_sampled_gaussian(int i, char *text, size_t size)
{
	(void)snprintf(text, size, "sampled(rate=%.17g, discrete-gaussian(sigma=%.17g))",
		       0.02 * part(i), 2 * part(i));
}

static void list_sampled_gaussian(int i, bool removed, struct listed *l)
{
	list_gaussian(l, 2 * part(i));
	sample(l, 0.02 * part(i), removed);
}

static void write_narrow(int i, char *text, size_t size)
{
	(void)snprintf(text, size, "discrete-gaussian(sigma=%.17g)", 0.9 * part(i));
}

static void list_narrow(int i, bool removed, struct listed *l)
{
	(void)removed;
	list_gaussian(l, 0.9 * part(i));
}

static void write_sampled_real(int i, char *text, size_t size)
{
	(void)snprintf(text, size, "sampled(rate=%.17g, gaussian(sigma=%.17g))",
		       0.005 * part(i), part(i));
}

/* Points of a rule that is exact to all digits for smooth functions: sums of many such losses are as good as smooth. */
static void list_sampled_real(int i, bool removed, struct listed *l)
{
	double mu = 1 / part(i), step = 0.05;

	l->n = 0;
	for (double z = -7.5; z < 9.5; z += step) {
		l->loss[l->n] = mu * z - mu * mu / 2;
		l->mass[l->n++] = step * exp(-(z - mu) * (z - mu) / 2) / sqrt(2 * M_PI);
	}
	if (!removed) /* P0 is the law without the unit: losses change their sign */
		for (size_t j = 0; j < l->n; j++) {
			l->mass[j] *= exp(-l->loss[j]);
			l->loss[j] = -l->loss[j];
		}
	sample(l, 0.005 * part(i), removed);
}

static void write_repeated_laplace(int i, char *text, size_t size)
{
	(void)snprintf(text, size, "sampled(rate=%.17g, laplace(epsilon=%.17g)*2)",
		       0.1 * part(i), 0.2 * part(i));
}

/* Two atoms and a density, by Gauss-Legendre panels of three points. */
static void list_laplace(struct listed *l, double a)
{
	enum { PANELS = 5 };
	double half = a / PANELS, away = sqrt(0.6) * half;

	*l = (struct listed){2, {a, -a}, {0.5, 0.5 * exp(-a)}};
	for (int i = 0; i < PANELS; i++)
		for (int j = -1; j <= 1; j++) {
			double x = -a + (2 * i + 1) * half + j * away;

			l->loss[l->n] = x;
			l->mass[l->n++] = half * (j ? 5 : 8) / 9 * exp((x - a) / 2) / 4;
		}
}

static void list_repeated_laplace(int i, bool removed, struct listed *l)
{
	struct listed one;

	list_laplace(&one, 0.2 * part(i));
	l->n = 0;
	for (size_t j = 0; j < one.n; j++)
		for (size_t k = 0; k < one.n; k++) {
			l->loss[l->n] = one.loss[j] + one.loss[k];
			l->mass[l->n++] = one.mass[j] * one.mass[k];
		}
	sample(l, 0.1 * part(i), removed);
}

static const struct family families[] = {
	{"sampled pure events", write_sampled_pure, list_sampled_pure, 2e-5, 3, 0.5, EVENTS,
	 CLOSE},
	{"sampled discrete Gaussians", write_sampled_gaussian, list_sampled_gaussian, 1e-4, 4,
	 0.3, 40, CLOSE},
	{"sampled Gaussians, with rare large losses", write_sampled_real, list_sampled_real,
	 2e-4, 2.5, 0.3, 20, 10 * CLOSE},
	{"repeated Laplace noise, sampled", write_repeated_laplace, list_repeated_laplace, 5e-4,
	 4, 0.8, 40, 10 * CLOSE},
	{"narrow discrete Gaussians", write_narrow, list_narrow, 1e-3, 120, 30, 24, CLOSE}};

static double delta_on_grid(const struct family *f, double d)
{
	double worst = 0;

	for (int removed = 0; removed < 2; removed++) {
		struct listed l;
		struct grid g;

		grid_init(&g, d, -f->reach, f->reach);
		for (int i = 0; i < f->n; i++) {
			f->list(i, removed, &l);
			grid_add(&g, &l);
		}
		worst = fmax(worst, grid_delta(&g, f->epsilon));
		grid_release(&g);
	}
	return worst;
}

/* The grid's error goes with d^2: two grids tell it. */
static double true_delta(const struct family *f)
{
	return (4 * delta_on_grid(f, f->d) - delta_on_grid(f, 2 * f->d)) / 3;
}

static struct sotto_workload *workload_of(const struct family *f)
{
	struct sotto_workload *w;
	char text[200];

	must(sotto_workload_new(&w) == SOTTO_OK);
	for (int i = 0; i < f->n; i++) {
		f->write(i, text, sizeof text);
		must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	return w;
}

static void bounds_of_many_events_hold_and_are_close(void)
{
	for (size_t k = 0; k < sizeof families / sizeof families[0]; k++) {
		const struct family *f = &families[k];
		struct sotto_workload *w = workload_of(f);
		struct sotto_account_answer a;
		struct sotto_rational epsilon;
		double delta = true_delta(f);

		sotto_rational_init(&epsilon);
		must(sotto_rational_set_double(&epsilon, f->epsilon) == SOTTO_OK);
		must(sotto_account_delta(w, &epsilon, SOTTO_PLD, &a) == SOTTO_OK);
		CHECK(a.lower <= delta * (1 + f->close));
		CHECK(delta * (1 - f->close) <= a.upper);
		CHECK(a.upper - a.lower <= WIDTH * a.upper);
		sotto_rational_release(&epsilon);
		sotto_workload_free(w);
	}
}

static struct sotto_account_answer price(struct sotto_workload *w)
{
	struct sotto_account_answer a;
	struct sotto_rational delta;

	sotto_rational_init(&delta);
	must(sotto_rational_parse(&delta, "1e-4", NULL) == SOTTO_OK);
	must(sotto_account_epsilon(w, &delta, SOTTO_PLD, &a) == SOTTO_OK);
	sotto_rational_release(&delta);
	sotto_workload_free(w);
	return a;
}

static struct sotto_account_answer price_of_equal(const char *text)
{
	struct sotto_workload *w;

	must(sotto_workload_new(&w) == SOTTO_OK);
	must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	return price(w);
}

/* Losses that are nearly on one lattice come back to full size again and again: nothing there may be left out. */
static void events_that_are_nearly_equal_cost_what_equal_ones_do(void)
{
	struct sotto_account_answer least = price_of_equal("pure(epsilon=0.1)*120"), most, a;
	struct sotto_workload *w;
	char text[80];

	must(sotto_workload_new(&w) == SOTTO_OK);
	for (int i = 0; i < EVENTS; i++) {
		(void)snprintf(text, sizeof text, "pure(epsilon=0.1%09d)", i);
		must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	a = price(w);
	most = price_of_equal("pure(epsilon=0.1000000120)*120");
	CHECK(least.lower <= a.upper);
	CHECK(a.lower <= most.upper);
	CHECK(a.upper - a.lower <= 1e-6);
	CHECK(fabs(a.upper - least.upper) <= 2e-6);
}

/* Laws that are known by their curves alone: the i-th as text, nearly equal, and how near the sides must be. */
static const struct curve_family {
	const char *pattern; /* with a place for a number just above 0 */
	int n;
	double width; /* relative */
	enum effort from;
} curve_families[] = {
	{"parallel(gaussian(sigma=20.%09d), laplace(epsilon=0.05))", 20, 3e-5,
	 EFFORT_SANITIZED},
	{"group(k=2, sampled(rate=0.01, gaussian(sigma=4.%09d)))", 20, 1e-6, EFFORT_SHORT},
	{"sampled(rate=0.3, laplace(epsilon=0.5%09d))*2", 8, 3e-5, EFFORT_LONG},
	{"shuffle(n=4000, epsilon0=1.%09d)", 16, 3e-4, EFFORT_LONG},
};

/* What parameters that differ by 2e-8 do to a price, relative. */
#define ALIKE 1e-7

static struct sotto_account_answer price_of_pattern(const struct curve_family *f, int step)
{
	struct sotto_workload *w;
	char text[120];

	must(sotto_workload_new(&w) == SOTTO_OK);
	for (int i = 0; i < f->n; i++) {
		(void)snprintf(text, sizeof text, f->pattern, i * step);
		must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	return price(w);
}

/* Distinct, with a few outcomes each, against equal ones, which are cut finely once and are sharp to 1e-6. */
static void laws_from_curves_cost_what_equal_ones_do(void)
{
	for (size_t k = 0; k < sizeof curve_families / sizeof curve_families[0]; k++) {
		const struct curve_family *f = &curve_families[k];
		struct sotto_account_answer equal, a;

		if (effort() < f->from)
			continue;
		equal = price_of_pattern(f, 0);
		a = price_of_pattern(f, 1);
		CHECK(equal.upper - equal.lower <= 1e-6 * equal.upper);
		CHECK(equal.lower * (1 - ALIKE) <= a.upper);
		CHECK(a.lower <= equal.upper * (1 + ALIKE));
		CHECK(a.lower > 0 && a.upper - a.lower <= f->width * a.upper);
	}
}

/* One law that outweighs hundreds of others is not overlooked where a contour is placed. */
static void a_large_event_beside_many_small_ones_is_seen(void)
{
	struct sotto_account_answer a;
	struct sotto_workload *w;
	char text[80];

	must(sotto_workload_new(&w) == SOTTO_OK);
	for (int i = 0; i < 2 * EVENTS; i++) {
		(void)snprintf(text, sizeof text, "sampled(rate=0.01, gaussian(sigma=2.%04d))",
			       i);
		must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	for (int i = 0; i < 2 * EVENTS; i++) {
		(void)snprintf(text, sizeof text, "laplace(epsilon=0.01%04d)", i);
		must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	must(sotto_workload_add_text(w, "randomized-response(epsilon=2)", NULL) == SOTTO_OK);
	a = price(w);
	CHECK(a.lower > 2 && a.upper - a.lower <= 2e-6);
}

int main(void)
{
	RUN(bounds_of_many_events_hold_and_are_close);
	RUN(events_that_are_nearly_equal_cost_what_equal_ones_do);
	RUN(laws_from_curves_cost_what_equal_ones_do);
	RUN(a_large_event_beside_many_small_ones_is_seen);
	return tap_done();
}
