/*
 * Black-box groups of people in disjoint cells, and cells of repeated Laplace noise and of approximate events: M(s) against a fine polygon in long doubles
 * above the hull of the curve, which is computed here by formulas of its own.
 *
 * Seen to fail: lines of the hull that end halfway between corners in place of where they are tangent, without their harm (law_pieces_hull_lines.c); the arc
 * after the last line left out (law_pieces_hull.c); a group's density without f C, and floors of k times the density (law_pieces_people.c); one atom of two
 * draws too light, and a stretch below the wrong atom (laplace_fold.c); an infinite mass that is not taken from the finite part (law_pieces_points.c);
 * a stretch that counts as cut off where the curve is below 1, a seam that keeps its mass where the line after it is turned, stretches halved six times only, and
 * corners at one loss (law_pieces_hull_corners.c, law_pieces_hull.c).
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/pieces/law_pieces.h"
#include "testlib/tap.h"

typedef long double real;
typedef long double complex complex_real;

enum { STEPS = 1 << 14 };

/* Laws whose points were gathered. */
static int gathered;

enum noise { GAUSSIAN = 1, LAPLACE, TWICE, PURE, APPROX, DISCRETE };
enum { OUTCOMES = 14 }; /* of small discrete noise, on either side */

/* Noise with a = sigma or epsilon, at a rate of at most 1; b is the delta of an approximate event. */
struct cell {
	enum noise noise;
	real a, rate, b;
};

struct example {
	const char *text;
	struct cell cells[3];
	int people;
	double c, h, reach;
};

