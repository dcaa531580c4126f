/*
 * Groups of very many people in shuffled reports: against the hull of the curve of all outcomes one by one, and against figures that a program in another language has from such hulls.
 *
 * Faults that were planted, each seen to fail: runs of clones by their most above (clone_lists.c); a twentieth of what is between the polygons (law_between.c); mean excesses
 * that are a bit too large; distances of E as differences of two that are close (mirrored.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/account/event/event.h"
#include "core/account/law/between/law_between.h"
#include "core/account/law/law.h"
#include "sotto/account.h"
#include "testlib/accountant/accounting.h"
#include "testlib/sanitized.h"
#include "testlib/tap.h"

#define SAY(ok, ...) (void)tap_check(ok, __FILE__, __LINE__, __VA_ARGS__)

static void must(bool done)
{
	if (!done)
		abort();
}

struct group {
	int people;
	long users;
	double epsilon0;
};

enum { OUTCOMES = 40000, POINTS = 90000 };

struct listed {
	size_t n;
	double loss[OUTCOMES], mass[OUTCOMES];
};

/* All outcomes with a mass above 1e-25. */
static void list_outcomes(const struct group *g, struct listed *l)
{
	double n = (double)g->users, e0 = g->epsilon0, p = exp(-e0), a = 1 / (1 + p),
	       b = p / (1 + p);

	l->n = 0;
	for (double c = 0; c < n; c++) {
		double clones = lgamma(n) - lgamma(c + 1) - lgamma(n - c) - c * e0 +
				(n - 1 - c) * log1p(-p);

		for (double x = 0; x <= c + 1; x++) {
			double ways = lgamma(c + 2) - lgamma(x + 1) - lgamma(c + 2 - x) -
				      (c + 1) * M_LN2,
			       lean = a * x + b * (c + 1 - x), back = b * x + a * (c + 1 - x),
			       mass = exp(clones + ways) * lean / (c + 1) * 2;

			if (mass < 1e-25)
				continue;
			must(l->n < OUTCOMES);
			l->loss[l->n] = log(lean / back);
			l->mass[l->n++] = mass;
		}
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

UNWATCHED static double curve_at(const struct listed *l, double x)
{
	double sum = 0;

	for (size_t i = 0; i < l->n; i++)
		sum += x < l->loss[i] ? l->mass[i] * -expm1(x - l->loss[i]) : 0;
	return sum;
}

struct hull {
	size_t n;
	double x[POINTS];
	long double place[POINTS], value[POINTS];
};

/* All places where the curve of one person bends. */
static size_t list_places(const struct listed *l, double *x)
{
	size_t n = 0, kept = 0;

	x[n++] = 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->loss[i] >= 0)
			x[n++] = l->loss[i];
	qsort(x, n, sizeof *x, compare);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || x[i] > x[kept - 1] + 1e-10)
			x[kept++] = x[i];
	return kept;
}

static void hull_of(const struct group *g, const struct listed *l, struct hull *h)
{
	static double x[POINTS];
	size_t places = list_places(l, x);

	h->n = 0;
	h->place[0] = -1;
	h->value[0] = 1;
	for (size_t i = 0; i < places; i++) {
		long double y = expl(x[i]), place = 1, sum = 0, value;

		for (int j = 0; j < g->people; j++, place *= y)
			sum += place;
		value = curve_at(l, x[i]) * sum;
		if (value >= 1)
			continue;
		while (h->n > 0 &&
		       (h->value[h->n - 1] - h->value[h->n]) * (place - h->place[h->n - 1]) <=
			       (h->value[h->n - 1] - value) *
				       (h->place[h->n] - h->place[h->n - 1]))
			h->n--;
		h->n++;
		must(h->n < POINTS);
		h->x[h->n] = x[i];
		h->place[h->n] = place;
		h->value[h->n] = value;
	}
}

/* M of the law with that curve. */
static double transform(const struct group *g, const struct hull *h, double c)
{
	double sum = 0;

	for (size_t i = 1; i <= h->n; i++) {
		long double before = (h->value[i - 1] - h->value[i]) /
				     (h->place[i] - h->place[i - 1]),
			    after = i < h->n ? (h->value[i] - h->value[i + 1]) /
						       (h->place[i + 1] - h->place[i])
					     : 0,
			    mass = (before - after) * h->place[i], loss = g->people * h->x[i];

		sum += (double)(mass * (expl(c * loss) + expl(-(c + 1) * loss)));
	}
	return sum;
}

static struct sotto_event *event_of(const struct group *g)
{
	struct sotto_event *e = NULL;
	char text[200];

