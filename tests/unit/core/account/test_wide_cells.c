/*
 * Disjoint cells of discrete Gaussian noise of all sizes: M(s) against a sum over the straight stretches of the largest polygon, in long doubles, and the
 * bracket of a thousand such events.
 *
 * Seen to fail: sums of Q-mass that keep their anchor (law_pieces_list.c); a cell's right tangent with the slope of the left one, and chords that are not cut
 * where they meet, so that close curves are refused (law_pieces_find.c). Groups: harm below lines, and what one part leaves out at the other's largest loss
 * (law_pieces_hull.c).
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/law/pieces/law_pieces.h"
#include "core/account/loss/loss_curve.h"
#include "testlib/tap.h"

enum { PARTS = 3, OUTCOMES = 1 << 13, FACTOR = 16, FACTOR_OF_GROUP = 45 };

/* One cell: so many draws of noise. */
struct cell {
	double sigma, sensitivity;
	int draws;
};

/* Its losses, growing; P- and Q-mass of this outcome and all above it. */
struct reference {
	long double loss[OUTCOMES], p[OUTCOMES + 1], q[OUTCOMES + 1];
	int n;
};

static void convolve(long double *all, int *n, const long double *one, int m)
{
	static long double next[OUTCOMES];

	memset(next, 0, sizeof next);
	for (int i = 0; i < *n; i++)
		for (int j = 0; j < m; j++)
			next[i + j] += all[i] * one[j];
	*n += m - 1;
	memcpy(all, next, sizeof next);
}

static void make_reference(struct reference *r, const struct cell *cell, int factor)
{
	static long double one[OUTCOMES], all[OUTCOMES];
	long double v = (long double)cell->sigma * cell->sigma, d = cell->sensitivity, sum = 0;
	long double base, step = d / v;
	int m, reach = (int)ceil(factor * cell->sigma) + 2;

	m = 2 * reach + (int)cell->sensitivity + 1;
	for (int i = 0; i < m; i++) { /* x falls from sensitivity + reach */
		long double x = d + reach - i;

		one[i] = expl(-x * x / (2 * v));
		sum += one[i];
	}
	for (int i = 0; i < m; i++)
		one[i] /= sum;
	memset(all, 0, sizeof all);
	memcpy(all, one, (size_t)m * sizeof *all);
	r->n = m;
	for (int i = 1; i < cell->draws; i++)
		convolve(all, &r->n, one, m);
	base = cell->draws * (-d / 2 - reach);
	r->p[r->n] = r->q[r->n] = 0;
	for (int i = r->n; i-- > 0;) {
		r->loss[i] = step * (base + i);
		r->p[i] = r->p[i + 1] + all[i];
		r->q[i] = r->q[i + 1] + all[i] * expl(-r->loss[i]);
	}
}

/* The straight line that the curve is just above epsilon: p - q E. */
static void
line_above(const struct reference *r, long double epsilon, long double *p, long double *q)
{
	int low = 0, high = r->n;

	while (low < high) {
		int middle = (low + high) / 2;

		if (r->loss[middle] > epsilon)
			high = middle;
		else
			low = middle + 1;
	}
	*p = r->p[low];
	*q = r->q[low];
}

/* s(s+1) times the integral of e^(s epsilon) (p - q e^epsilon). */
static long double complex stretch(long double complex s, long double from, long double to,
				   long double p, long double q)
{
	long double complex sum = (s + 1) * p * cexpl(s * to) - s * q * cexpl((s + 1) * to);

	if (!isinf(from))
		sum -= (s + 1) * p * cexpl(s * from) - s * q * cexpl((s + 1) * from);
	return sum;
}