static const struct example examples[] = {
	{"parallel(laplace(epsilon=0.5)*2, gaussian(sigma=2))",
	 {{TWICE, 0.5L, 1, 0}, {GAUSSIAN, 2, 1, 0}},
	 1,
	 1.5,
	 0.3,
	 8},
	{"parallel(laplace(epsilon=2)*2, approx(epsilon=1, delta=1e-3))",
	 {{TWICE, 2, 1, 0}, {APPROX, 1, 1, 1e-3L}},
	 1,
	 1,
	 0.2,
	 5},
	{"parallel(gaussian(sigma=2), approx(epsilon=0.3, delta=1e-4))",
	 {{GAUSSIAN, 2, 1, 0}, {APPROX, 0.3L, 1, 1e-4L}},
	 1,
	 1.5,
	 0.3,
	 8},
	{"parallel(sampled(rate=0.3, laplace(epsilon=1)*2), sampled(rate=0.1, "
	 "approx(epsilon=2, "
	 "delta=1e-3)))",
	 {{TWICE, 1, 0.3L, 0}, {APPROX, 2, 0.1L, 1e-3L}},
	 1,
	 1.5,
	 0.3,
	 6},
	{"sampled(rate=0.01, laplace(epsilon=2)*2)", {{TWICE, 2, 0.01L, 0}}, 1, 2, 0.3, 5},
	{"group(k=3, parallel(gaussian(sigma=2), laplace(epsilon=0.7)))",
	 {{GAUSSIAN, 2, 1, 0}, {LAPLACE, 0.7L, 1, 0}},
	 3,
	 0.7,
	 0.1,
	 22},
	{"group(k=2, parallel(laplace(epsilon=0.3), gaussian(sigma=5)))",
	 {{LAPLACE, 0.3L, 1, 0}, {GAUSSIAN, 5, 1, 0}},
	 2,
	 2,
	 0.3,
	 8},
	{"group(k=4, parallel(pure(epsilon=0.5), gaussian(sigma=3)))",
	 {{PURE, 0.5L, 1, 0}, {GAUSSIAN, 3, 1, 0}},
	 4,
	 0.5,
	 0.1,
	 24},
	{"group(k=3, parallel(laplace(epsilon=0.355563), pure(epsilon=0.0312022)))",
	 {{LAPLACE, 0.355563L, 1, 0}, {PURE, 0.0312022L, 1, 0}},
	 3,
	 3,
	 0.5,
	 4},
	{"group(k=2, parallel(laplace(epsilon=1.5)*2, approx(epsilon=1, delta=1e-5)))",
	 {{TWICE, 1.5L, 1, 0}, {APPROX, 1, 1, 1e-5L}},
	 2,
	 0.5,
	 0.1,
	 8},
	{"group(k=3, sampled(rate=0.3, laplace(epsilon=2)*2))",
	 {{TWICE, 2, 0.3L, 0}},
	 3,
	 0.5,
	 0.1,
	 14},
	{"group(k=3, sampled(rate=0.3, gaussian(sigma=0.8)))",
	 {{GAUSSIAN, 0.8L, 0.3L, 0}},
	 3,
	 0.3,
	 0.04,
	 60},
	{"group(k=5, sampled(rate=0.4, laplace(epsilon=1)))",
	 {{LAPLACE, 1, 0.4L, 0}},
	 5,
	 0.5,
	 0.1,
	 8},
	{"group(k=3, sampled(rate=0.2, approx(epsilon=1, delta=1e-4)*2))",
	 {{APPROX, 1, 0.2L, 1e-4L}},
	 3,
	 0.7,
	 0.1,
	 8},
	/* losses of hundreds, up to which the curve of the group is above 1 */
	{"group(k=5, parallel(gaussian(sigma=0.370747), laplace(epsilon=0.675998)))",
	 {{GAUSSIAN, 0.370747L, 1, 0}, {LAPLACE, 0.675998L, 1, 0}},
	 5,
	 0.01,
	 0.002,
	 500},
	{"group(k=4, sampled(rate=0.0002, gaussian(sigma=0.35)))",
	 {{GAUSSIAN, 0.35L, 0.0002L, 0}},
	 4,
	 0.002,
	 0.0004,
	 320},
	/* losses so near to the lowest one that slopes between them would be rounding */
	{"group(k=3, sampled(rate=0.00740357, gaussian(sigma=0.335258)))",
	 {{GAUSSIAN, 0.335258L, 0.00740357L, 0}},
	 3,
	 0.01,
	 0.002,
	 330},
	{"group(k=3, sampled(rate=0.0222845, gaussian(sigma=0.336718)))",
	 {{GAUSSIAN, 0.336718L, 0.0222845L, 0}},
	 3,
	 0.01,
	 0.002,
	 330},
	{"group(k=2, sampled(rate=0.190522, gaussian(sigma=0.473829)))",
	 {{GAUSSIAN, 0.473829L, 0.190522L, 0}},
	 2,
	 0.01,
	 0.002,
	 120},
	{"group(k=3, sampled(rate=0.000320644, gaussian(sigma=0.412512)))",
	 {{GAUSSIAN, 0.412512L, 0.000320644L, 0}},
	 3,
	 0.01,
	 0.002,
	 200},
	/* rare samples of small noise: outcomes whose losses differ by less than rounding */
	{"group(k=3, sampled(rate=0.0006, discrete-gaussian(sigma=0.375)))",
	 {{DISCRETE, 0.375L, 0.0006L, 0}},
	 3,
	 0.05,
	 0.01,
	 150},
};

static real laplace_delta(real a, real x)
{
	return x >= a ? 0 : x <= -a ? -expm1l(x) : -expm1l((x - a) / 2);
}

/* Gauss-Legendre panels of three points for the density of a draw between two losses. */
static real density_part(real a, real x, real from, real to)
{
	enum { PANELS = 8 };
	real sum = 0, half = (to - from) / (2 * PANELS), away = sqrtl(0.6L) * half;

	if (!(to > from))
		return 0;
	for (int i = 0; i < PANELS; i++)
		for (int j = -1; j <= 1; j++) {
			real l = from + (2 * i + 1) * half + j * away;

			sum += half * (j ? 5 : 8) / 9 * expl((l - a) / 2) / 4 *
			       laplace_delta(a, x - l);
		}
	return sum;
}

