/*
 * Puts the line through the saddle point and grows the period until the aliases are small
 * beside delta; where that takes too long, the line goes lower, at the price of digits.
 */
#include "core/account/integral/contour/contour_line.h"

#include <math.h>

#include "core/account/integral/contour/contour_saddle.h"

/* How much longer than usual a period may be before digits are given up for it: where all count, and few. */
#define LONG 50
#define LONG_OF_FEW 1.2
#define FEW_DIGITS 30

/* Periods that are tried, each so many times the one before. */
enum { PERIODS = 400 };
#define RATIO 1.15
/* What finding one takes (work.h). */
#define SETTLE_STEPS 2000

/* K, K', K'' at a point: of all laws, or roughly. */
typedef void cumulants_at(const struct sotto_loss_measure *m, double s, double k[3]);

/* Candidates for bounding delta(epsilon + jT), j >= 1, by exp(K(c') - c'(epsilon + jT)). */
static void look_beyond(struct sotto_contour_line *p, const struct sotto_loss_measure *steer,
			cumulants_at *at)
{
	double width = 1 / sqrt(p->curvature), cumulant[3];
	const double steps[SOTTO_CONTOUR_LINE_CANDIDATES] = {
		2 * width, 6 * width, 0.15 * p->c, 0.4 * p->c, 0.8 * p->c, 1.5 * p->c};

	for (int i = 0; i < SOTTO_CONTOUR_LINE_CANDIDATES; i++) {
		p->beyond[i] = p->c + steps[i];
		at(steer, p->beyond[i], cumulant);
		p->log_beyond[i] = cumulant[0] + 1e-9 * (1 + fabs(cumulant[0]));
	}
}

/* log(x/(1-x)) for x = exp(l), l < 0 */
static double log_geometric(double l)
{
	return l < -1e-9 ? l - log1p(-exp(l)) : INFINITY;
}

static double log_sum(double a, double b)
{
	double most = fmax(a, b);

	return isinf(most) ? most : most + log(exp(a - most) + exp(b - most));
}

double
sotto_contour_line_log_alias(const struct sotto_contour_line *p, double epsilon, double period)
{
	double below = log_geometric(-p->c * period), above = INFINITY;

	if (epsilon + period >= p->top)
		above = -INFINITY;
	for (int i = 0; i < SOTTO_CONTOUR_LINE_CANDIDATES; i++)
		above = fmin(above, p->log_beyond[i] - p->beyond[i] * epsilon +
					    log_geometric((p->c - p->beyond[i]) * period));
	return log_sum(below, above);
}

static bool is_small(const struct sotto_contour_line *p, double epsilon, double period)
{
	return sotto_contour_line_log_alias(p, epsilon, period) < p->log_delta - p->digits;
}

/* The least period, to 15 %, whose aliases are small beside delta: they fall as it grows. */
static void settle(struct sotto_contour_line *p, const struct sotto_loss_measure *steer,
		   cumulants_at *at, double epsilon)
{
	double least = 6 * sqrt(p->curvature);
	int low = -1, high = 0;

	look_beyond(p, steer, at);
	while (high < PERIODS && !is_small(p, epsilon, least * pow(RATIO, high))) {
		low = high;
		high = 2 * high + 1;
	}
	high = high < PERIODS ? high : PERIODS;
	while (high - low > 1) {
		int middle = (low + high) / 2;

		if (is_small(p, epsilon, least * pow(RATIO, middle)))
			high = middle;
		else
			low = middle;
	}
	p->period = least * pow(RATIO, high);
	sotto_work_use(steer->work, SETTLE_STEPS);
}

/* Farther down; the size of the integrand stands in for delta if less. */
static struct sotto_contour_line lower(const struct sotto_contour_line *p,
				       const struct sotto_loss_measure *steer, double epsilon)
{
	struct sotto_contour_line next = {.c = 0.88 * p->c, .top = p->top, .digits = p->digits};
	double cumulant[3], c = next.c;

	sotto_measure_steer(steer, c, cumulant);
	next.log_delta =
		fmin(p->log_delta, cumulant[0] - c * epsilon - log(c) - log(c + 1) - 1);
	next.curvature = cumulant[2] + 1 / (c * c) + 1 / ((c + 1) * (c + 1));
	settle(&next, steer, sotto_measure_steer, epsilon);
	return next;
}

/* A period many times what one mode of that width and tilt would need. */
static bool is_long(const struct sotto_contour_line *p)
{
	double length = p->digits < FEW_DIGITS ? LONG_OF_FEW : LONG;

	return p->period > length * fmax(9 * sqrt(p->curvature), (45 - p->log_delta) / p->c);
}

/*
 * Rare large losses can make K jump: the tilted law then has two far modes, and a
 * contour close to the jump may need a very long period.  Farther below, cancellation
 * costs digits instead; so c goes down only while the period is long and gets shorter.
 */
void sotto_contour_line_find(struct sotto_contour_line *p,
			     const struct sotto_loss_measure *steer, double epsilon,
			     double log_delta)
{
	p->c = sotto_saddle_point(steer, epsilon, &p->log_delta, &p->curvature);
	p->log_delta = fmin(p->log_delta, log_delta);
	settle(p, steer, sotto_measure_steer, epsilon);
	for (int i = 0; i < 40 && is_long(p) && !sotto_work_is_spent(steer->work); i++) {
		struct sotto_contour_line next = lower(p, steer, epsilon);

		if (!(next.period < 0.95 * p->period))
			break;
		*p = next;
	}
	settle(p, steer, sotto_measure_cumulants, epsilon); /* K rounded up, of all laws */
}
