/*
 * Where to put the contour.  Everything here steers only: the bounds hold for
 * any c > 0, so rough numbers are good enough.
 */
#include "core/account/integral/contour/contour_saddle.h"

#include <math.h>

enum { STEPS_MAX = 100 };
/* By all laws: log delta to this, in so many steps. */
#define SETTLED 0.02
enum { SETTLED_STEPS = 8 };
/* How much lower the next order is. */
#define LOWER 1.5

/* A tilted variance so many times the plain one is that of two far modes, one of them of rare losses. */
#define FAR_MODE 16

/* The search is in x = log c, from c = 1 outwards: far out cumulants are costly. */
struct bracket {
	double low, high, f_low, f_high;
};

/* By Newton's rule from the last point, if that leads well into the bracket; else by its ends. */
static double next_guess(const struct bracket *b, double newton)
{
	double width = b->high - b->low, x;

	if (isfinite(newton) && newton > b->low + 0.02 * fmin(width, 1) &&
	    newton < b->high - 0.02 * fmin(width, 1))
		return newton;
	if (isinf(b->low))
		return b->high - 1.5;
	if (isinf(b->high))
		return b->low + 1.5;
	x = b->low - b->f_low * width / (b->f_high - b->f_low);
	if (!(x > b->low + 0.05 * width))
		x = b->low + 0.05 * width;
	return fmin(x, b->high - 0.05 * width);
}

static void narrow(struct bracket *b, double x, double f)
{
	if (f >= 0) {
		b->high = x;
		b->f_high = f;
	} else {
		b->low = x;
		b->f_low = f;
	}
}

static double curvature_at(double c, const double k[3])
{
	return k[2] + 1 / (c * c) + 1 / ((c + 1) * (c + 1));
}

static double log_delta_at(double c, double epsilon, const double k[3])
{
	return k[0] - c * epsilon - log(c) - log(c + 1) -
	       0.5 * log(2 * M_PI * curvature_at(c, k));
}

double sotto_saddle_point(const struct sotto_loss_measure *m, double epsilon, double *log_delta,
			  double *curvature)
{
	struct bracket b = {-INFINITY, INFINITY, 0, 0};
	double k[3], c = 1, x = 0;

	for (int i = 0; i < STEPS_MAX; i++) {
		double f, slope;

		c = exp(x);
		sotto_measure_steer(m, c, k);
		f = c * (k[1] - epsilon) - 1 - c / (c + 1); /* c phi', increasing */
		if (fabs(f) < 1e-2 || fabs(x) > 80 || sotto_work_is_spent(m->work))
			break;
		narrow(&b, x, f);
		slope = c * (k[1] - epsilon) + c * c * k[2] - c / ((c + 1) * (c + 1));
		x = next_guess(&b, x - fmin(3, fmax(-3, f / slope)));
	}
	if (m->order_max > 0 && c > m->order_max) {
		c = m->order_max;
		sotto_measure_steer(m, c, k);
	}
	*log_delta = log_delta_at(c, epsilon, k);
	*curvature = curvature_at(c, k);
	return c;
}

/* By mean and variance at a small tilt; infinite where those at the saddle, there, are not far from them. */
static double
bulk_epsilon(const struct sotto_loss_measure *m, double log_delta, double variance_there)
{
	double k[3];

	sotto_measure_steer(m, 1, k);
	if (variance_there < FAR_MODE * k[2])
		return INFINITY;
	return k[1] + sqrt(2 * fabs(log_delta) * k[2]);
}

/*
 * Laws may have only a bound of K at orders beyond those that are wanted of them, and a saddle point there is none.  But Chernoff's bound of epsilon holds at all orders: the
 * least of it, downwards from there, is about epsilon.
 */
static double least_bound(const struct sotto_loss_measure *m, double log_delta, double c)
{
	double best = INFINITY, k[3];

	for (int i = 0; i < STEPS_MAX && !sotto_work_is_spent(m->work); i++, c /= LOWER) {
		double bound;

		sotto_measure_steer(m, c, k);
		bound = (k[0] - log_delta - log1p(c)) / c - log1p(1 / c);
		if (!(bound < best))
			break;
		best = bound;
	}
	return best;
}

/* The same by K of all laws; epsilon stays what it was where that leads elsewhere. */
static double settle(const struct sotto_loss_measure *m, double log_delta, double epsilon)
{
	double rough, curvature, c = sotto_saddle_point(m, epsilon, &rough, &curvature);

	for (int i = 0; i < SETTLED_STEPS && !sotto_work_is_spent(m->work); i++) {
		double k[3], here, f;

		sotto_measure_cumulants(m, c, k);
		here = k[1] - 1 / c - 1 / (c + 1);
		f = log_delta - log_delta_at(c, here, k);
		if (!(here > 0 && here > epsilon / 2 && here < 2 * epsilon && fabs(f) < 50))
			break;
		if (fabs(f) < SETTLED)
			return here;
		c *= exp(fmin(1, fmax(-1, -f / (c * c * curvature_at(c, k)))));
	}
	return epsilon;
}

/* On the saddle line epsilon = K' - 1/c - 1/(c+1) the value falls as c grows. */
double sotto_saddle_epsilon(const struct sotto_loss_measure *m, double log_delta)
{
	struct bracket b = {-INFINITY, INFINITY, 0, 0};
	double epsilon = 0, x = 0, k[3];

	for (int i = 0; i < STEPS_MAX; i++) {
		double c = exp(x), f, slope;

		sotto_measure_steer(m, c, k);
		epsilon = k[1] - 1 / c - 1 / (c + 1);
		f = log_delta - log_delta_at(c, epsilon, k);
		if (epsilon < -m->shift)
			f = fmin(f, -1);
		if (fabs(f) < 1e-3 || fabs(x) > 80 || b.high - b.low < 1e-6 ||
		    sotto_work_is_spent(m->work))
			break;
		narrow(&b, x, f);
		slope = c * c * curvature_at(c, k);
		x = next_guess(&b, x - fmin(3, fmax(-3, f / slope)));
	}
	if (b.high - b.low < 1e-6) /* K jumps: go by the bulk */
		epsilon = bulk_epsilon(m, log_delta, INFINITY);
	else if (m->of_many) /* each step in the dark is costly */
		epsilon = fmin(epsilon, bulk_epsilon(m, log_delta, k[2]));
	if (m->has_pieces)
		epsilon = fmin(epsilon, least_bound(m, log_delta, exp(x)));
	if (m->n_leaders && m->has_pieces &&
	    isinf(m->top)) /* near a largest loss K is no more than a bound */
		epsilon = settle(m, log_delta, epsilon);
	return fmax(epsilon, -m->shift);
}