/* Two draws: the first one's loss is an end, or between; the second's curve turns at x - a and x + a. */
static real twice_delta(real a, real x)
{
	real left = fminl(fmaxl(x - a, -a), a), right = fminl(fmaxl(x + a, -a), a);

	return 0.5L * laplace_delta(a, x - a) + 0.5L * expl(-a) * laplace_delta(a, x + a) +
	       density_part(a, x, -a, left) + density_part(a, x, left, right) +
	       density_part(a, x, right, a);
}

static real pure_delta(real a, real x)
{
	return x >= a ? 0 : x <= -a ? -expm1l(x) : -expm1l(x - a) / (1 + expl(-a));
}

/* The sum over all outcomes of what P has more than y Q. */
static real discrete_delta(real sigma, real y)
{
	real sum = 0, all = 0, v = 2 * sigma * sigma;

	for (int i = -OUTCOMES; i <= OUTCOMES + 1; i++) {
		real x = i, p = expl(-x * x / v), q = expl(-(x - 1) * (x - 1) / v);

		all += p;
		sum += fmaxl(0, p - y * q);
	}
	return sum / all;
}

static real noise_delta(const struct cell *n, real y, int times)
{
	real x = logl(y), mu = 1 / n->a, sum = 0;

	if (y <= 0)
		return 1 - y;
	switch (n->noise) {
	case GAUSSIAN:
		return 0.5L * erfcl((x / mu - mu / 2) * sqrtl(0.5L)) -
		       0.5L * y * erfcl((x / mu + mu / 2) * sqrtl(0.5L));
	case LAPLACE:
		return laplace_delta(n->a, x);
	case TWICE:
		return twice_delta(n->a, x);
	case PURE:
		return pure_delta(n->a, x);
	case DISCRETE:
		return discrete_delta(n->a, y);
	default: /* a mass at infinity each time, else pure */
		if (times == 1)
			return n->b + (1 - n->b) * pure_delta(n->a, x);
		sum = pure_delta(n->a, x - n->a) / (1 + expl(-n->a)) +
		      pure_delta(n->a, x + n->a) / (1 + expl(n->a));
		return 1 - (1 - n->b) * (1 - n->b) + (1 - n->b) * (1 - n->b) * sum;
	}
}

static real
cell_delta(const struct cell *n, enum sotto_direction direction, real epsilon, int times)
{
	real e = expl(epsilon), q = n->rate, v = 1 - (1 - q) * e;

	if (q >= 1)
		return noise_delta(n, e, times);
	if (direction == SOTTO_REMOVE)
		return e > 1 - q ? q * noise_delta(n, (e - 1 + q) / q, times) : 1 - e;
	return v > 0 ? v * noise_delta(n, q * e / v, times) : 0;
}

/* A polygon above the hull: losses, and P-masses there. */
struct polygon {
	real *x, *y, *mass;
	size_t n;
	real infinite, step;
};

/* E[b] - E[a] over E[b] */
static real gap(real a, real b)
{
	return -expm1l(a - b);
}

/* The slope from i to j, times E at j. */
static real slope(const struct polygon *p, size_t i, size_t j)
{
	return (p->y[j] - p->y[i]) / gap(p->x[i], p->x[j]);
}

static void add(struct polygon *p, real x, real y)
{
	while (p->n > 0) {
		size_t last = p->n - 1;
		real into = last > 0 ? slope(p, last - 1, last) : p->y[0] - 1;
		real out = (y - p->y[last]) / expm1l(x - p->x[last]);

		if (into < out)
			break;
		p->n--;
	}
	p->x[p->n] = x;
	p->y[p->n++] = y;
}

/* The largest curve at one person's loss, and which it is. */
static real
largest(const struct example *e, enum sotto_direction direction, real x, int times, int *which)
{
	real most = -1;

	for (int j = 0; j < 3 && e->cells[j].noise; j++) {
		real f = cell_delta(&e->cells[j], direction, x, times);

		if (f > most) {
			most = f;
			*which = j;
		}
	}
	return most;
}