/* From one outcome to the next: which line is highest changes where two of them meet. */
static long double complex between(long double complex s, const struct reference *r, int parts,
				   long double from, long double to)
{
	long double p[PARTS], q[PARTS];
	long double complex sum = 0;

	for (int i = 0; i < parts; i++)
		line_above(&r[i], from, &p[i], &q[i]);
	while (from < to) {
		long double end = to;
		int top = 0;

		for (int i = 1; i < parts; i++) { /* just above from */
			long double more =
				p[i] - p[top] - (q[i] - q[top]) * expl(from + 1e-15L);

			if (more > 0)
				top = i;
		}
		for (int i = 0; i < parts; i++) {
			long double meet =
				q[i] < q[top] ? (p[top] - p[i]) / (q[top] - q[i]) : INFINITY;

			if (meet > expl(from) && logl(meet) > from + 2e-15L)
				end = fminl(end, logl(meet));
		}
		sum += stretch(s, from, end, p[top], q[top]);
		from = end;
	}
	return sum;
}

static int by_loss(const void *a, const void *b)
{
	long double x = *(const long double *)a, y = *(const long double *)b;

	return (x > y) - (x < y);
}

static long double complex transform(long double complex s, const struct reference *r,
				     int parts)
{
	static long double at[PARTS * OUTCOMES];
	long double complex sum;
	int n = 0;

	for (int i = 0; i < parts; i++)
		for (int j = 0; j < r[i].n; j++)
			at[n++] = r[i].loss[j];
	qsort(at, (size_t)n, sizeof *at, by_loss);
	sum = stretch(s, -INFINITY, at[0], 1, 1);
	for (int i = 0; i + 1 < n; i++)
		sum += between(s, r, parts, at[i], at[i + 1]);
	return sum;
}

/* ---- groups ---- */

struct corner {
	long double e, g; /* E = y^k and the curve there */
};

/* The largest curve at y. */
static long double highest(const struct reference *r, int parts, long double y)
{
	long double most = 0, p, q;

	for (int i = 0; i < parts; i++) {
		line_above(&r[i], logl(y), &p, &q);
		most = fmaxl(most, p - q * y);
	}
	return most;
}

static struct corner corner_at(const struct reference *r, int parts, int people, long double y)
{
	long double sum = 0;

	for (int j = 0; j < people; j++)
		sum += powl(y, j);
	return (struct corner){powl(y, people), fminl(1, highest(r, parts, y) * sum)};
}

/* All places where two lines of different parts meet between two outcomes. */
static int meetings(const struct reference *r, int parts, long double from, long double to,
		    long double *out)
{
	long double p[PARTS], q[PARTS];
	int n = 0;

	for (int i = 0; i < parts; i++)
		line_above(&r[i], from, &p[i], &q[i]);
	for (int i = 0; i < parts; i++)
		for (int j = 0; j < parts; j++) {
			long double meet =
				q[i] < q[j] ? logl((p[j] - p[i]) / (q[j] - q[i])) : -INFINITY;

			if (meet > from && meet < to)
				out[n++] = meet;
		}
	return n;
}

/* The hull of a group's curve: from E = 0 over its corners, each line of which is a stretch. */
static long double complex group_transform(long double complex s, const struct reference *r,
					   int parts, int people)
{
	static long double at[2 * PARTS * OUTCOMES];
	static struct corner hull[2 * PARTS * OUTCOMES + 1];
	long double complex sum = 0;
	int n = 0, outcomes, m = 1;

	for (int i = 0; i < parts; i++)
		for (int j = 0; j < r[i].n; j++)
			at[n++] = r[i].loss[j];
	qsort(at, (size_t)n, sizeof *at, by_loss);
	outcomes = n;
	for (int i = 0; i + 1 < outcomes; i++)
		n += meetings(r, parts, at[i], at[i + 1], at + n);
	qsort(at, (size_t)n, sizeof *at, by_loss);
	hull[0] = (struct corner){0, 1};
	for (int i = 0; i < n; i++) {
		struct corner new = corner_at(r, parts, people, expl(at[i]));

		while (m > 1 &&
		       (new.g - hull[m - 1].g) * (hull[m - 1].e - hull[m - 2].e) <=
			       (hull[m - 1].g - hull[m - 2].g) * (new.e - hull[m - 1].e))
			m--;
		hull[m++] = new;
	}
	for (int i = 0; i + 1 < m && hull[i + 1].g < hull[i].g; i++) {
		long double q = (hull[i].g - hull[i + 1].g) / (hull[i + 1].e - hull[i].e);

		sum += stretch(s, i ? logl(hull[i].e) : -INFINITY, logl(hull[i + 1].e),
			       hull[i].g + q * hull[i].e, q);
	}
	return sum;
}

