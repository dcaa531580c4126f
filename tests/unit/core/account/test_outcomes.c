/*
 * Lists of outcomes: M(s) of a law that was made from a list, near the real line and far out, against sums in long doubles over outcomes
 * that are listed here in other ways: Laplace noise by many short panels, repetitions by all pairs, a group by M of one person (law_group.md)
 * or by the slopes of its polygon.
 *
 * Seen to fail: sums of places a thousandth of a gap off (outcomes_repeat.c); a group's density without f C, and its
 * polygon without the chords' slopes (outcomes_group.c); a heavier atom of Laplace noise for the size far out, and draws of narrow
 * discrete Gaussian noise taken for one (outcomes_noise.c); what only P or only Q has left out (outcomes.c), the likeliest outcomes too heavy where places stand for many, and
 * places that are twelve times too far apart (outcomes_noise.c).
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/outcomes/law_outcomes.h"
#include "core/account/law/outcomes/wanted_line.h"
#include "testlib/tap.h"

typedef long double real;
typedef long double complex complex_real;

struct listed {
	size_t n;
	real *loss, *mass;
};

static struct listed room(size_t n)
{
	struct listed l = {0, calloc(n, sizeof *l.loss), calloc(n, sizeof *l.mass)};

	CHECK(l.loss && l.mass);
	return l;
}

static void drop(struct listed *l)
{
	free(l->loss);
	free(l->mass);
}

static void put(struct listed *l, real loss, real mass)
{
	l->loss[l->n] = loss;
	l->mass[l->n++] = mass;
}

/* Atoms at both ends, and the density between them by Gauss-Legendre panels of three points. */
static struct listed laplace(real a)
{
	enum { PANELS = 40 };
	struct listed l = room(2 + 3 * PANELS);
	real half = a / PANELS, away = sqrtl(0.6L) * half;

	put(&l, a, 0.5L);
	put(&l, -a, 0.5L * expl(-a));
	for (int i = 0; i < PANELS; i++) {
		real middle = -a + (2 * i + 1) * half;

		for (int j = -1; j <= 1; j++)
			put(&l, middle + j * away,
			    half * (j ? 5 : 8) / 9 * expl((middle + j * away - a) / 2) / 4);
	}
	return l;
}

static struct listed discrete_gaussian(real sigma)
{
	int reach = (int)(20 * sigma) + 2;
	struct listed l = room((size_t)(2 * reach + 2));
	real sum = 0;

	for (int x = reach + 1; x >= -reach; x--) {
		put(&l, (1 - 2 * x) / (2 * sigma * sigma), expl(-x * x / (2 * sigma * sigma)));
		sum += l.mass[l.n - 1];
	}
	for (size_t i = 0; i < l.n; i++)
		l.mass[i] /= sum;
	return l;
}

static struct listed twice(struct listed one)
{
	struct listed l = room(one.n * one.n);

	for (size_t i = 0; i < one.n; i++)
		for (size_t j = 0; j < one.n; j++)
			put(&l, one.loss[i] + one.loss[j], one.mass[i] * one.mass[j]);
	drop(&one);
	return l;
}

static struct listed sampled(struct listed l, real q, enum sotto_direction direction)
{
	for (size_t i = 0; i < l.n; i++) {
		real x = l.loss[i];

		if (direction == SOTTO_REMOVE) {
			l.mass[i] *= q + (1 - q) * expl(-x);
			l.loss[i] = log1pl(q * expm1l(x));
		} else {
			l.loss[i] = -log1pl(q * expm1l(-x));
		}
	}
	return l;
}

static complex_real transform(const struct listed *l, complex_real s)
{
	complex_real sum = 0;

	for (size_t i = 0; i < l->n; i++)
		sum += l->mass[i] * cexpl(s * l->loss[i]);
	return sum;
}

/* A group of k, of which the curve is convex. */
static complex_real group_transform(const struct listed *l, complex_real s, real k)
{
	complex_real sum = 0;

	for (real j = 0; j < k; j++)
		sum += k * s * (s + 1) / ((k * s + j) * (k * s + j + 1)) *
		       transform(l, k * s + j);
	return sum;
}

