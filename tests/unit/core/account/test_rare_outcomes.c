/*
 * Many events that show the same outcome nearly always, against sums over all outcomes that are not too rare, in long doubles: what is left out of
 * these is counted.  Small changes of epsilon next to a single outcome are the hardest: delta has a kink there.
 *
 * Faults that were planted, each seen to fail: a series without its signs (rare_series.c); single outcomes that count 1.01 times, above or below, or each
 * pair twice (rare_atoms.c); a sweep that calls nodes smaller by e^-12 (rare_sweep.c); nodes rounded to 2^-12, not charged (contour_packed.c); masses with
 * exponents wrong by 1e-6 (rare_list.c), K by a millionth of its excess (law_rare.c), the usual loss by 3e-9 (rare_curve.c); sampled masses without
 * those of Q (outcomes.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sotto/account.h"
#include "testlib/effort.h"
#include "testlib/tap.h"

static void must(bool done)
{
	if (!done)
		abort();
}

enum { OUTCOMES = 16, ATOMS_MAX = 1 << 20, TEXT = 120 };

/* Outcomes that are rarer are left out of a sum, and counted. */
#define LEAST 1e-22L
/* What sums are good to, relative. */
#define CLOSE 1e-11L

struct listed {
	size_t n;
	long double loss[OUTCOMES], mass[OUTCOMES];
};

struct atom {
	long double loss, mass;
};

/* All outcomes of some events. */
struct list {
	struct atom *at, *next;
	size_t n;
};

/* Every other event is in the one list, and the others in the other: an outcome of all is one of each. */
struct sums {
	struct list one, other;
	long double left_out;
	long double *mass,
		*rest; /* of the other list, in falling order, up to each: the sums of P, and of Q times e^(largest loss) */
};

static void list_init(struct list *l)
{
	*l = (struct list){malloc(ATOMS_MAX * sizeof *l->at),
			   malloc(ATOMS_MAX * sizeof *l->next), 1};
	must(l->at && l->next);
	l->at[0] = (struct atom){0, 1};
}

static void list_add(struct list *s, const struct listed *l, long double *left_out)
{
	struct atom *swap = s->at;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < l->n; j++) {
			struct atom a = {s->at[i].loss + l->loss[j],
					 s->at[i].mass * l->mass[j]};

			if (a.mass < LEAST) {
				*left_out += a.mass;
				continue;
			}
			must(n < ATOMS_MAX);
			s->next[n++] = a;
		}
	s->at = s->next;
	s->next = swap;
	s->n = n;
}

static int falling(const void *a, const void *b)
{
	long double x = ((const struct atom *)a)->loss, y = ((const struct atom *)b)->loss;

	return (x < y) - (x > y);
}

static void sums_init(struct sums *s)
{
	*s = (struct sums){.left_out = 0};
	list_init(&s->one);
	list_init(&s->other);
}

static void sums_settle(struct sums *s)
{
	long double mass = 0, rest = 0;

	qsort(s->one.at, s->one.n, sizeof *s->one.at, falling);
	qsort(s->other.at, s->other.n, sizeof *s->other.at, falling);
	s->mass = malloc(s->other.n * sizeof *s->mass);
	s->rest = malloc(s->other.n * sizeof *s->rest);
	must(s->mass && s->rest);
	for (size_t i = 0; i < s->other.n; i++) {
		mass += s->other.at[i].mass;
		rest += s->other.at[i].mass * expl(s->other.at[0].loss - s->other.at[i].loss);
		s->mass[i] = mass;
		s->rest[i] = rest;
	}
}

static void sums_release(struct sums *s)
{
	free(s->one.at);
	free(s->one.next);
	free(s->other.at);
	free(s->other.next);
	free(s->mass);
	free(s->rest);
}

static long double sums_delta(const struct sums *s, double epsilon)
{
	size_t above = s->other.n;
	long double sum = 0;

	for (size_t i = 0; i < s->one.n; i++) {
		long double level = (long double)epsilon - s->one.at[i].loss;

		while (above > 0 && s->other.at[above - 1].loss <= level)
			above--;
		if (above == 0)
			break;
		sum += s->one.at[i].mass *
		       (s->mass[above - 1] -
			s->rest[above - 1] * expl(level - s->other.at[0].loss));
	}
	return sum;
}

