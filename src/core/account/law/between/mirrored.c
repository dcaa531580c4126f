/* Mean excesses are sums of positive terms; a hull is that of values.  All bounds here are derived in between.md. */
#include "core/account/law/between/mirrored.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/base/failure.h"

/* Rounding of areas. */
#define SLACK (1 + 1e-9)

/* A point of the polygon of all: the loss of one person, E of all and how far it is from that of the point before, and the curve there. */
struct point {
	double x, place, width, value;
};

/* 1 + y + ... + y^(k-1), and y^k. */
static double sum_of_powers(double y, size_t k, double *last)
{
	double sum = 0;

	*last = 1;
	for (size_t j = 0; j < k; j++) {
		sum += *last;
		*last *= y;
	}
	return sum;
}

enum sotto_status
sotto_mirrored_points(const struct sotto_mirrored *m, struct sotto_points *out)
{
	double above = 0, excess = 0;

	*out = (struct sotto_points){.x = malloc(2 * m->n * sizeof *out->x), .n = m->n};
	if (!out->x)
		return SOTTO_ENOMEM;
	out->value = out->x + m->n;
	for (size_t i = m->n; i-- > 0;) {
		out->x[i] = 2 * atanh(m->w[i]);
		out->value[i] = 2 / (1 - m->w[i]) * excess;
		above += m->mass[i];
		if (i > 0)
			excess += above * (m->w[i] - m->w[i - 1]);
	}
	return SOTTO_OK;
}

/* How much the curve falls to a point for each unit of E. */
static double fall_to(const struct point *from, const struct point *to)
{
	return (from->value - to->value) / to->width;
}

/*
 * The hull, from E = -1 on, where the curve counts as 1; returns how many points it has besides.  Distances of E are sums of those from one point to the next, since the
 * difference of two that are close has few digits.
 */
static size_t find_hull(const struct sotto_points *p, size_t people, struct point *hull)
{
	double k = (double)people, width = 2;
	size_t n = 0;

	hull[0] = (struct point){0, -1, 0, 1};
	for (size_t i = 0; i < p->n; i++) {
		struct point next = {.x = p->x[i]};
		double powers = sum_of_powers(exp(p->x[i]), people, &next.place);

		next.value = p->value[i] * powers;
		width += next.place * -expm1(-k * (p->x[i] - (i > 0 ? p->x[i - 1] : 0)));
		if (!(next.value < 1) || (width == 0 && next.value >= hull[n].value))
			continue;
		next.width = width;
		while (n > 0 && fall_to(&hull[n - 1], &hull[n]) <= fall_to(&hull[n], &next)) {
			next.width += hull[n].width;
			n--;
		}
		hull[++n] = next;
		width = 0;
	}
	return n;
}

enum sotto_status
sotto_points_hull(const struct sotto_points *p, size_t people, struct sotto_corners *out)
{
	struct point *hull = malloc((p->n + 1) * sizeof *hull);
	double *all;
	size_t n;

	if (!hull)
		return SOTTO_ENOMEM;
	n = find_hull(p, people, hull);
	all = malloc((3 * n + 1) * sizeof *all);
	if (!all) {
		free(hull);
		return SOTTO_ENOMEM;
	}
	*out = (struct sotto_corners){all, all + n, all + 2 * n, n};
	for (size_t i = 0; i < n; i++) {
		const struct point *here = &hull[i + 1];
		double after = i + 1 < n ? fall_to(here, here + 1) : 0;

		out->loss[i] = (double)people * here->x;
		out->value[i] = here->value;
		out->mass[i] = fmax(0, fall_to(here - 1, here) - after) * here->place;
	}
	free(hull);
	return SOTTO_OK;
}

/* A walk from corner to corner; before the first is the line from (-1, 1). */
struct walk {
	const struct sotto_corners *c;
	size_t next;
	double width; /* in E, of the segment that ends there, over E where it begins or 1 */
};

static void enter(struct walk *w, size_t next)
{
	const struct sotto_corners *c = w->c;

	w->next = next;
	if (next < c->n)
		w->width = next > 0 ? expm1(c->loss[next] - c->loss[next - 1])
				    : exp(c->loss[next]) + 1;
}

static double next_loss(const struct walk *w)
{
	return w->next < w->c->n ? w->c->loss[w->next] : INFINITY;
}

/* The polygon at a loss up to that of the next corner; beyond the last it stays. */
static double value_at(const struct walk *w, double loss)
{
	const struct sotto_corners *c = w->c;
	size_t next = w->next;
	double before, gone;

	if (next == c->n)
		return c->n ? c->value[c->n - 1] : 1;
	if (loss == c->loss[next])
		return c->value[next];
	before = next > 0 ? c->value[next - 1] : 1;
	gone = next > 0 ? expm1(loss - c->loss[next - 1]) : exp(loss) + 1;
	return before + (c->value[next] - before) * (gone / w->width);
}

static void pass(struct walk *w, double loss)
{
	while (next_loss(w) <= loss)
		enter(w, w->next + 1);
}

/* A number of which e^(c number) is wanted at all orders of a rise, which double. */
static void powers_of(const struct sotto_rise *r, double x, double *power)
{
	power[0] = exp(r->order[0] * x);
	for (int i = 1; i < SOTTO_RISE_ORDERS; i++)
		power[i] = power[i - 1] * power[i - 1];
}

/* The mean over the logarithm of what is straight in E between two places, a on the left and b on the right. */
static double mean_of(double a, double b, double width)
{
	double part = width < 1e-3 ? 0.5 - width / 11
				   : (expm1(width) - width) / (width * expm1(width));

	return b > a ? 0.5 * (a + b) : a + (b - a) * part;
}

void sotto_corners_add_rise(const struct sotto_corners *above,
			    const struct sotto_corners *below, double wrong, double moved,
			    struct sotto_rise *rise)
{
	struct walk a = {.c = above}, b = {.c = below};
	double at = 0, high, low;

	enter(&a, 0);
	enter(&b, 0);
	high = value_at(&a, 0);
	low = value_at(&b, 0);
	while (a.next < above->n || b.next < below->n) {
		double next = fmin(next_loss(&a), next_loss(&b)),
		       high_next = value_at(&a, next), low_next = value_at(&b, next),
		       width = next - at, opposite = exp(-at),
		       area = mean_of(fmax(0, high - low), fmax(0, high_next - low_next),
				      width) *
				      width * SLACK +
			      2 * wrong * high * width + 2 * moved * fabs(high - high_next) +
			      2 * moved * fabs(low - low_next),
		       power[SOTTO_RISE_ORDERS];

		powers_of(rise, next, power);
		for (int o = 0; o < SOTTO_RISE_ORDERS; o++)
			rise->area[o] += area * (power[o] + opposite) * SLACK;
		pass(&a, next);
		pass(&b, next);
		at = next;
		high = high_next;
		low = low_next;
	}
}