/* The curve of a list whose losses grow, at y. */
static real curve(const struct listed *l, real y)
{
	real sum = 0;

	for (size_t i = 0; i < l->n; i++)
		if (expl(l->loss[i]) > y)
			sum += l->mass[i] * (1 - y * expl(-l->loss[i]));
	return sum;
}

/* The polygon through the corners of the curve times 1 + y + ... + y^(k-1), by its slopes. */
static struct listed group_polygon(struct listed one, real k)
{
	struct listed l = room(one.n);
	real left = -1, e0 = 0, g0 = 0;

	for (size_t i = 0; i <= one.n; i++) {
		real y = i < one.n ? expl(one.loss[i]) : 0, e = powl(y, k), g, slope, sum = 0;

		for (real j = 0; j < k; j++)
			sum += powl(y, j);
		g = i < one.n ? curve(&one, y) * sum : 0;
		slope = i == one.n ? 0 : (g - g0) / (e - e0);
		if (i > 0)
			put(&l, k * one.loss[i - 1], (slope - left) * e0);
		if (i > 0)
			left = slope;
		e0 = e;
		g0 = g;
	}
	drop(&one);
	return l;
}

/* What the event is, and how to know it otherwise. */
struct example {
	const char *text;
	struct listed (*list)(enum sotto_direction direction);
	real people; /* of a group that list does not know of; or 0 */
	double c, h;
	double close; /* what the lists here are good to */
	struct sotto_wanted_line line; /* of order 0 if the event is alone */
};

static struct listed laplace_twice(enum sotto_direction direction)
{
	return sampled(twice(laplace(0.2L)), 0.1L, direction);
}

static struct listed wide_laplace_twice(enum sotto_direction direction)
{
	return sampled(twice(laplace(1.5L)), 0.3L, direction);
}

static struct listed sampled_laplace_twice(enum sotto_direction direction)
{
	return sampled(twice(sampled(laplace(0.5L), 0.2L, direction)), 0.4L, direction);
}

static struct listed gaussian_twice(enum sotto_direction direction)
{
	return sampled(twice(discrete_gaussian(5)), 0.05L, direction);
}

/* Narrow enough that the sum of two draws is no discrete Gaussian; and the narrowest that counts as one. */
static struct listed narrow_gaussian_twice(enum sotto_direction direction)
{
	return sampled(twice(discrete_gaussian(0.8L)), 0.2L, direction);
}

static struct listed least_gaussian_twice(enum sotto_direction direction)
{
	return sampled(twice(discrete_gaussian(2)), 0.1L, direction);
}

static struct listed gaussian_often(enum sotto_direction direction)
{
	return sampled(discrete_gaussian(4), 0.7L, direction);
}

/* So wide that a few places stand for all outcomes. */
static struct listed wide_gaussian(enum sotto_direction direction)
{
	return sampled(discrete_gaussian(40), 0.1L, direction);
}

/* Of losses so large that one of P and Q has nothing: ten draws that are moved by three steps each. */
static struct listed told_gaussian(enum sotto_direction direction)
{
	enum { DRAWS = 10, MOVED = 3, REACH = 6, N = 2 * REACH + MOVED + 1 };
	real v = 0.09L, one[N], all[DRAWS * N] = {1}, sum = 0;
	struct listed l = room(DRAWS * N);
	int n = 1;

	for (int i = 0; i < N; i++) { /* from MOVED + REACH down */
		real x = MOVED + REACH - i;

		one[i] = expl(-x * x / (2 * v));
		sum += one[i];
	}
	for (int k = 0; k < DRAWS; k++, n += N - 1) {
		real next[DRAWS * N] = {0};

		for (int i = 0; i < n; i++)
			for (int j = 0; j < N; j++)
				next[i + j] += all[i] * one[j] / sum;
		for (int i = 0; i < n + N - 1; i++)
			all[i] = next[i];
	}
	for (int i = 0; i < n; i++) {
		real x = DRAWS * (MOVED + REACH) - i;

		put(&l, MOVED * (MOVED * DRAWS - 2 * x) / (2 * v), all[i]);
	}
	return sampled(l, 0.01L, direction);
}