/* The i-th event of a family: as text, and as a list for when a unit is removed. */
struct family {
	const char *what;
	void (*make)(int i, char *text, struct listed *l);
	int n;
	double width; /* of delta, relative */
};

/* A number as the text has it. */
static long double number(const char *text)
{
	return strtold(text, NULL);
}

static void list_gaussian(const char *sigma, int d, struct listed *l)
{
	long double v = number(sigma) * number(sigma), sum = 0;

	l->n = 0;
	for (int x = -5; x <= 5; x++) {
		l->loss[l->n] = (long double)(d * d - 2 * d * x) / (2 * v);
		l->mass[l->n] = expl(-(long double)(x * x) / (2 * v));
		sum += l->mass[l->n++];
	}
	for (size_t i = 0; i < l->n; i++)
		l->mass[i] /= sum;
}

static void list_pure(const char *epsilon, struct listed *l)
{
	long double e = number(epsilon);

	*l = (struct listed){2, {e, -e}, {1 / (1 + expl(-e)), 1 / (1 + expl(e))}};
}

/* P = (1-q) Q + q P0 against Q. */
static void sample(struct listed *l, const char *rate)
{
	long double q = number(rate);

	for (size_t i = 0; i < l->n; i++) {
		l->mass[i] *= q + (1 - q) * expl(-l->loss[i]);
		l->loss[i] = log1pl(q * expm1l(l->loss[i]));
	}
}

/* sigma from 0.15 to 0.2, sensitivity 1 or 2 */
static void make_gaussian(int i, char *text, struct listed *l)
{
	char sigma[20];
	int d = 1 + i % 2;

	(void)snprintf(sigma, sizeof sigma, "0.1%04d", 5000 + 107 * i);
	(void)snprintf(text, TEXT, "discrete-gaussian(sigma=%s, sensitivity=%d)", sigma, d);
	list_gaussian(sigma, d, l);
}

/* sigma from 0.3 to 0.4: several events show something rare */
static void make_wider(int i, char *text, struct listed *l)
{
	char sigma[20];

	(void)snprintf(sigma, sizeof sigma, "0.3%04d", 499 * i);
	(void)snprintf(text, TEXT, "discrete-gaussian(sigma=%s)", sigma);
	list_gaussian(sigma, 1, l);
}

static void make_pure(int i, char *text, struct listed *l)
{
	char epsilon[40];

	(void)snprintf(epsilon, sizeof epsilon, "%d.%03d3176041", 9 + i % 5, 17 * i + 3);
	(void)snprintf(text, TEXT, "pure(epsilon=%s)", epsilon);
	list_pure(epsilon, l);
}

static void make_response(int i, char *text, struct listed *l)
{
	long double e, d;
	char epsilon[40];
	int k = 3 + i % 4;

	(void)snprintf(epsilon, sizeof epsilon, "%d.%03d7153209", 8 + i % 3, 13 * i + 5);
	(void)snprintf(text, TEXT, "randomized-response(epsilon=%s, k=%d)", epsilon, k);
	e = number(epsilon);
	d = expl(e) + k - 1;
	*l = (struct listed){3, {e, 0, -e}, {expl(e) / d, (k - 2) / d, 1 / d}};
}

static void make_sampled_pure(int i, char *text, struct listed *l)
{
	char epsilon[40], rate[20];

	(void)snprintf(epsilon, sizeof epsilon, "%d.%03d", 11 + i % 7, 29 * i + 1);
	(void)snprintf(rate, sizeof rate, "0.0%03d", 12 + 7 * i);
	(void)snprintf(text, TEXT, "sampled(rate=%s, pure(epsilon=%s))", rate, epsilon);
	list_pure(epsilon, l);
	sample(l, rate);
}

/* All of these in turn, and ordinary events. */
static void make_mixed(int i, char *text, struct listed *l)
{
	char epsilon[40];

	switch (i % 4) {
	case 0:
		make_gaussian(i, text, l);
		break;
	case 1:
		make_pure(i, text, l);
		break;
	case 2:
		make_response(i, text, l);
		break;
	default:
		(void)snprintf(epsilon, sizeof epsilon, "0.0%03d", 301 + 37 * i);
		(void)snprintf(text, TEXT, "pure(epsilon=%s)", epsilon);
		list_pure(epsilon, l);
	}
}