	(void)sprintf(text, "group(k=%d, shuffle(n=%ld, epsilon0=%.17g))", g->people, g->users,
		      g->epsilon0);
	must(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
	return e;
}

/* Polygons of so many cells and outcomes enclose the hull, and are known to be no farther apart than that. */
static void check_law(const struct group *g, const struct hull *h, double c,
		      const struct sotto_between_share *share, double good)
{
	struct sotto_law law = {.count = 1, .of_many = true};
	struct sotto_event *e = event_of(g);
	double log_m, slack, left_out, truth = log(transform(g, h, c)), k[3] = {0};
	void *state = NULL;

	must(sotto_law_between_possible(e, SOTTO_REPLACE));
	must(sotto_law_between_of(&law, e, share, NULL, &left_out) == SOTTO_OK);
	must(law.class->begin(&law, c, 1e-3 * c, &state, &log_m, &slack) == SOTTO_OK);
	law.class->cumulants(&law, c, k);
	SAY(fabs(log_m - truth) <= slack + 2e-9, "%d of %ld: %.15g, %.15g +- %g", g->people,
	    g->users, truth, log_m, slack);
	SAY(slack <= good, "%d of %ld: good to %g only", g->people, g->users, slack);
	SAY(k[0] >= truth - 2e-6 && k[0] <= truth + 3 * good, "K %.15g", k[0]);
	SAY(left_out >= 0 && left_out < 1e-15, "left out %g", left_out);
	law.class->end(state);
	law.class->release(&law);
	sotto_event_free(e);
}

static const struct group groups[] = {
	{12, 60, 1}, {25, 200, 0.3}, {4, 150, 2.5}, {9, 5, 0.7}, {2, 60, 0.561}, {3, 30, 0.8},
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

static void two_polygons_enclose_the_hull(void)
{
	static const struct sotto_between_share coarse = {.cells_least = 80,
							  .cells_most = 80,
							  .outcomes = 30},
						fine = {.cells_least = 3000,
							.cells_most = 3000,
							.outcomes = 1e6};
	struct listed *l = malloc(sizeof *l);
	struct hull *h = malloc(sizeof *h);

	must(l && h);
	for (int i = 0; i < GROUPS; i++) {
		double c = 0.3 / (groups[i].people * groups[i].epsilon0);

		list_outcomes(&groups[i], l);
		hull_of(&groups[i], l, h);
		check_law(&groups[i], h, c, &fine, 1e-7);
		check_law(&groups[i], h, 4 * c, &fine, 1e-6);
		check_law(&groups[i], h, c, &coarse, 0.05);
	}
	free(h);
	free(l);
}

/* What three events cost that happen some dozens of times each. */
static const struct figure {
	const char *events;
	double epsilon, good;
} figures[] = {
	{"group(k=12,shuffle(n=40,epsilon0=0.5))*40; "
	 "group(k=20,shuffle(n=300,epsilon0=0.3))*60; "
	 "group(k=9,shuffle(n=90,epsilon0=1.2))*30",
	 184.296571574, 2e-6},
};

static void both_sides_enclose_the_figures(void)
{
	for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
		const struct figure *f = &figures[i];
		struct sotto_account_answer a = epsilon_at(f->events, "1e-6", SOTTO_PLD);

		SAY(a.lower <= f->epsilon + 1e-8 && f->epsilon - 1e-8 <= a.upper &&
			    a.upper - a.lower <= f->good,
		    "%.12g to %.12g, not %.12g", a.lower, a.upper, f->epsilon);
	}
}

/* Different events, spread over sizes. */
struct many {
	int n;
	double users, more, epsilon0,
		larger; /* the least, and how many times the most is as much; evenly in their logarithm */
	const char *event; /* for two numbers of people, reports and epsilon */
	double good;
};

static void check_many(const struct many *m)
{
	struct sotto_workload *w =
		workload_under("shuffle(n=5000, epsilon0=0.1)", SOTTO_REPLACE);
	struct sotto_account_answer a;

	for (int i = 1; i <= m->n; i++) {
		double users = floor(m->users * pow(m->more, fmod(0.754877666 * i, 1))),
		       epsilon0 = m->epsilon0 * pow(m->larger, fmod(0.569840291 * i, 1));
		char text[200];

		(void)sprintf(text, m->event, 2 + i % 3, users, epsilon0, 3 + i % 2,
			      users + 100, epsilon0 / 2);
		must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	a = epsilon_of(w, "1e-6", SOTTO_PLD);
	SAY(a.lower > 0 && a.lower <= a.upper && a.upper - a.lower <= m->good,
	    "%d: %.10g to %.10g", m->n, a.lower, a.upper);
	sotto_workload_free(w);
}

/* Lower sides that there were none of. */
static void many_groups_have_two_sides(void)
{
	static const struct many m = {
		80,   10, 1e3,
		0.2,  5,  "group(k=4, group(k=%d, shuffle(n=%.0f, epsilon0=%.9f)))",
		1e-4,
	};

	check_many(&m);
}

/* The work for one answer is enough for lists of all of them and a contour with as many nodes as are wanted. */
static void a_thousand_groups_are_sharp(void)
{
	static const struct many nested = {
		1000, 100, 1e4,
		0.01, 200, "group(k=3, group(k=%d, shuffle(n=%.0f, epsilon0=%.9f)))",
		1e-6,
	};
	static const struct many cells = {
		1000,
		100,
		1e4,
		0.01,
		200,
		"parallel(group(k=%d, shuffle(n=%.0f, epsilon0=%.9f)), "
		"group(k=%d, shuffle(n=%.0f, epsilon0=%.9f)))",
		1e-6,
	};

	check_many(&nested);
	check_many(&cells);
}

int main(void)
{
	RUN(two_polygons_enclose_the_hull);
	RUN(both_sides_enclose_the_figures);
	RUN(many_groups_have_two_sides);
	RUN(a_thousand_groups_are_sharp);
	return tap_done();
}
