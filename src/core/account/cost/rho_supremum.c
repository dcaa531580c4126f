/*
 * The largest value of f(s) = K(s)/(s(s+1)) for s > 0.  K is convex with K(0) = 0, so on [a, b] it
 * lies below its chord, and the largest value of chord/(s(s+1)) bounds f there, to second order
 * in b - a.  Next to 0 a chord says too little; there K(s) <= mean s + V s^2/2, where V bounds K'' on
 * [0, b]: the tilted density e^(sL)/M(s) is at most e^(b (top - mean)), so V is the variance times
 * that.  Intervals whose bound is above the best value seen are halved until none is left;
 * beyond some s even top/(s+1) is too small.  If that takes too long, or more work than is left, the bounds of the remaining
 * intervals count.
 */
#include "core/account/cost/rho_supremum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/account/law/law.h"

#define TOLERANCE 5e-11
/* What K takes for each outcome (work.h). */
#define OUTCOME_STEPS 30
/* Below this the squares of losses may have become 0. */
#define LEAST 1e-250

enum { STEPS_MAX = 20000, DEPTH_MAX = 100 };

struct law {
	size_t n;
	double *loss, *mass,
		*log_mass; /* a mass may be too small for a double, its logarithm never is */
	double mean, variance, top;
	double best;
	unsigned steps;
	struct sotto_work *work;
};

/* mass (e^x - 1 - x) of one outcome */
static double excess_of(const struct law *l, size_t i, double x)
{
	if (x < 1)
		return l->mass[i] * sotto_exp2term(x);
	return fmax(0, exp(l->log_mass[i] + x) - l->mass[i] * (1 + x));
}

static double cumulant(const struct law *l, double s)
{
	double most = -INFINITY, sum = 0, excess = s * l->mean;

	sotto_work_use(l->work, OUTCOME_STEPS * (double)l->n);
	for (size_t i = 0; i < l->n; i++) {
		double x = s * l->loss[i];

		most = fmax(most, l->log_mass[i] + x);
		excess += excess_of(l, i, x);
	}
	if (excess < 0.5)
		return log1p(excess);
	for (size_t i = 0; i < l->n; i++)
		sum += exp(l->log_mass[i] + s * l->loss[i] - most);
	return most + log(sum);
}

/* An interval, and K at its ends. */
struct interval {
	double a, b, at_a, at_b;
};

/* The largest (u + v s)/(s(s+1)) on [a, b], a > 0: at an end, or where its slope is 0. */
static double chord_bound(const struct interval *i)
{
	double v = (i->at_b - i->at_a) / (i->b - i->a), u = i->at_a - v * i->a;
	double most = fmax(i->at_a / (i->a * (i->a + 1)), i->at_b / (i->b * (i->b + 1))), root;

	/* v s^2 + 2 u s + u = 0; u <= 0 <= v since K is convex */
	if (!(v > 0) || !(u < 0))
		return most;
	root = (-u + sqrt(u * u - u * v)) / v;
	if (root > i->a && root < i->b)
		most = fmax(most, (u + v * root) / (root * (root + 1)));
	return most;
}

static double bound_of(const struct law *l, const struct interval *i)
{
	double curvature;

	if (i->a > 0)
		return chord_bound(i);
	curvature = 0.5 * l->variance * exp(i->b * (l->top - l->mean));
	return fmin(i->at_b / i->b, fmax(l->mean, (l->mean + curvature * i->b) / (1 + i->b)));
}

static void search(struct law *l, const struct interval *i, unsigned depth)
{
	double bound = bound_of(l, i), middle, value;

	if (bound <= l->best * (1 + TOLERANCE))
		return;
	if (depth > DEPTH_MAX || ++l->steps > STEPS_MAX || sotto_work_is_spent(l->work)) {
		l->best = bound;
		return;
	}
	middle = i->a > 0 ? sqrt(i->a * i->b) : 0.125 * i->b;
	if (!(middle > i->a && middle < i->b))
		middle = 0.5 * (i->a + i->b);
	value = cumulant(l, middle);
	l->best = fmax(l->best, value / (middle * (middle + 1)));
	search(l, &(struct interval){middle, i->b, value, i->at_b}, depth + 1);
	search(l, &(struct interval){i->a, middle, i->at_a, value}, depth + 1);
}

/* A good value to start from, by walking up. */
static void climb(struct law *l)
{
	for (double s = 1e-3;
	     s < 1e6 && l->top / (s + 1) >= l->best && !sotto_work_is_spent(l->work); s *= 1.05)
		l->best = fmax(l->best, cumulant(l, s) / (s * (s + 1)));
}

static double log_double(mpfr_t x)
{
	mpfr_log(x, x, MPFR_RNDN);
	return mpfr_get_d(x, MPFR_RNDN);
}

/*
 * The mean of L under P is that of L - 1 + e^-L, since Q has mass 1, of which only_q where P has none: no term is negative, so
 * that nothing cancels however small the losses are.
 */
static void load(struct law *l, const struct sotto_pair *pair)
{
	mpfr_t x;

	mpfr_init2(x, SOTTO_PAIR_BITS);
	l->mean = mpfr_get_d(pair->only_q, MPFR_RNDN);
	for (size_t i = 0; i < pair->n; i++) {
		if (mpfr_zero_p(pair->mass[i]))
			continue;
		mpfr_set(x, pair->mass[i], MPFR_RNDN);
		l->log_mass[l->n] = log_double(x);
		l->loss[l->n] = mpfr_get_d(pair->loss[i], MPFR_RNDN);
		l->mass[l->n] = mpfr_get_d(pair->mass[i], MPFR_RNDN);
		l->top = fmax(l->top, l->loss[l->n]);
		l->mean += excess_of(l, l->n, -l->loss[l->n]);
		l->n++;
	}
	for (size_t i = 0; i < l->n; i++) {
		double from_mean = l->loss[i] - l->mean;

		l->variance += fmax(l->mass[i], DBL_MIN) * from_mean * from_mean;
	}
	mpfr_clear(x);
}

double sotto_supremum_up(const struct sotto_pair *pair, struct sotto_work *work)
{
	struct law l = {.top = -INFINITY, .work = work};
	double last;

	l.loss = malloc((3 * pair->n + 1) * sizeof *l.loss);
	if (!l.loss)
		return INFINITY;
	l.mass = l.loss + pair->n;
	l.log_mass = l.mass + pair->n;
	load(&l, pair);
	l.best = l.mean; /* the limit at s = 0 */
	if (isfinite(l.top))
		climb(&l);
	if (isfinite(l.top) && l.best > LEAST) {
		last = l.top / l.best + 1;
		search(&l, &(struct interval){0, last, 0, cumulant(&l, last)}, 0);
	}
	free(l.loss);
	return l.best > LEAST && l.best < INFINITY ? l.best * (1 + 2 * TOLERANCE) : INFINITY;
}
