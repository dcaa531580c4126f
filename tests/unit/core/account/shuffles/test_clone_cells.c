/*
 * Shuffled reports in more than two disjoint cells: against the largest of the curves of every two cells, made from all outcomes one by one.
 *
 * Faults that were planted, each seen to fail: tangents that are taken to meet at the wrong place; runs of clones by their most above (clone_above.c); the
 * widest cell twice (law_clone_cells.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/event/event.h"
#include "core/account/law/clones/clone_above.h"
#include "core/account/law/clones/clone_pair.h"
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

enum { OUTCOMES = 30000, CELLS = 3 };

struct shuffle {
	int n;
	double epsilon0;
};

struct listed {
	size_t n;
	double loss[OUTCOMES], mass[OUTCOMES];
};

/* All outcomes with a mass above 1e-20. */
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

			if (mass < 1e-20)
				continue;
			must(l->n < OUTCOMES);
			l->loss[l->n] = log(lean / back);
			l->mass[l->n++] = mass;
		}
	}
}

UNWATCHED static double delta_listed(const struct listed *l, double epsilon)
{
	double sum = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->loss[i] > epsilon)
			sum += l->mass[i] * -expm1(epsilon - l->loss[i]);
	return sum;
}

/* ---- how far one curve lies above another ---- */

static struct sotto_clone_pair pair_of(const struct shuffle *s)
{
	struct sotto_clone_pair pair = {0};
	struct sotto_event *e = NULL;
	char text[80];

	(void)snprintf(text, sizeof text, "shuffle(n=%d, epsilon0=%.17g)", s->n, s->epsilon0);
	must(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK &&
	     sotto_clone_pair_of(e, &pair));
	sotto_event_free(e);
	return pair;
}

static double area_of(const struct shuffle *one, const struct shuffle *other, double c)
{
	static struct listed a, b;
	double sum = 0, step = one->epsilon0 / 2000;

	list_outcomes(one, &a);
	list_outcomes(other, &b);
	for (double x = step / 2; x < one->epsilon0; x += step) {
		double above = delta_listed(&a, x) - delta_listed(&b, x);

		sum += fmax(0, above) * (exp(c * x) + exp(-(c + 1) * x)) * step;
	}
	return sum;
}

static const struct {
	struct shuffle one, other;
	double order,
		most; /* how many times too large the bound may be, beside next to nothing */
} pairs[] = {
	{{125, 4.1}, {57, 3.9}, 1, 3},     {{300, 3.5}, {120, 3}, 2, 3},
	{{200, 1.2}, {60, 0.9}, 8, 4},     {{90, 0.5}, {100, 0.6}, 4, 1.2},
	{{1000, 2.5}, {300, 2.2}, 2, 1.2}, {{400, 2}, {420, 2.05}, 3, 3},
	{{60, 5}, {50, 4.6}, 1, 3},
};

static void one_curve_lies_above_another_by_no_more_than_the_bound(void)
{
	size_t many = sizeof pairs / sizeof pairs[0];

	for (size_t i = 0; i < (effort() == EFFORT_SANITIZED ? 2 : many); i++) {
		struct sotto_clone_pair one = pair_of(&pairs[i].one),
					other = pair_of(&pairs[i].other);
		double c = pairs[i].order, area = area_of(&pairs[i].one, &pairs[i].other, c),
		       bound;
		struct sotto_rise rise = sotto_rise_none(4 * c);

		must(sotto_clone_above_add(&one, &other, NULL, &rise) == SOTTO_OK);
		bound = sotto_rise_error(&rise, c, 0) / (c * (c + 1));
		SAY(area * (1 - 1e-3) <= bound && bound <= pairs[i].most * area + 1e-9,
		    "pair %zu: %g, at most %g", i, area, bound);
		c *= 0.77;
		bound = sotto_rise_error(&rise, c, 0) / (c * (c + 1));
		area = area_of(&pairs[i].one, &pairs[i].other, c);
		SAY(area * (1 - 1e-3) <= bound, "pair %zu between orders: %g, at most %g", i,
		    area, bound);
	}
}

/* ---- all cells ---- */

/* Masses of losses (first + i) d, of a pair with a given curve; products of such. */
struct grid {
	double d;
	int n; /* on either side of 0 */
	double *mass;
};

/* Two cells composed, at epsilon >= 0. */
UNWATCHED static double
delta_of_two(const struct listed *a, const struct listed *b, double epsilon)
{
	double sum = 0;

	for (size_t i = 0; i < a->n; i++)
		sum += a->mass[i] * delta_listed(b, epsilon - a->loss[i]);
	return sum;
}

