/* All bounds here are derived in clone_points.md. */
#include "core/account/law/clones/clone_rule.h"

#include <math.h>

#include "core/account/law/law.h"

/* Standard deviations within which all but next to nothing lies. */
#define REACH 8.6
/* The window's share of all reports, at most: the bounds need room to its end. */
#define ROOM 0.9
/* From one outcome to the next: wide steps are wider, or the sum over outcomes would be farther from the integral than they are. */
#define PLAIN 2.0
/* Stretches of losses beyond that. */
enum { STRETCHES = 24 };
/* Users who are no clones, at least: Stirling's series is for so many. */
#define OTHERS_MIN 20
/* A wider window that is still too narrow is given up. */
enum { WIDER_MAX = 24 };

/* The slope of the chord of the loss, from v to 1. */
static double last_slope(const struct sotto_clone_pair *p, double v)
{
	return (p->epsilon0 - sotto_clone_loss(p, v, 1)) / (1 - v);
}

/* Stretches of it, each by its end and by Chernoff at its beginning. */
double sotto_clone_log_beyond(const struct sotto_clone_pair *p, double c, double n, double loss)
{
	double most = -INFINITY, step = (p->epsilon0 - loss) / STRETCHES;

	for (int i = 0; i < STRETCHES; i++) {
		double v = fmin(1, tanh(0.5 * (loss + i * step)) / p->tau),
		       rare = v < 1 ? v * atanh(v) + 0.5 * log1p(-v * v) : M_LN2;

		most = fmax(most, c * (loss + (i + 1) * step) - n * rare);
	}
	return most + log(2 * STRETCHES);
}

/*
 * log of a bound of M(c) given n reports.  Up to v the loss is below its chord from 0, and the mean of signs is no wider than a
 * normal variable; beyond, it is below its chord to epsilon0 if that is not too steep.
 */
double sotto_clone_log_given_up(const struct sotto_clone_pair *p, double c, double n)
{
	double v = fmin(1, (2 * p->tau * c + REACH * sqrt(n)) / n), most = c * p->epsilon0,
	       loss = sotto_clone_loss(p, v, 1), x = c * loss / v,
	       inside = log(4) + x * x / (2 * n), outside = log(4) + c * loss - 0.5 * n * v * v;

	if (v < 1 && n * v < c * last_slope(p, v))
		outside = sotto_clone_log_beyond(p, c, n, loss);
	return fmin(most, v < 1 ? fmax(inside, outside) + log(2) : inside);
}

/* -log of what k and fewer clones can add to M(c), in runs each of which is that long. */
#define RUN 0.97
static double smallness(const struct sotto_clone_pair *p, double c, double k)
{
	return sotto_clone_deviance(p, k) - sotto_clone_log_given_up(p, c, floor(RUN * k) + 1);
}

/* So many standard deviations a window reaches at least beyond where the order puts the mass. */
static double least_reach(const struct sotto_clone_order *order)
{
	return sqrt(2 * order->digits + 6);
}

void sotto_clone_window(const struct sotto_clone_pair *p, const struct sotto_clone_order *order,
			double *fewest, double *most)
{
	double spread = sqrt(p->clones * p->rest), least = least_reach(order) * spread,
	       tail = sotto_clone_tail(order), x;

	for (x = least; p->clones - x > 0; x += 0.25 * spread + 1)
		if (smallness(p, order->c, p->clones - x) > tail)
			break;
	*fewest = floor(fmax(0, p->clones - x));
	for (x = least; p->clones + x < p->users; x += 0.25 * spread + 1)
		if (sotto_clone_deviance(p, p->clones + x) > tail)
			break;
	*most = ceil(fmin(p->users, p->clones + x));
}

/*
 * With fewer clones: runs of them by their largest probability and the largest M given the fewest.  With more: M given the
 * number of clones falls with it, so their part of M(c) is at most that of their probability.
 */
double
sotto_clone_outside(const struct sotto_clone_pair *p, double c, double fewest, double most)
{
	double sum = 0, k = fewest - 1;

	if (most < p->users)
		sum += 2 * exp(-sotto_clone_deviance(p, most + 1));
	while (k >= 0) {
		double all = c * p->epsilon0 - sotto_clone_deviance(p, k);

		if (all < -60) /* the rest, at its worst */
			return sum + exp(all);
		sum += exp(-smallness(p, c, k));
		k = floor(RUN * k) - 1;
	}
	return sum;
}

