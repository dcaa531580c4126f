/*
 * Different shuffles together, from a few to hundreds, with few clones and many: against sums over a grid of losses that are made from all
 * outcomes of the clone pairs one by one, and against each other.
 *
 * Faults that were planted, each seen to fail: sums of transforms with the wrong sign of their phase (contour_by_law.c); one cell of two
 * composed (workload_terms.c); more users that cost more (event_dominate.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/event/event.h"
#include "sotto/account.h"
#include "testlib/accountant/accounting.h"
#include "testlib/effort.h"
#include "testlib/sanitized.h"
#include "testlib/tap.h"

#define SAY(ok, ...) (void)tap_check(ok, __FILE__, __LINE__, __VA_ARGS__)

static void must(bool done)
{
	if (!done)
		abort();
}

/* ---- the second implementation: outcomes one by one, on a grid ---- */

enum { OUTCOMES = 4096 };

struct shuffle {
	int n;
	double epsilon0;
};

struct listed {
	size_t n;
	double loss[OUTCOMES], mass[OUTCOMES];
};

/* All outcomes with a mass above 1e-18; masses in logarithms, so that nothing underflows. */
static void list_outcomes(const struct shuffle *s, struct listed *l)
{
	double p = exp(-s->epsilon0), a = 1 / (1 + p), b = p / (1 + p);

	l->n = 0;
	for (int c = 0; c < s->n; c++) {
		double clones = lgamma(s->n) - lgamma(c + 1) - lgamma(s->n - c) -
				c * s->epsilon0 + (s->n - 1 - c) * log1p(-p);

		for (int x = 0; x <= c + 1; x++) {
			double ways = lgamma(c + 2) - lgamma(x + 1) - lgamma(c + 2 - x) -
				      c * M_LN2 - log(c + 1);
			double lean = a * x + b * (c + 1 - x), back = b * x + a * (c + 1 - x);
			double mass = exp(clones + ways) * lean;

			if (mass < 1e-18)
				continue;
			must(l->n < OUTCOMES);
			l->loss[l->n] = log(lean / back);
			l->mass[l->n++] = mass;
		}
	}
}

/* Probabilities of the losses (first + i) d; each outcome is shared by its two neighbours so that P and Q are kept. */
struct grid {
	double d;
	long first;
	size_t n;
	double *mass, *next;
};

