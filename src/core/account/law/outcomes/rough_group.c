/*
 * A group's curve over a few places of a normal variable: M(s) = 1 + s(s+1) times the integral of e^(s epsilon) (g - (1 - E)+), g what one person's curve becomes and at most 1.  The sum of
 * law_group.md knows no such end, and is far too large where losses are.
 */
#include "core/account/law/outcomes/rough_group.h"

#include <math.h>

#include "core/account/integral/complex.h"

/* Places of the normal variable. */
#define STEP 0.5
#define ENDS 6.0
enum { PLACES_MAX = 256 };
/* For a slope, over the order. */
#define STRIDE 1e-3
/* Exponents that are still doubles. */
#define MOST 600.0

/* Losses of one person, and how far the group's curve is above that of no loss at all. */
struct places {
	double loss[PLACES_MAX], above[PLACES_MAX];
	size_t n;
};

/* 1 + y + ... + y^(k-1) */
static double factor_of(double y, double k)
{
	double sum = 1;

	for (double j = 1; j < k && sum < 1e280; j++)
		sum = 1 + y * sum;
	return sum;
}

/* What is below each place: an excess over 1 - y of one person's curve, y < 1; masses need not sum to 1. */
static void look_below(struct places *p, const double *mass, const double *ratio)
{
	double p_below = 0, q_below = 0;

	for (size_t i = 0; i < p->n && ratio[i] < 1; i++) {
		p->above[i] = ratio[i] * q_below - p_below;
		p_below += mass[i] * ratio[i];
		q_below += mass[i];
	}
}

/* What is above each place, from 1 on: the curve itself. */
static void look_above(struct places *p, const double *mass, const double *ratio)
{
	double p_above = 0, q_above = 0;

	for (size_t i = p->n; i-- > 0 && ratio[i] >= 1;) {
		p->above[i] = p_above - ratio[i] * q_above;
		p_above += mass[i] * ratio[i];
		q_above += mass[i];
	}
}

/* The group's curve, and nearly its hull: a line in E that ends far above is as high as it begins nearly everywhere. */
static void find_curve(struct places *p, const double *mass, const double *ratio, double k)
{
	double all = 0, before = 1;

	for (size_t i = 0; i < p->n; i++)
		all += mass[i];
	look_below(p, mass, ratio);
	look_above(p, mass, ratio);
	for (size_t i = 0; i < p->n; i++) {
		double most = ratio[i] < 1 ? pow(ratio[i], k) : before;

		p->above[i] = fmax(0, fmin(p->above[i] / all * factor_of(ratio[i], k), most));
		if (ratio[i] >= 1)
			before = p->above[i];
	}
}

static void find_places(const struct sotto_rough_people *r, double c, struct places *p)
{
	double mass[PLACES_MAX], ratio[PLACES_MAX];
	double last = ENDS +
		      fmin((r->people * c + r->people) * r->mu, r->reach / r->mu + r->mu / 2),
	       step = fmax(STEP, (last + ENDS) / (PLACES_MAX - 2));

	p->n = 0;
	if (!(step < 1e300)) /* a loss that no double holds */
		return;
	for (double z = -ENDS; z < last && p->n < PLACES_MAX; z += step, p->n++) {
		double v = r->mu * z - r->mu * r->mu / 2,
		       odd = r->rate * expm1(fmax(-r->reach, fmin(v, fmin(r->reach, MOST))));

		mass[p->n] = exp(-z * z / 2);
		ratio[p->n] = 1 + odd;
		p->loss[p->n] = log1p(odd);
	}
	find_curve(p, mass, ratio, r->people);
}

/*
 * M(s) - 1.  Between two places the curve is straight in E, as if there were no outcomes: A - B E, of which A (1 - e^(-sd))/s - B E' (1 - e^(-(s+1)d))/(s+1), times e^(s epsilon') at the
 * upper end, is the integral.
 */
static struct cx rise_at(const struct places *p, double k, double c, double t)
{
	struct cx s = cx_of(c, t), next = cx_of(c + 1, t), sum = {0, 0};

	for (size_t i = 1; i < p->n; i++) {
		double d = k * (p->loss[i] - p->loss[i - 1]), end = k * p->loss[i],
		       part = -expm1(-d), least = exp(-d), a, b;
		struct cx whole, turned;

		if (!(d > 1e-12))
			continue;
		a = (p->above[i - 1] - p->above[i] * least) / part;
		b = (p->above[i - 1] - p->above[i]) / part;
		whole = cx_div(cx_expm1(-c * d, -t * d), s);
		turned = cx_div(cx_expm1(-(c + 1) * d, -t * d), next);
		whole = cx_sub(cx_scale(turned, b), cx_scale(whole, a));
		sum = cx_add(sum, cx_mul(whole, cx_exp(fmin(MOST, c * end), t * end)));
	}
	return cx_mul(cx_mul(s, next), sum);
}

struct sotto_rough_group
sotto_rough_group_at(const struct sotto_rough_people *r, double c, double t)
{
	struct sotto_rough_group g = {.size = 1};
	struct places p;
	struct cx m;

	find_places(r, c, &p);
	m = rise_at(&p, r->people, c, 0);
	g.k = log1p(fmax(0, m.re));
	if (t > 0) {
		m = rise_at(&p, r->people, c, t);
		g.size = cx_abs(cx_of(1 + m.re, m.im)) * exp(-g.k);
	} else {
		m = rise_at(&p, r->people, c * (1 + STRIDE), 0);
		g.slope = (log1p(fmax(0, m.re)) - g.k) / (STRIDE * c);
	}
	return g;
}
