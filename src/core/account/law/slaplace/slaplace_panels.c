/* Panels as long as the slope of the logarithm of the integrand allows, and its singularities. */
#include "core/account/law/slaplace/slaplace_panels.h"

#include <math.h>

/* The ellipse of parameter 4 around a panel reaches so many half-lengths to the side of its middle. */
#define REACH (17.0 / 8)
/* The integrand grows by less than e^5 from the middle to the ellipse. */
#define GROWTH 5.0
/* Up to this half-length the ellipse stays so far from the singularities that |1 + w| >= sin(15/8). */
#define HALF_MAX 1.0
#define SINE 0.954
/* Where |w| is at most this on the ellipse, or at least 1 over it, there is no singularity near. */
#define FAINT 0.25
/* A panel may be so much longer than the one before. */
#define STRETCH 2
/* Candidates are shorter by this, one after the other. */
#define SHRINK 0.8

void sotto_slaplace_panels_init(struct sotto_slaplace_panels *p, double rate, double epsilon0,
				double order)
{
	p->log_odds = log(rate / (1 - rate));
	p->order = order;
	p->from = -epsilon0;
	p->to = epsilon0;
	p->half = GROWTH / (0.5 * REACH);
	p->too_many = !isfinite(order);
}

/*
 * Whether a panel of this half-length may begin there: the slope is at most 1/2 + |s + 1| |w/(1 + w)| with w the
 * odds times e^z (sample.md).
 */
static bool may_be(const struct sotto_slaplace_panels *p, double half)
{
	double log_w = p->log_odds + p->from, /* it grows from the left end to the right one */
		w = exp(fmin(1, log_w + (1 + REACH) * half)) * (1 + 0x1p-40);
	bool far = log_w - (REACH - 1) * half > 1.4; /* -log(FAINT) = 1.386 */
	double steepest = w <= FAINT ? w / (1 - FAINT)
			  : far      ? 1 / (1 - FAINT)
				     : fmin(1, w) / SINE;

	return (half <= HALF_MAX || w <= FAINT || far) &&
	       REACH * half * (0.5 + p->order * steepest) <= GROWTH;
}

/* Panels so short would be more than there may be. */
static bool is_too_short(double half, double left)
{
	return half < left / (4 * (double)SOTTO_SLAPLACE_PANELS);
}

bool sotto_slaplace_panels_next(struct sotto_slaplace_panels *p, double *middle, double *half)
{
	double left = p->to - p->from;

	if (!(left > 0))
		return false;
	p->half = fmin(STRETCH * p->half, 0.5 * left);
	while (!p->too_many && !may_be(p, p->half)) {
		p->half *= SHRINK;
		p->too_many = is_too_short(p->half, left);
	}
	if (p->too_many)
		return false;
	*half = 2 * p->half < left && 4 * p->half > left ? 0.25 * left : p->half;
	*middle = p->from + *half;
	p->from = 2 * *half < left * (1 - 0x1p-40) ? p->from + 2 * *half : p->to;
	return true;
}

size_t sotto_slaplace_panels_count(double rate, double epsilon0, double order)
{
	struct sotto_slaplace_panels p;
	double middle, half;
	size_t n = 0;

	sotto_slaplace_panels_init(&p, rate, epsilon0, order);
	while (n < SOTTO_SLAPLACE_PANELS && sotto_slaplace_panels_next(&p, &middle, &half))
		n++;
	return p.too_many ? SOTTO_SLAPLACE_PANELS : n;
}

/* The integral of min(1, w) from -epsilon0 to epsilon0, with w somewhat too large. */
static double total_slope(double log_w0, double epsilon0)
{
	double log_w = log_w0 + 0.2, one = fmin(epsilon0, fmax(-epsilon0, -log_w));

	return exp(log_w + one) * -expm1(-(one + epsilon0)) + (epsilon0 - one);
}

/*
 * Of half-length h there is 1/(2h) a unit.  With orders that count h is just above SHRINK GROWTH/(REACH order slope), the slope at
 * most 4/3 min(1, w).  The rest allows for panels that are as long as may be and for the last ones.
 */
double sotto_slaplace_panels_reach(double rate, double epsilon0, double panels)
{
	double slope = 4.0 / 3 * total_slope(log(rate / (1 - rate)), epsilon0);

	return fmax(0, panels - 8 - 2 * epsilon0) * 2 * SHRINK * GROWTH / (REACH * slope);
}