static void grid_init(struct grid *g, double d, double reach)
{
	*g = (struct grid){
		.d = d, .first = (long)floor(-reach / d), .n = (size_t)(2 * reach / d)};
	g->mass = calloc(g->n, sizeof *g->mass);
	g->next = calloc(g->n, sizeof *g->next);
	must(g->mass && g->next);
	g->mass[-g->first] = 1;
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

	memset(g->next, 0, g->n * sizeof *g->next);
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

/* What is priced: some shuffles, a grid that is fine enough for them, and a delta. */
struct workload {
	struct shuffle list[12];
	int n;
	double d, reach;
	const char *delta;
	double close; /* how good the grids are, relative: worse where losses are few and wide */
};

static const struct workload workloads[] = {
	/* wide losses, few clones */
	{{{40, 3.1}, {55, 4.2}, {30, 2.7}, {60, 5}, {35, 3.6}, {45, 2.9}, {50, 3.9}, {33, 3.3}},
	 8,
	 2e-3,
	 48,
	 "1e-6",
	 1e-6},
	/* large epsilon0 */
	{{{900, 6.1}, {800, 6.4}, {700, 6.2}, {1000, 6.6}, {850, 6.9}, {950, 7.2}, {750, 6.3}},
	 7,
	 4e-3,
	 60,
	 "0.02",
	 3e-5},
	/* mid-size, ten of them */
	{{{60, 0.6},
	  {70, 0.7},
	  {50, 0.5},
	  {64, 0.8},
	  {58, 0.9},
	  {66, 0.55},
	  {54, 0.65},
	  {62, 0.75},
	  {52, 0.85},
	  {68, 0.95}},
	 10,
	 2e-4,
	 6,
	 "1e-6",
	 1e-6}};

static void deltas_on_grid(const struct workload *w, double d, const double *at, double *delta)
{
	static struct listed l;
	struct grid g;

	grid_init(&g, d, w->reach);
	for (int i = 0; i < w->n; i++) {
		list_outcomes(&w->list[i], &l);
		grid_add(&g, &l);
	}
	for (int i = 0; i < 2; i++)
		delta[i] = grid_delta(&g, at[i]);
	free(g.mass);
	free(g.next);
}

static struct sotto_workload *workload_for(const struct workload *w)
{
	char text[1024] = "", *end = text;

	for (int i = 0; i < w->n; i++)
		end += sprintf(end, "%sshuffle(n=%d, epsilon0=%.17g)", i ? ";" : "",
			       w->list[i].n, w->list[i].epsilon0);
	return workload_under(text, SOTTO_REPLACE);
}

/* The grid's error goes with d^2: two grids tell the truth at both answers, where these are not next to the largest loss. */
static void few_different_shuffles_cost_what_all_their_outcomes_say(void)
{
	int many = effort() == EFFORT_SANITIZED ? 1 : 3;

	for (int i = 0; i < many; i++) {
		const struct workload *w = &workloads[i];
		struct sotto_workload *all = workload_for(w);
		struct sotto_account_answer a = epsilon_of(all, w->delta, SOTTO_PLD);
		double at[2] = {a.lower, a.upper}, fine[2], coarse[2], delta = atof(w->delta);

		deltas_on_grid(w, w->d, at, fine);
		deltas_on_grid(w, 2 * w->d, at, coarse);
		SAY((4 * fine[0] - coarse[0]) / 3 >= delta * (1 - w->close),
		    "%d: delta %g at the lower side", i, (4 * fine[0] - coarse[0]) / 3);
		SAY((4 * fine[1] - coarse[1]) / 3 <= delta * (1 + w->close),
		    "%d: delta %g at the upper side", i, (4 * fine[1] - coarse[1]) / 3);
		SAY(a.lower > 0 && a.upper - a.lower <= 1e-6, "%d: %.10g to %.10g", i, a.lower,
		    a.upper);
		sotto_workload_free(all);
	}
}

/* ---- sharp, whatever their sizes are ---- */

/* n and epsilon0 from one to the other, each shuffle another; beside a Gaussian for every third, if so. */
struct family {
	double n[2], epsilon0[2];
	int count;
	bool mixed;
	enum effort from;
};

static const struct family families[] = {{{1e3, 1e5}, {6, 8}, 30, false, EFFORT_SHORT},
					 {{1e3, 1e4}, {1, 4}, 14, false, EFFORT_SANITIZED},
					 {{1e4, 1e6}, {0.1, 1}, 9, false, EFFORT_SHORT},
					 {{1e6, 1e12}, {1, 5}, 120, false, EFFORT_SHORT},
					 {{1e3, 1e5}, {0.5, 3}, 10, true, EFFORT_SANITIZED},
					 {{1e3, 1e6}, {6, 10}, 400, false, EFFORT_LONG},
					 {{10, 300}, {2, 6}, 200, false, EFFORT_LONG},
					 {{2, 20}, {2, 6}, 24, false, EFFORT_LONG}};

static struct sotto_account_answer price_family(const struct family *f)
{
	struct sotto_workload *w =
		workload_under("shuffle(n=500000, epsilon0=0.1)", SOTTO_REPLACE);
	struct sotto_account_answer a;
	char text[120];

	for (int i = 0; i < f->count; i++) {
		double u = fmod(0.754877666 * i, 1), v = fmod(0.569840291 * i, 1);

		(void)snprintf(text, sizeof text, "shuffle(n=%.0f, epsilon0=%.9f)",
			       f->n[0] * pow(f->n[1] / f->n[0], u),
			       f->epsilon0[0] + (f->epsilon0[1] - f->epsilon0[0]) * v);
		if (f->mixed && i % 3 == 0)
			(void)snprintf(text, sizeof text, "laplace(epsilon=%.9f)",
				       0.01 + 0.02 * u);
		must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	a = epsilon_of(w, "1e-6", SOTTO_PLD);
	sotto_workload_free(w);
	return a;
}

static void different_shuffles_are_sharp(void)
{
	for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
		struct sotto_account_answer a;

		if (effort() < families[i].from)
			continue;
		a = price_family(&families[i]);
		SAY(a.lower > 0 && a.lower <= a.upper && a.upper - a.lower <= 1e-6,
		    "family %zu: %.10g to %.10g", i, a.lower, a.upper);
	}
}

/* ---- disjoint cells ---- */

static double upper_of(const char *events)
{
	struct sotto_workload *w = workload_under(events, SOTTO_REPLACE);
	double upper = epsilon_of(w, "1e-6", SOTTO_PLD).upper;

	sotto_workload_free(w);
	return upper;
}

/* Who is replaced leaves one of two cells and enters the other: both are composed, whatever they hold. */
static void two_cells_cost_what_their_events_do_together(void)
{
	static const char *const cells[][2] = {
		{"shuffle(n=2000, epsilon0=1)", "gaussian(sigma=20)"},
		{"shuffle(n=2000, epsilon0=1)", "shuffle(n=90000, epsilon0=2)"},
		{"laplace(epsilon=0.3)", "gaussian(sigma=9)"}};

	for (int i = 0; i < 3; i++) {
		char beside[200], together[200];

		(void)snprintf(beside, sizeof beside, "parallel(%s, %s)", cells[i][0],
			       cells[i][1]);
		(void)snprintf(together, sizeof together, "%s;%s", cells[i][0], cells[i][1]);
		SAY(upper_of(beside) == upper_of(together), "%s: %.17g", beside,
		    upper_of(beside));
	}
	SAY(upper_of("parallel(shuffle(n=2000, epsilon0=1), shuffle(n=3000, epsilon0=0.9), "
		     "shuffle(n=2500, epsilon0=0.95, randomizer=binary))") ==
		    upper_of("shuffle(n=2000, epsilon0=1);shuffle(n=3000, epsilon0=0.9)"),
	    "of three cells the two that dominate");
}

static struct sotto_event *event_of(const char *text)
{
	struct sotto_event *e = NULL;

	must(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
	return e;
}

/* What is said to dominate costs at least as much, at every epsilon that is looked at. */
static void a_shuffle_that_dominates_costs_more(void)
{
	static const char *const shuffles[] = {
		"shuffle(n=50, epsilon0=1)",
		"shuffle(n=50, epsilon0=1, randomizer=binary)",
		"shuffle(n=80, epsilon0=1)",
		"shuffle(n=80, epsilon0=0.7)",
		"shuffle(n=40, epsilon0=2)",
		"shuffle(n=900, epsilon0=3, randomizer=binary)",
		"shuffle(n=950, epsilon0=2.5, randomizer=binary)"};
	static const char *const epsilons[] = {"0.01", "0.1", "0.4", "0.9"};
	enum { SHUFFLES = sizeof shuffles / sizeof shuffles[0] };
	int pairs = 0;

	for (int i = 0; i < SHUFFLES; i++)
		for (int j = 0; j < SHUFFLES; j++) {
			struct sotto_event *a = event_of(shuffles[i]),
					   *b = event_of(shuffles[j]);
			bool dominates = i != j && sotto_event_dominates(a, b);

			for (int k = 0; dominates && k < 4; k++)
				SAY(delta_at(shuffles[i], epsilons[k], SOTTO_PLD).upper *
						    (1 + 1e-9) >=
					    delta_at(shuffles[j], epsilons[k], SOTTO_PLD).lower,
				    "%s is below %s at %s", shuffles[i], shuffles[j],
				    epsilons[k]);
			pairs += dominates;
			sotto_event_free(a);
			sotto_event_free(b);
		}
	SAY(pairs == 9, "%d pairs", pairs);
}

int main(void)
{
	RUN(few_different_shuffles_cost_what_all_their_outcomes_say);
	RUN(different_shuffles_are_sharp);
	RUN(two_cells_cost_what_their_events_do_together);
	RUN(a_shuffle_that_dominates_costs_more);
	return tap_done();
}