static long double complex reference_at(long double complex s, const struct reference *r,
					int parts, int people)
{
	return people > 1 ? group_transform(s, r, parts, people) : transform(s, r, parts);
}

static void describe(const struct cell *cells, int parts, int people, char *text, size_t room)
{
	size_t n = people > 1 ? (size_t)snprintf(text, room, "group(k=%d,parallel(", people)
			      : (size_t)snprintf(text, room, "parallel(");

	for (int i = 0; i < parts; i++)
		n += (size_t)snprintf(text + n, room - n,
				      "%sdiscrete-gaussian(sigma=%.17g,sensitivity=%.0f)*%d",
				      i ? "," : "", cells[i].sigma, cells[i].sensitivity,
				      cells[i].draws);
	snprintf(text + n, room - n, people > 1 ? "))" : ")");
}

static void make_terms(struct sotto_terms *t, const char *text)
{
	struct sotto_event *e = NULL;

	CHECK(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
	CHECK(sotto_terms_add(t, e, 1) == SOTTO_OK);
	sotto_event_free(e);
}

/* At the nodes of the first block the law is within its own error, which is small. */
static void check_group(const struct cell *cells, int parts, int people, double c, double h)
{
	static struct reference r[PARTS];
	struct sotto_law law = {.count = 1};
	struct sotto_block b = {.c = c, .h = h, .n = SOTTO_BLOCK};
	long double complex whole;
	double log_m, slack, k[3] = {0};
	struct sotto_terms t;
	void *state = NULL;
	char text[512];

	describe(cells, parts, people, text, sizeof text);
	for (int i = 0; i < parts; i++)
		make_reference(&r[i], &cells[i], people > 1 ? FACTOR_OF_GROUP : FACTOR);
	sotto_terms_init(&t, SOTTO_ADD_REMOVE);
	make_terms(&t, text);
	CHECK(sotto_pieces_possible(t.list[0].event, SOTTO_ADD_REMOVE));
	REQUIRE(sotto_law_pieces_of(&law, t.list[0].event, SOTTO_REMOVE, NULL) == SOTTO_OK);
	CHECK(sotto_pieces_left_out(law.pieces) < 1e-15);
	CHECK(law.class->begin(&law, c, h, &state, &log_m, &slack) == SOTTO_OK);
	whole = reference_at(c, r, parts, people);
	CHECK(fabs((double)(logl(creall(whole)) - log_m)) <= slack &&
	      slack < (people > 1 ? 1e-9 : 1e-11));
	law.class->cumulants(&law, c, k);
	CHECK(k[0] >= (double)logl(creall(whole)) - 1e-15 && k[0] - log_m < 1e-9);
	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		b.re[j] = 1;
	law.class->apply(&law, state, &b);
	for (size_t j = 0; j < SOTTO_BLOCK; j += 3) {
		long double complex here =
			reference_at(c + (long double)h * j * I, r, parts, people) / whole;
		double error = b.absolute[j] + b.relative[j] * hypot(b.re[j], b.im[j]);

		CHECK((double)cabsl(here - b.re[j] - b.im[j] * I) <= error);
		CHECK(error < (people > 1 ? 1e-8 : 1e-10));
	}
	law.class->end(state);
	law.class->release(&law);
	sotto_terms_release(&t);
}

static void check_cells(const struct cell *cells, int parts, double c, double h)
{
	check_group(cells, parts, 1, c, h);
}

static void small_noise_has_losses_of_hundreds(void)
{
	check_cells((struct cell[]){{0.375, 3, 1}, {2, 1, 1}}, 2, 0.05, 0.01);
	check_cells((struct cell[]){{0.375, 3, 1}, {0.3125, 2, 1}, {0.5, 3, 1}}, 3, 0.5, 0.01);
	check_cells((struct cell[]){{0.375, 3, 5}, {1.125, 3, 2}}, 2, 0.05, 0.005);
}

static void large_noise_has_thousands_of_outcomes(void)
{
	check_cells((struct cell[]){{95.5, 1, 1}, {140.25, 2, 1}}, 2, 3, 0.5);
	check_cells((struct cell[]){{99.5, 1, 1}, {7.25, 1, 1}}, 2, 0.5, 0.3);
}

static void close_curves_are_told_apart(void)
{
	check_cells((struct cell[]){{4.875, 2, 1}, {69.25, 3, 1}, {2.4375, 1, 1}}, 3, 0.5, 0.2);
	check_cells((struct cell[]){{30.5, 3, 1}, {20.375, 2, 1}}, 2, 1, 0.5);
}

/* One part's tails are listed less far than the other's losses; and which part is on top does not count where the group's curve is above 1. */
static void groups_in_cells_of_any_size(void)
{
	check_group((struct cell[]){{0.875, 2, 1}, {70.5, 3, 1}}, 2, 2, 0.05, 0.001);
	check_group((struct cell[]){{0.75, 2, 1}, {1.25, 3, 1}}, 2, 2, 0.05, 0.003);
	check_group((struct cell[]){{9.5, 2, 1}, {1.5, 1, 1}}, 2, 3, 0.2, 0.03);
	check_group((struct cell[]){{0.4375, 2, 1}, {12.25, 2, 1}}, 2, 2, 0.05, 0.001);
	check_group((struct cell[]){{0.4140625, 2, 1}, {0.34375, 2, 1}}, 2, 3, 0.02, 0.0001);
	check_group((struct cell[]){{1.25, 2, 3}, {4.5, 3, 2}}, 2, 2, 0.1, 0.02);
}

enum { EVENTS = 200 };

/* A wide range of parameters: the sides are near to each other, in few steps. */
static void many_events_are_sharp(void)
{
	struct sotto_work work = {.left = SOTTO_WORK_WHOLE};
	struct sotto_curve *curve;
	struct sotto_level level;
	struct sotto_terms t;
	double lower, upper;

	sotto_terms_init(&t, SOTTO_ADD_REMOVE);
	t.work = &work;
	for (int i = 0; i < EVENTS; i++) {
		double a = 0.3125 * pow(320, i / (double)EVENTS),
		       b = 0.3125 * pow(320, (i * 77 % EVENTS) / (double)EVENTS);
		struct cell cells[2] = {{a, 1 + i % 3, 1}, {b, 1 + i % 2, 1}};
		char text[512];

		describe(cells, 2, 1, text, sizeof text);
		make_terms(&t, text);
	}
	sotto_terms_sort(&t);
	sotto_level_init_log(&level, log(1e-6));
	CHECK(sotto_curve_new(&t, SOTTO_REMOVE, &curve) == SOTTO_OK);
	CHECK(sotto_curve_epsilon(curve, &level, &lower, &upper) == SOTTO_OK);
	CHECK(lower > 0 && upper - lower <= 1e-6);
	CHECK(work.used < 0.4 * SOTTO_WORK_WHOLE);
	sotto_curve_free(curve);
	sotto_level_release(&level);
	sotto_terms_release(&t);
}

int main(void)
{
	RUN(small_noise_has_losses_of_hundreds);
	RUN(large_noise_has_thousands_of_outcomes);
	RUN(close_curves_are_told_apart);
	RUN(groups_in_cells_of_any_size);
	RUN(many_events_are_sharp);
	return tap_done();
}
