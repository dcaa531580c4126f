/*
 * Shuffled reports, and groups in them, as lists for a grid; two cells of which one is shuffled reports, as a table; and epsilon of few events of these kinds: against the
 * hulls of all outcomes one by one, in long doubles.
 *
 * Faults that were planted, each seen to fail: the polygon above used below, and below above; opposite outcomes with the mass of P; a table's masses of Q that are those of P; its line
 * below that is not continued by E; its chords above that are too steep; its infinite losses left out; cells of which two are not compared.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/account/loss/convolved/convolved_clones.h"
#include "core/account/loss/convolved/convolved_table.h"
#include "sotto/account.h"
#include "testlib/tap.h"

#define SAY(ok, ...) (void)tap_check(ok, __FILE__, __LINE__, __VA_ARGS__)

typedef long double real;

enum { OUTCOMES = 4000, PLACES = 60, CELLS = 3000 };

/* Outcomes: losses and P-masses; the losses of a hull grow. */
struct list {
	size_t n;
	real loss[OUTCOMES], mass[OUTCOMES], infinite;
};

struct reports {
	int people, users;
	double epsilon0;
};

static void must(bool done)
{
	if (!done)
		abort();
}

static void add(struct list *l, real loss, real mass)
{
	must(l->n < OUTCOMES);
	l->loss[l->n] = loss;
	l->mass[l->n++] = mass;
}

static real delta(const struct list *l, real epsilon)
{
	real sum = l->infinite;

	for (size_t i = 0; i < l->n; i++)
		if (l->loss[i] > epsilon)
			sum -= l->mass[i] * expm1l(epsilon - l->loss[i]);
	return sum;
}

/* All outcomes of the clone pair. */
static void list_reports(const struct reports *r, struct list *l)
{
	real e0 = r->epsilon0, p = expl(-e0), a = 1 / (1 + p), b = p / (1 + p), n = r->users;

	l->n = 0;
	l->infinite = 0;
	for (int c = 0; c < r->users; c++)
		for (int x = 0; x <= c + 1; x++) {
			real ways = lgammal(n) - lgammal(n - c) - lgammal(x + 1) -
				    lgammal(c + 2 - x) - c * e0 + (n - 1 - c) * log1pl(-p) -
				    c * logl(2),
			     lean = a * x + b * (c + 1 - x), back = b * x + a * (c + 1 - x);

			add(l, logl(lean / back), expl(ways) * lean);
		}
}

static int compare(const void *a, const void *b)
{
	real x = *(const real *)a, y = *(const real *)b;

	return (x > y) - (x < y);
}

/* The hull of min(1, f(y) (1 + y + ... + y^(k-1))), E = y^k, as outcomes. */
static void list_group(const struct reports *r, struct list *out)
{
	static struct list one;
	static real x[OUTCOMES], place[OUTCOMES], value[OUTCOMES];
	size_t n = 1, places;

	list_reports(r, &one);
	places = one.n;
	for (size_t i = 0; i < places; i++)
		x[i] = one.loss[i];
	qsort(x, places, sizeof *x, compare);
	place[0] = 0;
	value[0] = 1;
	for (size_t i = 0; i < places; i++) {
		real y = expl(x[i]), sum = 0, at = 1, height;

		if (i > 0 && x[i] < x[i - 1] + 1e-12L)
			continue;
		for (int j = 0; j < r->people; j++, at *= y)
			sum += at;
		height = fminl(1, i + 1 == places ? 0 : delta(&one, x[i]) * sum);
		while (n > 1 && (value[n - 1] - value[n - 2]) * (at - place[n - 1]) >=
					(height - value[n - 1]) * (place[n - 1] - place[n - 2]))
			n--;
		place[n] = at;
		value[n++] = height;
	}
	out->n = 0;
	out->infinite = 0;
	for (size_t i = 1; i < n; i++) {
		real before = (value[i] - value[i - 1]) / (place[i] - place[i - 1]),
		     after = i + 1 < n ? (value[i + 1] - value[i]) / (place[i + 1] - place[i])
				       : 0;

		add(out, logl(place[i]), place[i] * (after - before));
	}
}

static void read_terms(struct sotto_terms *t, const char *const *texts, size_t n)
{
	sotto_terms_init(t, SOTTO_REPLACE);
	for (size_t i = 0; i < n; i++) {
		struct sotto_event *e = NULL;

		must(sotto_event_parse(texts[i], NULL, NULL, &e, NULL) == SOTTO_OK);
		must(sotto_terms_add(t, e, 1) == SOTTO_OK);
		sotto_event_free(e);
	}
	sotto_terms_sort(t);
}

