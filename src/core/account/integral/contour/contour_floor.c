/*
 * M at one real order, from the first node of a contour, and bounds of K on either side of it tell where most of the tilted loss lies
 * (contour.md).
 */
#include "core/account/integral/contour/contour_floor.h"

#include <math.h>

#include "core/account/integral/contour/contour_inside.h"
#include "core/base/failure.h"

/* At most a quarter of the tilted loss is beyond either end. */
#define LOG_QUARTER 1.38629436111989062
/* Orders that are tried, each so much higher, by rough cumulants, which are to prove so much more than is wanted; nodes lie so near to each other, beside the order. */
#define HIGHER 1.5
#define MARGIN 1.1
enum { ORDERS = 32 };
#define NODES 1e-6
/* What K may be wrong by, and masses that were left out make of it. */
#define K_ERROR 1e-9
/* What epsilon may be wrong by from rounding, relative. */
#define ROUNDING 1e-12

/* An order, and K there and a step before and after it: a lower bound of the one, upper bounds of the others. */
struct place {
	double c, step, down, before, after;
};

/* 1 - e^(epsilon - end) is at least e^x there. */
static double epsilon_at(double end, double x)
{
	return x < 0 ? end + log(-expm1(x)) : -INFINITY;
}

/* The largest epsilon that a place proves, or less than 0. */
static double epsilon_of(const struct place *p, double log_delta)
{
	double low = (p->down - p->before - LOG_QUARTER) / p->step,
	       high = (p->after - p->down + LOG_QUARTER) / p->step,
	       share = log_delta - p->down + M_LN2 + K_ERROR,
	       epsilon = fmin(epsilon_at(low, share + p->c * low),
			      epsilon_at(high, share + p->c * high));

	return isfinite(low) && isfinite(high) ? epsilon - ROUNDING * (fabs(low) + fabs(high))
					       : -INFINITY;
}

/* Roughly, for a step that suits the spread of the tilted loss. */
static struct place rough_place(const struct sotto_loss_measure *m, double c)
{
	struct place p = {.c = c};
	double k[3], bend;

	sotto_measure_steer(m, c, k);
	p.down = k[0];
	p.step = fmin(0.5 * c, sqrt(2 * LOG_QUARTER / k[2]));
	bend = p.step * p.step * k[2] / 2;
	p.before = k[0] - p.step * k[1] + bend;
	p.after = k[0] + p.step * k[1] + bend;
	return p;
}

/* The lowest order at which enough is proved, roughly: there laws know most. */
static struct place
find_place(const struct sotto_loss_measure *m, double wanted, double log_delta)
{
	double c = 1 / wanted;

	for (int i = 0; i < ORDERS && !sotto_work_is_spent(m->work); i++, c *= HIGHER) {
		struct place p = rough_place(m, c);

		if (epsilon_of(&p, log_delta) > MARGIN * wanted)
			return p;
	}
	return (struct place){0};
}

/* A lower bound of K of one law: at the first node its block is M(c) over what it was divided by; and 0, but for masses at infinity. */
static enum sotto_status
law_down(const struct sotto_loss_measure *m, size_t i, double c, double *down)
{
	const struct sotto_law *law = &m->laws[i];
	struct sotto_block b = {.c = c, .h = NODES * c, .n = SOTTO_BLOCK};
	double log_m, slack, least;
	void *state = NULL;
	enum sotto_status st = law->class->begin(law, c, b.h, &state, &log_m, &slack);

	*down = 0;
	if (st == SOTTO_OK) {
		for (size_t j = 0; j < SOTTO_BLOCK; j++)
			b.re[j] = 1;
		law->class->apply(law, state, &b);
		sotto_work_use(m->work, law->class->steps ? law->class->steps(law, state, &b)
							  : SOTTO_BLOCK * sotto_law_steps(law));
		least = b.re[0] - b.relative[0] * fabs(b.re[0]) - b.absolute[0];
		if (least > 0)
			*down = fmax(0, log_m - slack + log(least));
	}
	if (law->class->end && state)
		law->class->end(state);
	return st;
}

/* Of a law with the mass x at infinity K(c) is at least c log(1 - x). */
static enum sotto_status k_down(const struct sotto_loss_measure *m, double c, double *down)
{
	double sum = c * (c + 1) * m->mu2 / 2;

	for (size_t i = 0; i < m->n; i++) {
		double one;

		if (!sotto_work_take(m->work, sotto_contour_begin_steps(&m->laws[i], c)))
			return SOTTO_EREFUSED;
		SOTTO_TRY(law_down(m, i, c, &one));
		sum += one;
	}
	*down = sum * (1 - 0x1p-40) + c * mpfr_get_d(m->log_finite, MPFR_RNDD) - K_ERROR;
	return SOTTO_OK;
}

enum sotto_status sotto_contour_floor(const struct sotto_loss_measure *m, double wanted,
				      double log_delta, double *floor)
{
	struct place p = find_place(m, wanted, log_delta);
	double k[3];

	*floor = 0;
	if (!(p.c > 0))
		return SOTTO_OK;
	SOTTO_TRY(k_down(m, p.c, &p.down));
	sotto_measure_cumulants(m, p.c - p.step, k);
	p.before = k[0] + K_ERROR * (1 + fabs(k[0]));
	sotto_measure_cumulants(m, p.c + p.step, k);
	p.after = k[0] + K_ERROR * (1 + fabs(k[0]));
	*floor = fmax(0, epsilon_of(&p, log_delta));
	return SOTTO_OK;
}