static const struct family families[] = {
	{"small discrete Gaussian noise", make_gaussian, 40, 1e-5},
	{"discrete Gaussian noise, not quite so small", make_wider, 18, 1e-5},
	{"large pure events", make_pure, 50, 1e-5},
	{"randomized response", make_response, 22, 1e-5},
	{"sampled large pure events", make_sampled_pure, 38, 1e-5},
	{"all of them", make_mixed, 24, 1e-5}};

static struct sotto_workload *make_workload(const struct family *f, struct sums *sums)
{
	struct sotto_workload *w;
	char text[TEXT];
	struct listed l;

	must(sotto_workload_new(&w) == SOTTO_OK);
	sums_init(sums);
	for (int i = 0; i < f->n; i++) {
		f->make(i, text, &l);
		must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
		list_add(i % 2 ? &sums->one : &sums->other, &l, &sums->left_out);
	}
	sums_settle(sums);
	return w;
}

static struct sotto_account_answer delta_of(struct sotto_workload *w, double epsilon)
{
	struct sotto_account_answer a;
	struct sotto_rational e;

	sotto_rational_init(&e);
	must(sotto_rational_set_double(&e, epsilon) == SOTTO_OK);
	must(sotto_account_delta(w, &e, SOTTO_PLD, &a) == SOTTO_OK);
	sotto_rational_release(&e);
	return a;
}

static struct sotto_account_answer epsilon_of(struct sotto_workload *w, const char *at)
{
	struct sotto_account_answer a;
	struct sotto_rational delta;

	sotto_rational_init(&delta);
	must(sotto_rational_parse(&delta, at, NULL) == SOTTO_OK);
	must(sotto_account_epsilon(w, &delta, SOTTO_PLD, &a) == SOTTO_OK);
	sotto_rational_release(&delta);
	return a;
}

/* The sums only know the direction in which a unit is removed, which costs more, so an upper side may be higher only by its width. */
static void check_delta(const struct family *f, struct sotto_workload *w,
			const struct sums *sums, double epsilon)
{
	struct sotto_account_answer a;
	long double delta;

	if (epsilon < 0)
		return;
	a = delta_of(w, epsilon);
	delta = sums_delta(sums, epsilon);
	CHECK(a.lower <= (double)((delta + sums->left_out) * (1 + CLOSE)));
	CHECK((double)(delta * (1 - CLOSE)) <= a.upper);
	if (delta > 1e-10L)
		CHECK(a.upper - a.lower <= f->width * a.upper);
	if (!(a.upper - a.lower <= f->width * a.upper))
		printf("# %s at %.12g: [%.9g, %.9g], %.9Lg\n", f->what, epsilon, a.lower,
		       a.upper, delta);
}

/* The loss of the likeliest outcome of all events, or of the likeliest above that. */
static double heavy_outcome(const struct sums *s, bool usual)
{
	long double most = 0, at = 0, above = 0;
	size_t first = 0, second = 0;

	for (size_t i = 0; i < s->one.n; i++)
		first = s->one.at[i].mass > s->one.at[first].mass ? i : first;
	for (size_t i = 0; i < s->other.n; i++)
		second = s->other.at[i].mass > s->other.at[second].mass ? i : second;
	at = above = s->one.at[first].loss + s->other.at[second].loss;
	for (size_t i = 0; i < s->one.n; i++)
		if (s->one.at[i].loss > s->one.at[first].loss + 0.1L &&
		    s->one.at[i].mass > most) {
			most = s->one.at[i].mass;
			above = s->one.at[i].loss + s->other.at[second].loss;
		}
	return (double)(usual ? at : above);
}

static void deltas_hold_between_outcomes_and_next_to_them(void)
{
	static const double away[] = {-3, -1e-6, 1e-9, 2e-4, 0.7};

	for (size_t k = 0; k < sizeof families / sizeof families[0]; k++) {
		struct sums sums;
		struct sotto_workload *w = make_workload(&families[k], &sums);

		for (int usual = 0; usual < 2; usual++)
			for (size_t i = 0; i < sizeof away / sizeof away[0];
			     i += effort() == EFFORT_SANITIZED ? 3 : 1)
				check_delta(&families[k], w, &sums,
					    heavy_outcome(&sums, usual) + away[i]);
		sums_release(&sums);
		sotto_workload_free(w);
	}
}

