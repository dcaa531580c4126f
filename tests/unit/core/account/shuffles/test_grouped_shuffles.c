/*
 * Black-box groups in shuffled reports: the law of the hull of the group's curve, against a hull that is made from all outcomes of the clone pair in
 * 113 bits; prices of some of them, against sums over a grid of these hulls' outcomes; and that many are priced sharply.
 *
 * Faults that were planted, each seen to fail: no rough hull (clone_hull.c); the line to the first corner from E = 0; outcomes of the same loss of which one is lost, and rows
 * that are not divided by their sum (clone_rows.c); a thousandth of the lift, and it put on in place of taken off (clone_lift.c, clone_group_line.c); opposite corners with another mass, heavy corners
 * without the others, the bound of far nodes divided by 50 (law_clone_group.c); lists of hulls for the orders of the other laws (law_clone_group_of.c);
 * sums that are divided by more than M(c) is said to be (law_clone_group.c).
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/event/event.h"
#include "core/account/event/workload_terms.h"
#include "core/account/integral/work.h"
#include "core/account/law/clone_groups/law_clone_group.h"
#include "core/account/law/clones/clone_pair.h"
#include "core/account/law/law.h"
#include "core/account/loss/loss_curve.h"
#include "core/account/loss/loss_level.h"
#include "sotto/account.h"
#include "testlib/accountant/accounting.h"
#include "testlib/effort.h"
#include "testlib/tap.h"

#define SAY(ok, ...) (void)tap_check(ok, __FILE__, __LINE__, __VA_ARGS__)

static void must(bool done)
{
	if (!done)
		abort();
}

/* ---- the second implementation: all outcomes, and the hull of the corners ---- */

typedef __float128 quad;

struct group {
	int people;
	long users; /* with the one who changes */
	double epsilon0;
	bool binary;
};

/* An outcome by e^loss and its P-mass; then a corner of the group's curve. */
struct corner {
	quad y, mass, at, value;
};

struct hull {
	struct corner *corners;
	size_t n, room;
};

static void add_outcome(struct hull *h, long double y, long double mass)
{
	if (mass < 1e-40L)
		return;
	if (h->n == h->room) {
		h->room = 2 * h->room + 1024;
		h->corners = realloc(h->corners, h->room * sizeof *h->corners);
		must(h->corners);
	}
	h->corners[h->n++] = (struct corner){.y = (quad)y, .mass = (quad)mass};
}

/* The outcomes with c clones; masses through logarithms. */
static void add_clones(struct hull *h, const struct group *g, long c)
{
	long double e0 = g->epsilon0, p = g->binary ? 2 / (expl(e0) + 1) : expl(-e0),
		    a = 1 / (1 + expl(-e0)), b = expl(-e0) / (1 + expl(-e0)),
		    others = (long double)(g->users - 1), n = (long double)c + 1;
	long double rare = lgammal(others + 1) - lgammal((long double)c + 1) -
			   lgammal(others - (long double)c + 1) + (long double)c * logl(p) +
			   (others - (long double)c) * log1pl(-p);

	for (long x = 0; x <= c + 1; x++) {
		long double more = (long double)x, less = n - more, lean = a * more + b * less,
			    back = b * more + a * less,
			    ways = lgammal(n + 1) - lgammal(more + 1) - lgammal(less + 1) -
				   (n - 1) * logl(2) - logl(n);

		add_outcome(h, lean / back, expl(rare + ways) * lean);
	}
}

static int compare(const void *a, const void *b)
{
	const struct corner *x = a, *y = b;

	return (x->y > y->y) - (x->y < y->y);
}

/* Outcomes of the same loss are one. */
static void unite(struct hull *h)
{
	size_t n = 0;

	qsort(h->corners, h->n, sizeof *h->corners, compare);
	for (size_t i = 1; i < h->n; i++) {
		struct corner *last = &h->corners[n];

		if (h->corners[i].y - last->y < last->y * 1e-17L)
			last->mass += h->corners[i].mass;
		else
			h->corners[++n] = h->corners[i];
	}
	h->n = n + 1;
}

