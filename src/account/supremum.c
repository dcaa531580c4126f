/*
 * K is convex with K(0) = 0, so on [a, b] it is at most s K(b)/b, and K(s)/(s(s+1)) is
 * at most K(b)/(b(a+1)).  Intervals whose bound is above the best value seen are
 * halved until none is left; beyond some s even top/(s+1) is too small.  If that takes
 * too long the bounds of the remaining intervals count.
 */
#include "account/supremum.h"

#include <math.h>
#include <stdlib.h>

#include "account/law.h"

#define TOLERANCE 5e-11

enum { STEPS_MAX = 400000, DEPTH_MAX = 60 };

struct law {
	size_t n;
	double *loss, *mass;
	double mean, top;
	double best;
	unsigned steps;
};

static double cumulant(const struct law *l, double s)
{
	double most = s * l->top, sum = 0, excess = s * l->mean;

	for (size_t i = 0; i < l->n; i++) {
		double x = s * l->loss[i];

		sum += l->mass[i] * exp(x - most);
		excess += l->mass[i] * sotto_exp2term(x);
	}
	return excess < 0.5 ? log1p(excess) : most + log(sum);
}

static void search(struct law *l, double a, double b, double at_b, unsigned depth)
{
	double bound = at_b / (b * (a + 1)), middle, value;

	if (bound <= l->best * (1 + TOLERANCE))
		return;
	if (depth > DEPTH_MAX || ++l->steps > STEPS_MAX) {
		l->best = bound;
		return;
	}
	middle = 0.5 * (a + b);
	value = cumulant(l, middle);
	l->best = fmax(l->best, value / (middle * (middle + 1)));
	search(l, middle, b, at_b, depth + 1);
	search(l, a, middle, value, depth + 1);
}

/* A good value to start from, by walking up. */
static void climb(struct law *l)
{
	for (double s = 1e-3; s < 1e6 && l->top / (s + 1) >= l->best; s *= 1.05)
		l->best = fmax(l->best, cumulant(l, s) / (s * (s + 1)));
}

static void load(struct law *l, const struct sotto_pair *pair)
{
	mpfr_t mean;

	mpfr_init2(mean, SOTTO_PAIR_BITS);
	mpfr_set_zero(mean, 1);
	for (size_t i = 0; i < pair->n; i++) {
		mpfr_fma(mean, pair->mass[i], pair->loss[i], mean, MPFR_RNDN);
		l->loss[i] = mpfr_get_d(pair->loss[i], MPFR_RNDN);
		l->mass[i] = mpfr_get_d(pair->mass[i], MPFR_RNDN);
		l->top = fmax(l->top, l->loss[i]);
	}
	l->mean = mpfr_get_d(mean, MPFR_RNDN);
	mpfr_clear(mean);
}

double sotto_supremum_up(const struct sotto_pair *pair)
{
	struct law l = {.n = pair->n, .top = -INFINITY};
	double last;

	l.loss = malloc((2 * pair->n + 1) * sizeof *l.loss);
	if (!l.loss)
		return INFINITY;
	l.mass = l.loss + pair->n;
	load(&l, pair);
	l.best = fmax(l.mean, 0); /* the limit at s = 0 */
	if (l.top > 0 && l.best > 0) {
		climb(&l);
		last = l.top / l.best + 1;
		search(&l, 0, last, cumulant(&l, last), 0);
	}
	free(l.loss);
	return l.best * (1 + 2 * TOLERANCE);
}