static void write_text(const struct reports *r, char *text, size_t size)
{
	if (r->people == 1)
		(void)snprintf(text, size, "shuffle(n=%d,epsilon0=%g)", r->users, r->epsilon0);
	else
		(void)snprintf(text, size, "group(k=%d,shuffle(n=%d,epsilon0=%g))", r->people,
			       r->users, r->epsilon0);
}

/* ---- lists ------------------------------------------------------------------------------------ */

static real delta_of_cells(const struct sotto_cells *c, real epsilon)
{
	real sum = c->above;

	for (size_t i = 0; i < c->outcomes; i++)
		if (c->loss[i] > epsilon)
			sum -= (real)c->mass[i] * expm1l(epsilon - c->loss[i]);
	return sum;
}

static void check_lists(const struct reports *r, size_t cells)
{
	static struct list exact;
	struct sotto_cutting cutting = {.cells = cells, .wide = 1e-9, .order = 1};
	struct sotto_between_share share;
	struct sotto_terms t;
	struct sotto_cuts c = {0};
	char text[99];
	const char *one = text;
	int wrong = 0, blunt = 0;

	write_text(r, text, sizeof text);
	read_terms(&t, &one, 1);
	must(sotto_convolved_clones_possible(t.list[0].event, SOTTO_REPLACE));
	must(sotto_convolved_clones_share(&t, &cutting, &share) == SOTTO_OK);
	must(sotto_convolved_clones_of(&c, t.list[0].event, &share, NULL) == SOTTO_OK);
	list_group(r, &exact);
	for (int i = -PLACES; i <= PLACES; i++) {
		real epsilon = 1.01L * r->people * r->epsilon0 * i / PLACES,
		     truth = delta(&exact, epsilon), low = delta_of_cells(&c.below, epsilon),
		     high = delta_of_cells(&c.above, epsilon);

		wrong += low * (1 - c.below.error) > truth * (1 + 1e-14L) ||
			 high * (1 + c.above.error) < truth * (1 - 1e-14L);
		blunt += cells == CELLS && high - low > 1e-4L * truth + 1e-12L;
	}
	SAY(wrong == 0, "%s: lists are wrong at %d places", text, wrong);
	SAY(blunt == 0, "%s: lists are blunt at %d places", text, blunt);
	sotto_cells_release(&c.above);
	sotto_cells_release(&c.below);
	sotto_terms_release(&t);
}