/* The curve f(y)(1 + y + ... + y^(k-1)) at the outcomes, and the corners of its hull, which begins at 1 for E = 0. */
static void find_hull(struct hull *h, int k)
{
	quad p = 0, q = 0;
	size_t n = 0;

	for (size_t i = h->n; i-- > 0;) {
		struct corner *c = &h->corners[i];
		quad sum = 0;

		c->at = 1;
		for (int j = 0; j < k; j++, c->at *= c->y)
			sum += c->at;
		c->value = (p - c->y * q) * sum;
		p += c->mass;
		q += c->mass / c->y;
	}
	for (size_t i = 0; i < h->n; i++) {
		struct corner c = h->corners[i];

		if (c.value >= 1)
			continue;
		for (; n > 0; n--) {
			const struct corner *b = &h->corners[n - 1], *a = n > 1 ? b - 1 : NULL;
			quad at = a ? a->at : 0, value = a ? a->value : 1;

			if ((value - b->value) * (c.at - at) > (value - c.value) * (b->at - at))
				break;
		}
		h->corners[n++] = c;
	}
	h->n = n;
}

/* P-masses of the corners: what the slope changes by, times E. */
static void weigh(struct hull *h)
{
	quad before = 1;

	for (size_t i = 0; i < h->n; i++) {
		struct corner *c = &h->corners[i];
		quad after = i + 1 < h->n ? (c->value - c[1].value) / (c[1].at - c->at) : 0;

		if (i == 0) /* the first line goes through 1 at E = 0 */
			before = (1 - c->value) / c->at;
		c->mass = (before - after) * c->at;
		before = after;
	}
}

static void hull_of(struct hull *h, const struct group *g)
{
	double p = g->binary ? 2 / (exp(g->epsilon0) + 1) : exp(-g->epsilon0),
	       mean = (double)(g->users - 1) * p, reach = 11 * sqrt(mean * (1 - p)) + 60;
	long first = (long)fmax(0, mean - reach),
	     last = (long)fmin((double)(g->users - 1), mean + reach);

	*h = (struct hull){NULL, 0, 0};
	for (long c = first; c <= last; c++)
		add_clones(h, g, c);
	unite(h);
	find_hull(h, g->people);
	weigh(h);
}

static long double loss_of(const struct corner *c)
{
	return logl((long double)c->at);
}

/* ---- the law ---- */

static struct sotto_event *event_of(const struct group *g)
{
	struct sotto_event *e = NULL;
	char text[160];