static struct listed laplace_once(enum sotto_direction direction)
{
	return sampled(laplace(0.3L), 0.1L, direction);
}

static struct listed group_of_gaussian(enum sotto_direction direction)
{
	return group_polygon(sampled(discrete_gaussian(6), 0.1L, direction), 3);
}

#define ALONE                                                                                  \
	{                                                                                      \
		0, 0, false                                                                    \
	}

static const struct example examples[] = {
	{"sampled(rate=0.1, laplace(epsilon=0.2)*2)", laplace_twice, 0, 3, 1, 1e-11, ALONE},
	{"sampled(rate=0.1, laplace(epsilon=0.2)*2)", laplace_twice, 0, 40, 3, 1e-11, ALONE},
	{"sampled(rate=0.3, laplace(epsilon=1.5)*2)", wide_laplace_twice, 0, 1, 0.05, 1e-8,
	 ALONE},
	{"sampled(rate=0.4, sampled(rate=0.2, laplace(epsilon=0.5))*2)", sampled_laplace_twice,
	 0, 5, 1, 1e-10, ALONE},
	{"sampled(rate=0.05, discrete-gaussian(sigma=5)*2)", gaussian_twice, 0, 20, 3, 1e-14,
	 ALONE},
	{"sampled(rate=0.2, discrete-gaussian(sigma=0.8)*2)", narrow_gaussian_twice, 0, 2, 0.1,
	 1e-14, ALONE},
	{"sampled(rate=0.1, discrete-gaussian(sigma=2)*2)", least_gaussian_twice, 0, 2, 0.1,
	 1e-14, ALONE},
	{"sampled(rate=0.1, discrete-gaussian(sigma=40))",
	 wide_gaussian,
	 0,
	 30,
	 5,
	 1e-14,
	 {40, 170, false}},
	{"sampled(rate=0.01, discrete-gaussian(sigma=0.3, sensitivity=3)*10)", told_gaussian, 0,
	 0.02, 0.002, 1e-14, ALONE},
	{"sampled(rate=0.7, discrete-gaussian(sigma=4))", gaussian_often, 0, 2, 0.2, 1e-14,
	 ALONE},
	{"group(k=3, sampled(rate=0.1, discrete-gaussian(sigma=6)))", group_of_gaussian, 0, 5,
	 0.5, 1e-12, ALONE},
	{"group(k=2, sampled(rate=0.1, laplace(epsilon=0.3)))", laplace_once, 2, 3, 0.5, 1e-10,
	 ALONE},
	{"group(k=4, sampled(rate=0.1, laplace(epsilon=0.3)))", laplace_once, 4, 2, 0.3, 1e-10,
	 ALONE},
};

struct under_test {
	struct sotto_terms terms;
	struct sotto_law law;
	void *state;
	double log_m, slack;
};

static void start(struct under_test *u, const struct example *x, enum sotto_direction direction)
{
	struct sotto_event *e = NULL;
	struct sotto_outcomes_rest rest;

	*u = (struct under_test){.law = {.count = 1}};
	sotto_terms_init(&u->terms, SOTTO_ADD_REMOVE);
	CHECK(sotto_event_parse(x->text, NULL, NULL, &e, NULL) == SOTTO_OK);
	CHECK(sotto_terms_add(&u->terms, e, 1) == SOTTO_OK);
	sotto_event_free(e);
	CHECK(sotto_law_outcomes_possible(u->terms.list[0].event, 1));
	CHECK(sotto_law_outcomes_of(&u->law, u->terms.list[0].event, direction,
				    x->line.order > 0 ? &x->line : NULL, NULL,
				    &rest) == SOTTO_OK);
	CHECK(rest.left_out < 1e-30);
	CHECK(u->law.class->begin(&u->law, x->c, x->h, &u->state, &u->log_m, &u->slack) ==
	      SOTTO_OK);
}