/* The largest curve of every two cells at the grid's places, as masses: P-mass is e^loss times what the slope in e^epsilon changes by. */
static void add_event(struct grid *g, const struct shuffle *cells)
{
	static struct listed l[CELLS];
	double *curve = calloc((size_t)g->n + 2, sizeof *curve), *next, *one;
	int n = g->n;

	next = calloc((size_t)(2 * n + 1), sizeof *next);
	one = calloc((size_t)(2 * n + 1), sizeof *one);
	must(curve && next && one);
	for (int i = 0; i < CELLS; i++)
		list_outcomes(&cells[i], &l[i]);
	for (int k = 0; k <= n; k++)
		for (int i = 0; i < CELLS; i++)
			for (int j = 0; j < i; j++)
				curve[k] = fmax(curve[k], delta_of_two(&l[i], &l[j], k * g->d));
	for (int k = 1; k <= n; k++) {
		double q = (curve[k + 1] - curve[k]) / expm1(g->d) -
			   (curve[k] - curve[k - 1]) / -expm1(-g->d);

		one[n + k] = q;
		one[n - k] = q * exp(-k * g->d);
	}
	one[n] = 1;
	for (int k = 1; k <= n; k++)
		one[n] -= one[n + k] + one[n - k];
	for (int i = 0; i <= 2 * n; i++)
		for (int j = 0; one[i] > 0 && j <= 2 * n; j++)
			if (g->mass[j] > 1e-16 && i + j - n >= 0 && i + j - n <= 2 * n)
				next[i + j - n] += one[i] * g->mass[j];
	free(g->mass);
	free(curve);
	free(one);
	g->mass = next;
}

static double grid_delta(const struct grid *g, double epsilon)
{
	double sum = 0;

	for (int k = -g->n; k <= g->n; k++)
		if (k * g->d > epsilon)
			sum += g->mass[g->n + k] * -expm1(epsilon - k * g->d);
	return sum;
}

static const struct shuffle events[][CELLS] = {
	{{40, 3.2}, {60, 3.8}, {35, 2.9}},
	{{40, 2.6}, {33, 2.3}, {60, 3}},
	{{30, 2}, {24, 1.7}, {36, 2.2}},
	{{45, 3.0}, {70, 3.6}, {30, 2.6}},
};
enum { EVENTS = sizeof events / sizeof events[0] };

static void deltas_on_grid(double d, const double *at, double *delta)
{
	struct grid g = {d, (int)(24 / d), NULL};

	g.mass = calloc((size_t)(2 * g.n + 1), sizeof *g.mass);
	must(g.mass);
	g.mass[g.n] = 1;
	for (int i = 0; i < EVENTS; i++)
		add_event(&g, events[i]);
	for (int i = 0; i < 2; i++)
		delta[i] = grid_delta(&g, at[i]);
	free(g.mass);
}

/* Curves that cross where there is mass: not sharp, but the truth is between the sides, which two grids tell. */
static void three_cells_cost_what_the_worst_two_do(void)
{
	struct sotto_workload *w = NULL;
	struct sotto_account_answer a;
	double at[2], fine[2], coarse[2];

	for (int i = 0; i < EVENTS; i++) {
		char text[200], *end = text;

		for (int j = 0; j < CELLS; j++)
			end += sprintf(end, "%sshuffle(n=%d, epsilon0=%.17g)",
				       j ? ", " : "parallel(", events[i][j].n,
				       events[i][j].epsilon0);
		(void)sprintf(end, ")");
		if (!w)
			w = workload_under(text, SOTTO_REPLACE);
		else
			must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	a = epsilon_of(w, "1e-5", SOTTO_PLD);
	at[0] = a.lower;
	at[1] = a.upper;
	deltas_on_grid(0.02, at, fine);
	deltas_on_grid(0.04, at, coarse);
	fine[0] = (4 * fine[0] - coarse[0]) / 3;
	fine[1] = (4 * fine[1] - coarse[1]) / 3;
	SAY(fine[0] >= 1e-5 * (1 - 1e-3) && fine[1] <= 1e-5 * (1 + 1e-3),
	    "delta %.9g at %.10g, %.9g at %.10g", fine[0], a.lower, fine[1], a.upper);
	SAY(a.lower > 0 && a.upper - a.lower < 2, "%g wide", a.upper - a.lower);
	sotto_workload_free(w);
}

/* Events of three cells each, spread over sizes. */
static void many_events_of_three_cells_are_sharp(void)
{
	struct sotto_workload *w =
		workload_under("shuffle(n=500, epsilon0=0.1)", SOTTO_REPLACE);
	struct sotto_account_answer a;

	for (int i = 1; i <= 40; i++) {
		char text[300], *end = text;

		for (int j = 0; j < CELLS; j++)
			end += sprintf(end, "%sshuffle(n=%.0f, epsilon0=%.9f%s)",
				       j ? ", " : "parallel(",
				       100 * pow(1e4, fmod(0.754877666 * i + 0.41 * j, 1)),
				       0.1 * pow(40, fmod(0.569840291 * i + 0.73 * j, 1)),
				       (i + j) % 2 ? ", randomizer=binary" : "");
		(void)sprintf(end, ")");
		must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	a = epsilon_of(w, "1e-6", SOTTO_PLD);
	SAY(a.lower > 0 && a.lower <= a.upper && a.upper - a.lower <= 1e-6, "%.10g to %.10g",
	    a.lower, a.upper);
	sotto_workload_free(w);
}

int main(void)
{
	RUN(one_curve_lies_above_another_by_no_more_than_the_bound);
	RUN(three_cells_cost_what_the_worst_two_do);
	RUN(many_events_of_three_cells_are_sharp);
	return tap_done();
}