/* The group's curve at its loss, as a point of the polygon. */
static void add_at(struct polygon *p, const struct example *e, enum sotto_direction direction,
		   real x, int times)
{
	real one = x / e->people, s = 0;
	int which;

	for (int j = 0; j < e->people; j++)
		s += expl(j * one);
	add(p, x, fminl(1, largest(e, direction, one, times, &which) * s));
}

/* The first loss after from and before to where a curve turns; to if there is none. */
static real
next_turn(const struct example *e, enum sotto_direction direction, real from, real to)
{
	real first = to;

	for (int j = 0; j < 3 && e->cells[j].noise; j++) {
		const struct cell *n = &e->cells[j];
		int most = n->noise == DISCRETE ? OUTCOMES : 2;

		for (int i = -most; i <= most && n->noise != GAUSSIAN; i++) {
			real v = n->noise == DISCRETE ? (2 * i + 1) / (2 * n->a * n->a)
						      : n->a * i,
			     q = n->rate,
			     x = direction == SOTTO_REMOVE ? log1pl(q * expm1l(v))
							   : -log1pl(q * expm1l(-v));

			x *= e->people;
			if (from < x && x < first)
				first = x;
		}
	}
	return first;
}

/* Where another curve becomes the largest between two losses; to if none does. */
static real
crossing(const struct example *e, enum sotto_direction direction, real from, real to, int times)
{
	real end = to, x = to;
	int a = 0, b = 0, m = 0;

	(void)largest(e, direction, from / e->people, times, &a);
	(void)largest(e, direction, to / e->people, times, &b);
	for (int i = 0; i < 60 && a != b; i++) {
		x = (from + end) / 2;
		(void)largest(e, direction, x / e->people, times, &m);
		*(m == a ? &from : &end) = x;
	}
	return x;
}

static void make_polygon(struct polygon *p, const struct example *e,
			 enum sotto_direction direction, int times)
{
	p->x = malloc(3 * (2 * STEPS + 100) * sizeof *p->x);
	CHECK(p->x != NULL);
	p->y = p->x + 2 * STEPS + 100;
	p->mass = p->y + 2 * STEPS + 100;
	p->n = 0;
	p->step = 2 * (real)e->reach / STEPS;
	for (int i = 0; i <= STEPS; i++) {
		real x = -(real)e->reach + p->step * i, from = x - p->step;

		while (i > 0 && from < x) {
			real turn = next_turn(e, direction, from, x),
			     cross = crossing(e, direction, from, turn, times);

			if (from < cross && cross < turn)
				add_at(p, e, direction, cross, times);
			if (turn < x)
				add_at(p, e, direction, turn, times);
			from = turn;
		}
		add_at(p, e, direction, x, times);
	}
	while (p->n > 1 && slope(p, p->n - 2, p->n - 1) >= 0)
		p->n--;
	p->infinite = p->y[p->n - 1];
	for (size_t i = 0; i < p->n; i++) {
		real into = i > 0 ? slope(p, i - 1, i) : p->y[0] - 1,
		     out = i + 1 < p->n
				   ? (p->y[i + 1] - p->y[i]) / expm1l(p->x[i + 1] - p->x[i])
				   : 0;

		p->mass[i] = (out - into) / (1 - p->infinite);
	}
}

static complex_real transform(const struct polygon *p, complex_real s)
{
	complex_real sum = 0;

	for (size_t i = 0; i < p->n; i++)
		sum += p->mass[i] * cexpl(s * p->x[i]);
	return sum;
}

/* What the polygon's M(s) may be wrong by, relative to M(c): its law is spread over steps. */
static double polygon_error(const struct polygon *p, double c, double t)
{
	double d = (double)p->step;

	return 0.3 * d * d * hypot(c, t) * hypot(c + 1, t) + 1e-12;
}