/* The largest of order times loss at d, less d^2/2n: convex in 1/n, so at an end. */
static double
log_end(const struct sotto_clone_pair *p, double c, double d, double few, double most)
{
	double first = c * sotto_clone_loss(p, d, few) - d * d / (2 * few),
	       last = c * sotto_clone_loss(p, d, most) - d * d / (2 * most);

	return fmax(first, last);
}

/* The far edge above, for which the tail is small; false if there is no room. */
static bool find_top(const struct sotto_clone_pair *p, const struct sotto_clone_order *order,
		     double few, double most, double *top)
{
	double root = sqrt(most), c = order->c;

	*top = 2 * p->tau * c + least_reach(order) * root + 1;
	for (int i = 0; i < WIDER_MAX && *top < ROOM * few; i++, *top += 0.25 * root)
		if (log_end(p, c, *top - 1, few, most) < 1 - sotto_clone_tail(order) &&
		    *top - 1 >= c * last_slope(p, *top / few))
			return true;
	return false;
}

/* Exponents by which the integrand may grow off the real line: square beta^2 + linear beta. */
struct growth {
	double square, linear;
};

/* The steps, an even number, which divide the window, and -log of their error beside the integral. */
static double divide(const struct growth *g, double digits, double from, double to,
		     struct sotto_clone_rule *out, double *reach)
{
	double turns = g->linear + sqrt(4 * digits * g->square), free;

	out->n = 2 * (size_t)ceil((to - from) * turns / (4 * M_PI));
	out->edge = from;
	out->step = (to - from) / (double)out->n;
	free = 2 * M_PI / out->step - g->linear;
	*reach = free / (2 * g->square);
	return free * free / (4 * g->square);
}

bool sotto_clone_rule_difference(const struct sotto_clone_pair *p,
				 const struct sotto_clone_order *order, double few, double most,
				 struct sotto_clone_rule *out)
{
	double high, far, near, reach, ends, exponent;
	struct growth g;

	if (!find_top(p, order, few, most, &high))
		return false;
	far = few - p->tau * high;
	near = (few + 1 - high) * (few + 1 + high);
	g.square =
		0.5 * (few + 1) / near + 0.5 * (order->c + 1) * p->tau * p->tau / (far * far);
	g.linear = 2 * order->t * p->tau * few / (far * (few + p->tau * high));
	exponent = divide(&g, order->digits, -high, high, out, &reach);
	ends = 2 * exp(log_end(p, order->c, high - 1, few, most)) +
	       exp(-(high - 1) * (high - 1) / (2 * most));
	/* wide and plain steps, beyond the edges, at the edges */
	out->error = 4.2 * exp(-exponent) + ends * (1 + (4 * reach + 4) * sqrt(4 / few));
	return out->n > 1 && out->step >= PLAIN;
}

bool sotto_clone_rule_clones(const struct sotto_clone_pair *p,
			     const struct sotto_clone_order *order,
			     const struct sotto_clone_rule *difference, double few, double most,
			     struct sotto_clone_rule *out, double *reach)
{
	double high = difference->edge + difference->step * (double)difference->n,
	       n = few + 0.5;
	double far = n - p->tau * high, wide = n + p->tau * high, exponent;
	double c = order->c, both = far * wide;
	struct growth g;

	if (p->users - most < OTHERS_MIN)
		return false;
	g.square = 0.5 / (p->users - most) + 0.5 * (n + 1) / ((n + 1 - high) * (n + 1 + high)) +
		   0.5 * (4 * c * p->tau * high * n / (both * both) + 1 / (far * far));
	g.linear = 2 * order->t * p->tau * high / both;
	exponent = divide(&g, order->digits, few - 0.5, most + 0.5, out, reach);
	exponent -= 0.25 * c * pow(*reach / wide, 4);
	out->error = 4.2 * exp(-exponent);
	*reach = 4 * *reach + 4;
	return out->n > 1 && out->step >= 1.5;
}