static void epsilons_hold_and_are_sharp(void)
{
	static const char *const deltas[] = {"1e-6", "1e-3", "1e-9", "1e-12"};

	for (size_t k = 0; k < sizeof families / sizeof families[0]; k++) {
		struct sums sums;
		struct sotto_workload *w = make_workload(&families[k], &sums);

		for (size_t i = 0; i < (effort() == EFFORT_SANITIZED ? 1 : 4); i++) {
			struct sotto_account_answer a = epsilon_of(w, deltas[i]);
			long double delta = number(deltas[i]);

			CHECK(sums_delta(&sums, a.upper) <= delta * (1 + CLOSE));
			CHECK(sums_delta(&sums, a.lower) + sums.left_out >=
			      delta * (1 - CLOSE));
			CHECK(a.upper - a.lower <= 1e-6);
			if (!(a.upper - a.lower <= 1e-6))
				printf("# %s at %s: [%.12g, %.12g]\n", families[k].what,
				       deltas[i], a.lower, a.upper);
			CHECK(strcmp(a.way, "exact sum") != 0);
		}
		sums_release(&sums);
		sotto_workload_free(w);
	}
}

/* A thousand events: the width, and the steps that it took. */
static const struct guarded {
	const char *pattern; /* with a place for five digits */
	const char *beside; /* every other event, or NULL */
	double width, steps;
} guarded[] = {
	{"discrete-gaussian(sigma=0.1%05d)", NULL, 1e-6, 5e7},
	{"discrete-gaussian(sigma=0.0%05d, sensitivity=2)", NULL, 1e-6, 6e7},
	{"discrete-gaussian(sigma=0.2%05d)", NULL, 1e-6, 4.5e8},
	{"pure(epsilon=2%05d.1e-4)", NULL, 1e-6, 1e8},
	{"randomized-response(epsilon=2%05d.1e-4, k=5)", NULL, 1e-6, 1e8},
	{"geometric(epsilon=3%05d.1e-4, sensitivity=3)", NULL, 1e-6, 1e8},
	{"sampled(rate=0.1, pure(epsilon=2%05d.1e-4))", NULL, 1e-6, 1.5e8},
	{"sampled(rate=0.1, discrete-gaussian(sigma=0.1%05d))", NULL, 2e-6, 1.5e8},
	{"sampled(rate=0.1%05d, gaussian(sigma=0.2))",
	 "sampled(rate=0.01, gaussian(sigma=0.1%05d))", 1e-6, 4.8e8},
	{"discrete-gaussian(sigma=0.1%05d)", "pure(epsilon=0.0%05d)", 1e-6, 2.5e8},
	{"discrete-gaussian(sigma=0.1%05d)", "laplace(epsilon=0.0%05d)", 1e-6, 4.8e8},
};

static void a_thousand_events_stay_sharp_and_quick(void)
{
	enum { EVENTS = 1000 };

	for (size_t k = 0; k < sizeof guarded / sizeof guarded[0]; k++) {
		const struct guarded *g = &guarded[k];
		struct sotto_account_answer a;
		struct sotto_workload *w;
		char text[TEXT];

		if (effort() == EFFORT_SANITIZED && g->steps > 5e7)
			continue;
		must(sotto_workload_new(&w) == SOTTO_OK);
		for (int i = 0; i < EVENTS; i++) {
			const char *pattern = g->beside && i % 2 ? g->beside : g->pattern;

			(void)snprintf(text, sizeof text, pattern, 10000 + 89 * i);
			must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
		}
		a = epsilon_of(w, "1e-6");
		CHECK(a.lower > 0 && a.upper - a.lower <= g->width);
		CHECK(a.steps <= g->steps);
		if (getenv("VERBOSE") ||
		    !(a.upper - a.lower <= g->width && a.steps <= g->steps))
			printf("# %s: [%.12g, %.12g] in %g steps\n", g->pattern, a.lower,
			       a.upper, a.steps);
		sotto_workload_free(w);
	}
}

int main(void)
{
	RUN(deltas_hold_between_outcomes_and_next_to_them);
	RUN(epsilons_hold_and_are_sharp);
	RUN(a_thousand_events_stay_sharp_and_quick);
	return tap_done();
}