	(void)snprintf(text, sizeof text, "group(k=%d, shuffle(n=%ld, epsilon0=%.17g%s))",
		       g->people, g->users, g->epsilon0,
		       g->binary ? ", randomizer=binary" : "");
	must(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
	return e;
}

enum { TIMES = 10 };

static void
true_transform(const struct hull *h, double c, const double *t, long double complex *m)
{
	for (int j = 0; j < TIMES; j++)
		m[j] = 0;
	for (size_t i = 0; i < h->n; i++) {
		long double loss = loss_of(&h->corners[i]),
			    weight = (long double)h->corners[i].mass * expl(c * loss);

		for (int j = 0; weight > 1e-25L && j < TIMES; j++)
			m[j] += weight * cexpl(t[j] * loss * I);
	}
}

/* What the law says at one t > 0, which is the node 1 of a line; the error on return. */
static double complex at_node(const struct sotto_law *law, double c, double t, double *error,
			      double *log_m)
{
	struct sotto_block b = {.c = c, .h = t, .n = SOTTO_BLOCK};
	void *state = NULL;
	double slack;

	must(law->class->begin(law, c, t, &state, log_m, &slack) == SOTTO_OK);
	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		b.re[j] = 1;
	law->class->apply(law, state, &b);
	law->class->end(state);
	*error = b.absolute[1] + b.relative[1] * hypot(b.re[1], b.im[1]) + slack;
	return b.re[1] + b.im[1] * I;
}

/* The corners of the hull for a line, far out, where they are not too many. */
static void
check_outcomes(const struct sotto_law *law, const struct hull *h, double c, double scale)
{
	struct sotto_law_outcomes o = {0};
	long double complex truth[TIMES];
	double t[TIMES], log_m, slack;
	void *state = NULL;

	for (int j = 0; j < TIMES; j++)
		t[j] = 4 * pow(2, j) / scale;
	true_transform(h, c, t, truth);
	must(law->class->begin(law, c, 1 / scale, &state, &log_m, &slack) == SOTTO_OK);
	must(law->class->outcomes(law, state, c, t[TIMES - 1], 28, &o) == SOTTO_OK);
	for (int j = 0; j < TIMES; j++) {
		double complex z = 0;
		double off;

		for (size_t i = 0; i < o.n; i++)
			z += o.weight[i] * cexp(t[j] * o.loss[i] * I);
		off = (double)cabsl(truth[j] * expl(-log_m) - z);
		SAY(off <= o.error + slack + 1e-13, "t %g: outcomes off by %g, claimed %g",
		    t[j] * scale, off, o.error);
	}
	SAY(o.error < 1e-6, "outcomes good to %g only", o.error);
	free(o.loss);
	law->class->end(state);
}

/* Where the outcomes of all rows line up again, from one to the next by two whole turns: the size is not small, and no bound is smaller. */
static void check_far(const struct sotto_law *law, const struct group *g, const struct hull *h,
		      double c, double clones)
{
	double t[TIMES], error, log_m,
		turn = M_PI * clones / (tanh(g->epsilon0 / 2) * g->people);
	long double complex truth[TIMES];

	for (int j = 0; j < TIMES; j++)
		t[j] = turn * (0.955 + 0.01 * j);
	true_transform(h, c, t, truth);
	for (int j = 0; j < TIMES; j++) {
		double complex z = at_node(law, c, t[j], &error, &log_m);
		double off = (double)cabsl(truth[j] / expl(log_m) - z);

		SAY(off <= error + 1e-14, "%d of %ld, far out: off by %g, claimed %g",
		    g->people, g->users, off, error);
	}
}

/* By its hull, or by the curve of one person; what near nodes are to be good to. */
static void
check_law(const struct group *g, const struct hull *h, double order, bool by_hull, double good)
{
	struct sotto_event *e = event_of(g);
	struct sotto_law law = {.count = 1, .of_many = true};
	struct sotto_clone_pair pair;
	long double complex truth[TIMES];
	double t[TIMES], c, scale, log_m, error, k[3] = {0}, left_out;

	must(sotto_clone_pair_of(e->children[0], &pair) && sotto_clone_group_possible(e));
	scale = g->people * sotto_clone_scale(&pair);
	must(sotto_law_clone_group_of(&law, e, by_hull ? 0 : 1e9, NULL, &left_out) == SOTTO_OK);
	c = order / scale;
	for (int j = 0; j < TIMES; j++)
		t[j] = (j == 0 ? 0 : 0.05 * pow(2, j)) / scale;
	true_transform(h, c, t, truth);
	law.class->cumulants(&law, c, k);
	SAY(k[0] >= (double)logl(creall(truth[0])) - 1e-13 && left_out < 1e-15,
	    "%d of %ld: K %.17g", g->people, g->users, k[0]);
	for (int j = 1; j < TIMES; j++) {
		double complex z = at_node(&law, c, t[j], &error, &log_m);
		double off = (double)cabsl(truth[j] / expl(log_m) - z);

		SAY(off <= error + 1e-14, "%d of %ld, order %g, t %g: off by %g, claimed %g",
		    g->people, g->users, order, t[j] * scale, off, error);
		SAY(t[j] * scale > 0.5 || error < good, "%d of %ld, order %g: good to %g only",
		    g->people, g->users, order, error);
	}
	check_far(&law, g, h, c, pair.clones + 1);
	if (by_hull)
		check_outcomes(&law, h, c, scale);
	law.class->release(&law);
	sotto_event_free(e);
}

static const struct group groups[] = {
	{3, 40, 1, false},    {2, 12, 3.5, false},  {5, 200, 2.5, true}, {4, 3, 0.7, false},
	{2, 300, 0.1, false}, {3, 2500, 4, false},  {8, 60, 0.3, false}, {3, 900, 0.5, false},
	{2, 1200, 1, true},   {5, 2000, 1.2, false}};
enum { GROUPS = sizeof groups / sizeof groups[0] };

static void the_law_is_that_of_the_hull(void)
{
	static const int many[] = {
		[EFFORT_SANITIZED] = 4, [EFFORT_SHORT] = 8, [EFFORT_LONG] = GROUPS};

	for (int i = 0; i < many[effort()]; i++) {
		struct hull h;

		hull_of(&h, &groups[i]);
		check_law(&groups[i], &h, 0.15, true, 1e-8);
		check_law(&groups[i], &h, 0.8, true, 1e-8);
		if (i >= 7) {
			check_law(&groups[i], &h, 0.15, false, 1e-5);
			check_law(&groups[i], &h, 0.8, false, 1e-5);
		}
		free(h.corners);
	}
}

/* ---- prices ---- */

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

static void grid_shift(struct grid *g, long by, double share)
{
	long from = by < 0 ? -by : 0, to = by > 0 ? (long)g->n - by : (long)g->n;

	for (long i = from; i < to; i++)
		g->next[i + by] += share * g->mass[i];
}

static void grid_add(struct grid *g, const struct hull *h)
{
	double *swap = g->mass;

	memset(g->next, 0, g->n * sizeof *g->next);
	for (size_t i = 0; i < h->n; i++) {
		double loss = (double)loss_of(&h->corners[i]),
		       mass = (double)h->corners[i].mass;
		long cell = (long)floor(loss / g->d);
		double right = -expm1(-(loss - (double)cell * g->d)) / -expm1(-g->d);

		if (mass < 1e-18)
			continue;
		grid_shift(g, cell, mass * (1 - right));
		grid_shift(g, cell + 1, mass * right);
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

enum { EVENTS = 18 };

/* The i-th of some groups with about a hundred corners. */
static struct group nth(int i)
{
	return (struct group){2 + i % 2, 24 + i, 0.4 + 0.02 * i, false};
}

static void deltas_on_grid(double d, const double *at, double *delta)
{
	struct grid g;

	grid_init(&g, d, 12);
	for (int i = 0; i < EVENTS; i++) {
		struct group one = nth(i);
		struct hull h;

		hull_of(&h, &one);
		grid_add(&g, &h);
		free(h.corners);
	}
	for (int i = 0; i < 2; i++)
		delta[i] = grid_delta(&g, at[i]);
	free(g.mass);
	free(g.next);
}

static struct sotto_workload *groups_workload(struct group (*which)(int), int count)
{
	struct sotto_workload *w = NULL;
	char text[160];

	for (int i = 0; i < count; i++) {
		struct group g = which(i);

		(void)snprintf(text, sizeof text, "group(k=%d, shuffle(n=%ld, epsilon0=%.17g))",
			       g.people, g.users, g.epsilon0);
		if (!w)
			w = workload_under(text, SOTTO_REPLACE);
		else
			must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	return w;
}

/* The grid's error goes with d^2: two grids tell the truth at both answers. */
static void some_groups_cost_what_their_hulls_say(void)
{
	struct sotto_workload *w = groups_workload(nth, EVENTS);
	struct sotto_account_answer a = epsilon_of(w, "1e-4", SOTTO_PLD);
	double at[2] = {a.lower, a.upper}, fine[2], coarse[2];

	sotto_workload_free(w);
	deltas_on_grid(1e-3, at, fine);
	deltas_on_grid(2e-3, at, coarse);
	SAY((4 * fine[0] - coarse[0]) / 3 >= 1e-4 * (1 - 1e-5), "delta %.9g at the lower side",
	    (4 * fine[0] - coarse[0]) / 3);
	SAY((4 * fine[1] - coarse[1]) / 3 <= 1e-4 * (1 + 1e-5), "delta %.9g at the upper side",
	    (4 * fine[1] - coarse[1]) / 3);
	SAY(a.lower > 0 && a.upper - a.lower <= 1e-2, "%.10g to %.10g", a.lower, a.upper);
}

/* ---- sharp ---- */

static struct group few_clones(int i)
{
	return (struct group){2 + i % 4, 10 + (long)(290 * fmod(0.754877666 * i, 1)),
			      0.1 + 1.9 * fmod(0.569840291 * i, 1), false};
}

static struct group many_clones(int i)
{
	return (struct group){2 + i % 4, (long)(1e5 * pow(10, fmod(0.754877666 * i, 1))),
			      0.1 + 1.9 * fmod(0.569840291 * i, 1), false};
}

/* A few of them are much heavier than the others: the contour is at an order that is high for those. */
static struct group uneven(int i)
{
	return (struct group){2 + i % 3, (long)(1e3 + 1e5 * fmod(0.754877666 * i, 1)),
			      0.5 + 2.5 * fmod(0.569840291 * i, 1), false};
}

static struct group bare(int i)
{
	return (struct group){4, 10 + i % 7, 8 + 0.01 * i, false};
}

/* How near the sides must be, and how many steps (work.h) that may take. */
struct family {
	struct group (*which)(int);
	int count;
	double width, steps;
	enum effort from;
};

static const struct family families[] = {{few_clones, 200, 1e-6, 8e7, EFFORT_SHORT},
					 {many_clones, 20, 2e-6, 1e8, EFFORT_SANITIZED},
					 {many_clones, 1000, 1e-6, 2.5e8, EFFORT_LONG},
					 {few_clones, 1000, 1e-6, 2.5e8, EFFORT_LONG},
					 {few_clones, 20, 2e-5, 1e8, EFFORT_LONG},
					 {uneven, 1000, 5e-6, 5e8, EFFORT_SHORT},
					 {bare, 100, 1e-6, 1e5, EFFORT_SHORT}};

static void check_family(const struct family *f, size_t number)
{
	struct sotto_workload *w = groups_workload(f->which, f->count);
	struct sotto_work work = {.left = SOTTO_WORK_WHOLE};
	struct sotto_curve *curve = NULL;
	struct sotto_level level;
	struct sotto_terms t;
	double lower, upper;

	must(sotto_terms_of(&t, w) == SOTTO_OK);
	t.work = &work;
	sotto_level_init_log(&level, log(1e-6));
	must(sotto_curve_new(&t, SOTTO_REMOVE, &curve) == SOTTO_OK);
	must(sotto_curve_epsilon(curve, &level, &lower, &upper) == SOTTO_OK);
	SAY(lower > 0 && lower <= upper && upper - lower <= f->width,
	    "family %zu: %.10g to %.10g", number, lower, upper);
	SAY(work.used <= f->steps, "family %zu: %g steps", number, work.used);
	sotto_curve_free(curve);
	sotto_level_release(&level);
	sotto_terms_release(&t);
	sotto_workload_free(w);
}

static void different_groups_are_sharp(void)
{
	for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
		if (effort() >= families[i].from)
			check_family(&families[i], i);
}

int main(void)
{
	RUN(the_law_is_that_of_the_hull);
	RUN(some_groups_cost_what_their_hulls_say);
	RUN(different_groups_are_sharp);
	return tap_done();
}