static void check_block(const struct sotto_law *law, void *state, const struct polygon *p,
			const struct example *e, uint64_t first, double most)
{
	struct sotto_block b = {.c = e->c, .h = e->h, .first = first, .n = SOTTO_BLOCK};
	complex_real whole = transform(p, e->c);

	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		b.re[j] = 1;
	law->class->apply(law, state, &b);
	for (size_t j = 0; j < SOTTO_BLOCK; j += 31) {
		double t = e->h * (double)(first + j),
		       error = b.absolute[j] + b.relative[j] * hypot(b.re[j], b.im[j]);
		complex_real m = transform(p, e->c + I * (real)t) / whole;

		CHECK(cabsl(m - (b.re[j] + I * (real)b.im[j])) <=
		      error + 2 * polygon_error(p, e->c, t));
		CHECK(error <= most);
	}
}

/* Beside many others the points of a group are gathered, for orders up to half of what K is listed to. */
static void want_few_points(struct sotto_law *law, const struct example *e)
{
	law->listed_reach = 2.2 * e->c;
	law->wanted_far = 8 * e->h;
}

static void check(const struct example *e, enum sotto_direction direction, bool is_brief)
{
	int times = 1;
	struct sotto_law law = {.count = 1};
	struct sotto_event *event = NULL;
	struct sotto_terms t;
	struct polygon p;
	double log_m, slack, k[3] = {0}, truth;
	void *state = NULL;

	for (const char *c = e->text; *c; c++)
		if (*c == '*')
			times = e->cells[0].noise == APPROX ? 2 : times;
	sotto_terms_init(&t, SOTTO_ADD_REMOVE);
	CHECK(sotto_event_parse(e->text, NULL, NULL, &event, NULL) == SOTTO_OK);
	CHECK(sotto_terms_add(&t, event, 1) == SOTTO_OK);
	sotto_event_free(event);
	CHECK(sotto_pieces_possible(t.list[0].event, SOTTO_ADD_REMOVE));
	if (is_brief)
		want_few_points(&law, e);
	CHECK(sotto_law_pieces_of(&law, t.list[0].event, direction, NULL) == SOTTO_OK);
	gathered += law.pieces->brief != NULL;
	make_polygon(&p, e, direction, times);
	truth = (double)logl(creall(transform(&p, e->c)));
	CHECK(fabsl(sotto_pieces_infinite(law.pieces) - p.infinite) <=
	      1e-4L * p.infinite + 1e-18L);
	CHECK(sotto_pieces_left_out(law.pieces) < 1e-14);
	law.of_many = true;
	CHECK(law.class->begin(&law, e->c, e->h, &state, &log_m, &slack) == SOTTO_OK);
	CHECK(fabs(log_m - truth) <= slack + polygon_error(&p, e->c, 0));
	CHECK(slack < 1e-9);
	law.class->cumulants(&law, e->c, k);
	CHECK(k[0] >= truth - polygon_error(&p, e->c, 0));
	CHECK(k[0] <= truth + polygon_error(&p, e->c, 0) + 1e-8);
	check_block(&law, state, &p, e, 0, 1e-8);
	check_block(&law, state, &p, e, 200, 1 + 1e-9);
	check_block(&law, state, &p, e, 1000, 1 + 1e-9);
	law.class->end(state);
	law.class->release(&law);
	sotto_terms_release(&t);
	free(p.x);
}

static void transform_is_that_of_the_hull(void)
{
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		for (int d = 0; d < 2; d++)
			check(&examples[i], d ? SOTTO_ADD : SOTTO_REMOVE, false);
	CHECK(gathered == 0);
}

static void gathered_points_are_those_of_the_hull(void)
{
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		for (int d = 0; d < 2 && examples[i].people > 1; d++)
			check(&examples[i], d ? SOTTO_ADD : SOTTO_REMOVE, true);
	CHECK(gathered >= 12);
}

int main(void)
{
	RUN(transform_is_that_of_the_hull);
	RUN(gathered_points_are_those_of_the_hull);
	return tap_done();
}
