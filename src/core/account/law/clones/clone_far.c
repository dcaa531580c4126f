/*
 * Groups the numbers of clones in runs and bounds each by summation by parts; where the turn
 * per outcome comes near a whole one, or weights have two peaks, it claims nothing.
 */
#include "core/account/law/clones/clone_far.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/clones/clone_rule.h"

/* Differences that are summed by parts reach so many standard deviations; the others count whole. */
#define REACH 5.0
/* Runs that share one bound of M given the clones. */
enum { SHARE = 6 };
/* Clones, and users who are none, from which on Stirling's series holds. */
#define CLONES_MIN 40
#define OTHERS_MIN 20
/* Rounding, and Stirling's rest. */
#define SLACK (1 + 1e-3)

/* The mass of k clones, rounded up: without Stirling's rests, of which that of all users is less than the others. */
static double mass_up(const struct sotto_clone_pair *p, double k)
{
	return SLACK * sqrt(p->users / (2 * M_PI * k * (p->users - k))) *
	       exp(-sotto_clone_deviance(p, k));
}

/* M(c) given n reports, rounded up. */
static double whole_given(const struct sotto_clone_pair *p, double c, double n)
{
	double sum = 0;
	struct sotto_clone_order order = {c, 0, SOTTO_CLONE_DIGITS_OF_MANY};
	struct sotto_clone_rule r;

	if (!sotto_clone_rule_difference(p, &order, n, n, &r))
		return exp(c * p->epsilon0);
	for (size_t j = 0; j < r.n; j++) {
		double d = r.edge + ((double)j + 0.5) * r.step, v = d / n;

		sum += exp(c * sotto_clone_loss(p, d, n) -
			   0.5 * n * (2 * v * atanh(v) + log1p(-v * v))) *
		       (1 + p->tau * v) / sqrt(1 - v * v);
	}
	return SLACK * (0.5 * r.step * sqrt(2 / (M_PI * n)) * sum + r.error * (1 + sum));
}

/* log of the largest exp(c loss - n v^2/2): what a tangent says of a concave function. */
static double log_peak(const struct sotto_clone_pair *p, double c, double n, double reach)
{
	double v = 0, slope = 0;

	for (int i = 0; i < 6; i++) {
		double w = p->tau * v;

		slope = 2 * p->tau * c / (1 - w * w) - n * v;
		if (i < 5)
			v = fmin(v + slope / n, reach);
	}
	return c * sotto_clone_loss(p, v, 1) - 0.5 * n * v * v + fabs(slope) * reach;
}

/* The run of clones from first to last; whole is M given its fewest. */
static void set_run(struct sotto_clone_run *r, const struct sotto_clone_pair *p, double c,
		    double first, double last, double whole)
{
	double near = fmin(fmax(p->clones, first), last), n = first + 1, most = last + 1;
	double mass = (last - first + 1) * mass_up(p, near);
	double reach = (2 * p->tau * c + REACH * sqrt(n)) / n, w = p->tau * reach,
	       rest = 1 - w * w;

	r->first = 2 * p->tau / (M_PI * most);
	r->last = 2 * p->tau / (M_PI * n * rest);
	r->whole = mass * whole;
	r->peak = mass * SLACK * sqrt(2 / (M_PI * n * (1 - reach * reach))) * (1 + w) *
		  exp(log_peak(p, c, n, reach));
	r->bend = 16 * p->tau * p->tau * w / (n * n * rest * rest);
}

/* What lies beyond the reach, of the run with the fewest clones, where it is most. */
static double beyond(const struct sotto_clone_pair *p, double c, double few, double most)
{
	double first = 2 * p->tau * c + REACH * sqrt(few) - 1, sum = 0;

	for (int i = 0; i < 2; i++) {
		double n = i ? most : few,
		       d = i ? 2 * p->tau * c + REACH * sqrt(most) - 1 : first;

		sum = fmax(sum, 2 * exp(c * sotto_clone_loss(p, d, n) - d * d / (2 * n)));
	}
	return sum + exp(-0.5 * (REACH - 0.5) * (REACH - 0.5));
}

/* Whether weights have one peak, and windows room. */
static bool has_one_peak(const struct sotto_clone_pair *p, double c, double n)
{
	double reach = 2 * p->tau * c + (REACH + 1) * sqrt(n), far = n - p->tau * reach;

	return reach < 0.6 * n && c * p->tau * p->tau * (n + 2) < 0.9 * far * far;
}

void sotto_clone_far_init(struct sotto_clone_far *far, const struct sotto_clone_pair *p,
			  double c, double log_m)
{
	double few, most, first, whole = 0, scale = exp(-log_m) * SLACK;
	struct sotto_clone_order order = {c, 0, SOTTO_CLONE_DIGITS};

	*far = (struct sotto_clone_far){.known = false};
	sotto_clone_window(p, &order, &few, &most);
	if (few < CLONES_MIN || p->users - most < OTHERS_MIN || !has_one_peak(p, c, few))
		return;
	far->known = true;
	first = few;
	for (int i = 0; i < SOTTO_CLONE_RUNS; i++) {
		struct sotto_clone_run *r = &far->runs[i];
		double last = floor(few + (most - few) * (i + 1) / SOTTO_CLONE_RUNS);

		if (i % SHARE == 0)
			whole = whole_given(p, c, first + 1);
		if (last < first)
			continue;
		set_run(r, p, c, first, last, whole);
		r->peak *= scale;
		r->whole *= scale;
		first = last + 1;
	}
	far->rest = scale *
		    (sotto_clone_outside(p, c, few, most) + beyond(p, c, few + 1, most + 1));
}

/* How far the turns from first to last stay from whole ones, in radians. */
static double distance(double first, double last)
{
	double below = floor(first);

	if (floor(last) > below)
		return 0;
	return 2 * M_PI * fmin(first - below, 1 - (last - below)) * (1 - 0x1p-30);
}

double sotto_clone_far_bound(const struct sotto_clone_far *far, double t)
{
	double sum = far->rest;

	if (!far->known)
		return 1;
	for (int i = 0; i < SOTTO_CLONE_RUNS; i++) {
		const struct sotto_clone_run *r = &far->runs[i];
		double x = distance(t * r->first, t * r->last),
		       sine = 0.5 * x - x * x * x / 48, /* no more than sin(x/2) */
			most = r->whole;

		if (x > 0)
			most = fmin(most, r->peak / sine +
						  r->whole * t * r->bend / (4 * sine * sine));
		sum += most;
	}
	return fmin(1, sum * (1 + 0x1p-30));
}