static void finish(struct under_test *u)
{
	u->law.class->end(u->state);
	u->law.class->release(&u->law);
	sotto_terms_release(&u->terms);
}

static complex_real truth(const struct example *x, const struct listed *l, double t)
{
	complex_real s = x->c + I * (real)t;

	return x->people > 0 ? group_transform(l, s, x->people) : transform(l, s);
}

/* The block that begins with node first; *widest is the largest error that is claimed. */
static bool block_holds(struct under_test *u, const struct example *x, const struct listed *l,
			uint64_t first, double *widest)
{
	struct sotto_block b = {.c = x->c, .h = x->h, .first = first, .n = SOTTO_BLOCK};
	complex_real whole = truth(x, l, 0);
	bool holds = true;

	*widest = 0;
	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		b.re[j] = 1;
	u->law.class->apply(&u->law, u->state, &b);
	for (size_t j = 0; j < SOTTO_BLOCK; j += 5) {
		complex_real m = truth(x, l, x->h * (double)(first + j)) / whole;
		double error = b.absolute[j] + b.relative[j] * hypot(b.re[j], b.im[j]),
		       off = (double)cabsl(m - (b.re[j] + I * (real)b.im[j]));

		holds &= off <= error + x->close;
		*widest = fmax(*widest, error);
	}
	return holds;
}

static void transforms_are_those_of_the_outcomes(void)
{
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		for (int d = 0; d < 2; d++) {
			enum sotto_direction direction = d ? SOTTO_ADD : SOTTO_REMOVE;
			const struct example *x = &examples[i];
			struct listed l = x->list(direction);
			struct under_test u;
			double widest, k[3] = {0},
				       log_m = (double)logl(creall(truth(x, &l, 0)));

			start(&u, x, direction);
			CHECK(fabs(u.log_m - log_m) <= u.slack + 2 * x->close);
			CHECK(u.slack < 1e-10);
			u.law.class->cumulants(&u.law, x->c, k);
			CHECK(k[0] >= log_m - 1e-12 - x->close);
			CHECK(k[0] <= log_m + 1e-9);
			CHECK(block_holds(&u, x, &l, 0, &widest));
			CHECK(widest < 1e-9);
			finish(&u);
			drop(&l);
		}
}

/* Far out only the size is bounded, and by less than 1. */
static void far_out_the_size_is_bounded(void)
{
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		for (uint64_t first = 1 << 7; first <= 1 << 10; first *= 8) {
			const struct example *x = &examples[i];
			struct listed l = x->list(SOTTO_REMOVE);
			struct under_test u;
			double widest;

			start(&u, x, SOTTO_REMOVE);
			CHECK(block_holds(&u, x, &l, first, &widest));
			CHECK(widest <= 1 + 1e-9);
			finish(&u);
			drop(&l);
		}
}

/* Orders beyond the list's get another list, or a bound. */
static void high_orders_are_never_too_small(void)
{
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		for (double factor = 2; factor < 200; factor *= 9) {
			struct example x = examples[i];
			struct listed l = x.list(SOTTO_ADD);
			struct under_test u;
			double k[3] = {0}, log_m;

			x.c *= factor;
			log_m = (double)logl(creall(truth(&x, &l, 0)));
			start(&u, &x, SOTTO_ADD);
			u.law.class->cumulants(&u.law, x.c, k);
			CHECK(k[0] >= log_m - 1e-7 * (1 + log_m));
			CHECK(u.log_m + u.slack >= log_m - 1e-7 * (1 + log_m));
			finish(&u);
			drop(&l);
		}
}

int main(void)
{
	RUN(transforms_are_those_of_the_outcomes);
	RUN(far_out_the_size_is_bounded);
	RUN(high_orders_are_never_too_small);
	return tap_done();
}