static void lists_of_shuffled_reports_enclose_the_hull_of_all_outcomes(void)
{
	static const struct reports all[] = {{1, 2, 1},    {1, 60, 0.5}, {1, 60, 3},
					     {2, 40, 1.3}, {3, 60, 0.7}, {4, 25, 2}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (size_t cells = CELLS; cells > 60;
		     cells /= 5) /* few hold many outcomes each */
			check_lists(&all[i], cells);
}

/* ---- tables ----------------------------------------------------------------------------------- */

static void list_response(real epsilon, int k, real infinite, struct list *l)
{
	real e = expl(epsilon), d = (e + k - 1) / (1 - infinite);

	l->n = 0;
	l->infinite = infinite;
	add(l, -epsilon, 1 / d);
	add(l, 0, (k - 2) / d);
	add(l, epsilon, e / d);
}

static void compose(const struct list *a, const struct list *b, struct list *out)
{
	out->n = 0;
	out->infinite = a->infinite + (1 - a->infinite) * b->infinite;
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			add(out, a->loss[i] + b->loss[j], a->mass[i] * b->mass[j]);
}

static void check_table(const char *other, const struct list *of_other, const struct reports *r,
			size_t points, real sharp)
{
	static struct list mine, both;
	struct sotto_convolved_table *x;
	struct sotto_terms t;
	char text[99];
	const char *two[] = {text, other};
	int wrong = 0, blunt = 0;

	write_text(r, text, sizeof text);
	read_terms(&t, two, 2);
	must(sotto_convolved_table_fits(&t));
	must(sotto_convolved_table_new(&t, SOTTO_REMOVE, points, &x) == SOTTO_OK);
	list_group(r, &mine);
	compose(&mine, of_other, &both);
	for (int i = 0; i <= 20 * PLACES; i++) {
		real epsilon = 0.051L * i / PLACES, truth = logl(delta(&both, (double)epsilon));
		double low, high;

		sotto_convolved_table_delta(x, (double)epsilon, &low, &high);
		wrong += low > truth + 1e-13L || high < truth - 1e-13L;
		blunt += truth > -25 && high - low > sharp;
	}
	SAY(wrong == 0, "%s beside %s: a table is wrong at %d places", text, other, wrong);
	SAY(blunt == 0, "%s beside %s: a table is blunt at %d places", text, other, blunt);
	sotto_convolved_table_free(x);
	sotto_terms_release(&t);
}

static void a_table_encloses_the_curve_of_two_cells(void)
{
	static const struct reports few = {1, 30, 1}, group = {2, 30, 0.4};
	static struct list other;

	list_response(0.6L, 3, 0, &other);
	for (size_t points = 1 << 10; points <= 1 << 16; points *= 8) {
		real sharp = points == 1 << 16 ? 1e-3L : INFINITY;

		check_table("randomized-response(epsilon=0.6,k=3)", &other, &few, points,
			    sharp);
		check_table("randomized-response(epsilon=0.6,k=3)", &other, &group, points,
			    sharp);
	}
	list_response(0.3L, 2, 1e-4L, &other);
	check_table("approx(epsilon=0.3,delta=1e-4)", &other, &few, 1 << 16, 1e-3L);
}

/* ---- epsilon ---------------------------------------------------------------------------------- */

static void price(const char *const *texts, size_t n, double *lower, double *upper)
{
	struct sotto_workload *w = NULL;
	struct sotto_account_answer answer;
	struct sotto_rational delta_of;

	sotto_rational_init(&delta_of);
	mpq_set_ui(delta_of.q, 1, 1000000);
	must(sotto_workload_new(&w) == SOTTO_OK);
	for (size_t i = 0; i < n; i++) {
		struct sotto_event *e = NULL;

		must(sotto_event_parse(texts[i], NULL, NULL, &e, NULL) == SOTTO_OK);
		must(sotto_workload_add(w, e, 1, NULL) == SOTTO_OK);
		sotto_event_free(e);
	}
	must(sotto_account_epsilon(w, &delta_of, SOTTO_PLD, &answer) == SOTTO_OK);
	*lower = answer.lower;
	*upper = answer.upper;
	sotto_workload_free(w);
	sotto_rational_release(&delta_of);
}

/* delta of both lists together, without listing all sums. */
static real delta_of_two(const struct list *a, const struct list *b, real epsilon)
{
	real sum = 0;

	for (size_t i = 0; i < a->n; i++)
		sum += a->mass[i] * delta(b, epsilon - a->loss[i]);
	return sum;
}

static void two_groups_in_shuffled_reports_have_a_sharp_epsilon(void)
{
	static const struct reports a = {2, 40, 1}, b = {3, 55, 0.6};
	static struct list la, lb;
	char texts[2][99];
	const char *two[] = {texts[0], texts[1]};
	double lower, upper;

	write_text(&a, texts[0], sizeof texts[0]);
	write_text(&b, texts[1], sizeof texts[1]);
	list_group(&a, &la);
	list_group(&b, &lb);
	price(two, 2, &lower, &upper);
	SAY(upper - lower < 1e-6, "sides are %.2g apart", upper - lower);
	SAY(delta_of_two(&la, &lb, lower) >= 1e-6L && delta_of_two(&la, &lb, upper) <= 1e-6L,
	    "epsilon is not between %.12g and %.12g", lower, upper);
}

/* Twice the worse of three pairs, of which two have shuffled reports in them; the curves of the pairs do not cross where it counts. */
static void three_cells_with_shuffled_reports_have_a_sharp_epsilon(void)
{
	static const char *const cells[] = {
		"parallel(shuffle(n=30,epsilon0=1),randomized-response(epsilon=0.05,k=3),"
		"randomized-response(epsilon=0.6,k=3))",
		"parallel(shuffle(n=30,epsilon0=1),randomized-response(epsilon=0.05,k=3),"
		"randomized-response(epsilon=0.7,k=2))"};
	static const struct reports few = {1, 30, 1};
	static struct list mine, other, a, b;
	double lower, upper;

	list_reports(&few, &mine);
	list_response(0.6L, 3, 0, &other);
	compose(&mine, &other, &a);
	list_response(0.7L, 2, 0, &other);
	compose(&mine, &other, &b);
	price(cells, 2, &lower, &upper);
	SAY(upper - lower < 2e-5, "sides are %.2g apart", upper - lower);
	SAY(delta_of_two(&a, &b, upper) <= 1e-6L, "epsilon is more than %.12g", upper);
	SAY(delta_of_two(&a, &b, lower) >= 1e-6L, "epsilon is less than %.12g", lower);
}

int main(void)
{
	RUN(lists_of_shuffled_reports_enclose_the_hull_of_all_outcomes);
	RUN(a_table_encloses_the_curve_of_two_cells);
	RUN(two_groups_in_shuffled_reports_have_a_sharp_epsilon);
	RUN(three_cells_with_shuffled_reports_have_a_sharp_epsilon);
	return tap_done();
}
