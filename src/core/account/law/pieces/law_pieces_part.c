/* The parts that pieces are made of: sampling, tails, ranges and bounds of M on the real line (law_pieces.md). */
#include <math.h>

#include "core/account/law/pieces/laplace_fold.h"
#include "core/account/law/pieces/law_pieces.h"
#include "core/account/law/pieces/law_pieces_part.h"

/* P- or Q-mass beyond, rounded up. */
#define BEYOND 2e-33
/* Q-masses above this have all digits, and e^epsilon is a double where they lie above epsilon. */
#define FAINT_Q 0x1p-1000
/* However low the rate is, the scale of a sampled part is at least this part of what it was. */
#define LEAST_SHARE 0.1

/* log(1 - q + q e^x) */
static double mix(double q, double x)
{
	if (x > 600) /* 1 - q is lost beside q e^x */
		return x + log(q);
	return q < 0.5 ? log1p(q * expm1(x)) : log((1 - q) + q * exp(x));
}

double sotto_part_loss_of(const struct sotto_curve_part *p, double x)
{
	if (!p->sampled)
		return x;
	return p->direction == SOTTO_REMOVE ? mix(p->rate, x) : -mix(p->rate, -x);
}

/* x such that log(1 - q + q e^x) = y; -INFINITY below all of them. */
static double unmix(double q, double y)
{
	double odds = expm1(y) / q;

	if (y > 600)
		return y - log(q);
	return odds > -1 ? log1p(odds) : -INFINITY;
}

double sotto_part_base_of(const struct sotto_curve_part *p, double epsilon)
{
	if (!p->sampled || isinf(epsilon))
		return epsilon;
	return p->direction == SOTTO_REMOVE ? unmix(p->rate, epsilon)
					    : -unmix(p->rate, -epsilon);
}

double sotto_part_log_factor(const struct sotto_curve_part *p, double x)
{
	double q = p->rate;

	if (!p->sampled || p->direction == SOTTO_ADD)
		return 0;
	return x > 0 ? log(q + (1 - q) * exp(-x)) : log((1 - q) + q * exp(x)) - x;
}

double sotto_part_reach(const struct sotto_curve_part *p)
{
	double low, high;

	if (p->list) {
		sotto_part_list_range(p->list, &low, &high);
		return fmax(fabs(low), fabs(high));
	}
	if (p->laplace)
		return p->fold ? sotto_laplace_fold_place(p->fold, 0) : p->a;
	return p->a * (SOTTO_PART_SIGMAS + p->farther + p->a / 2);
}

double sotto_part_tail_steps(const struct sotto_curve_part *p)
{
	return p->fold ? 400 : 30;
}

static double upper_normal(double z)
{
	return 0.5 * erfc(z * M_SQRT1_2);
}

/* Masses above x before sampling, and what p is wrong by in units u. */
static void base_tails(const struct sotto_curve_part *p, double x, double *mass_p,
		       double *mass_q, double *units)
{
	if (p->fold) {
		sotto_laplace_fold_tails(p->fold, x, mass_p, mass_q);
		*units = 256 * (1 + p->fold->growth) + 64 * sotto_part_reach(p);
	} else if (p->laplace) {
		*mass_p = *mass_q = x < -p->a ? 1 : 0;
		if (x >= -p->a && x < p->a) {
			*mass_p = 1 - 0.5 * exp((x - p->a) / 2);
			*mass_q = 0.5 * exp(-(x + p->a) / 2);
		}
		*units = 64 * (1 + p->a);
	} else {
		double low = x / p->a - p->a / 2, high = x / p->a + p->a / 2, far;

		*mass_p = upper_normal(low);
		*mass_q = upper_normal(high);
		far = fmin(fmax(high, 0), 40); /* a mass near 1 is good to some u */
		*units = 64 + 12 * far * far + (x < 0 ? 3 * p->a * (far + 1) : 0);
	}
}

struct sotto_part_tails
sotto_part_tails_at(const struct sotto_curve_part *p, double x, double epsilon)
{
	struct sotto_part_tails t;
	double units, q = p->rate, mass_p, mass_q;

	base_tails(p, x, &mass_p, &mass_q, &units);
	t.p = mass_p;
	t.yq = mass_q;
	if (p->sampled && p->direction == SOTTO_REMOVE)
		t.p = q * mass_p + (1 - q) * mass_q;
	else if (p->sampled)
		t.yq = (1 - q) * mass_p + q * mass_q;
	t.error = SOTTO_U * (units + 8 * fabs(epsilon)) * t.p +
		  (epsilon < 0 ? 64 * SOTTO_U : 0x1p-1000);
	if (t.yq > FAINT_Q) {
		t.yq *= exp(epsilon);
	} else { /* it has lost digits, and is at most p */
		t.yq = 0;
		t.error += t.p;
	}
	t.p_error = t.error;
	t.delta = fmax(0, t.p - t.yq);
	return t;
}

struct sotto_part_tails sotto_part_tails(const struct sotto_curve_part *p, double epsilon)
{
	if (p->list)
		return sotto_part_list_tails(p->list, epsilon);
	return sotto_part_tails_at(p, sotto_part_base_of(p, epsilon), epsilon);
}

void sotto_part_base_range(const struct sotto_curve_part *p, double *low, double *high)
{
	*high = sotto_part_reach(p);
	*low = -*high;
}

void sotto_part_range(const struct sotto_curve_part *p, double *low, double *high)
{
	if (p->list) {
		sotto_part_list_range(p->list, low, high);
		return;
	}
	sotto_part_base_range(p, low, high);
	*low = sotto_part_loss_of(p, *low);
	*high = sotto_part_loss_of(p, *high);
}

double sotto_part_tail(const struct sotto_curve_part *p, double c)
{
	double mu = p->a;

	if (p->laplace || p->list)
		return 0;
	return 2 * BEYOND + exp(c * (c + 1) * mu * mu / 2) *
				    upper_normal(SOTTO_PART_SIGMAS + p->farther - c * mu) *
				    (1 + 1e-9);
}

double sotto_part_scale(const struct sotto_curve_part *p)
{
	double odds, one = p->fold ? p->a * sqrt((double)p->fold->n) : p->a;

	if (p->list)
		return sotto_part_list_spread(p->list);
	if (!p->sampled ||
	    !p->laplace) /* Gaussian noise beyond its range would count at higher orders */
		return one;
	odds = p->rate / (1 - p->rate) * exp(one);
	return one * fmax(odds / (1 + odds), LEAST_SHARE);
}

double sotto_part_top(const struct sotto_curve_part *p)
{
	double top = sotto_part_reach(p);

	if (p->list)
		return top + 2 * sotto_part_list_loss_error(p->list);
	if (p->laplace)
		top = sotto_part_loss_of(p, top);
	else
		top = p->sampled && p->direction == SOTTO_ADD ? -log1p(-p->rate) : INFINITY;
	return top + 0x1p-40 * top;
}

double sotto_part_log_m_up(const struct sotto_curve_part *p, double c, double *slope)
{
	double x = p->laplace ? c * sotto_part_reach(p) : c * (c + 1) * p->a * p->a / 2;

	if (p->list)
		return sotto_part_list_log_m_up(p->list, c, slope);
	*slope = p->laplace ? sotto_part_reach(p) : (c + 0.5) * p->a * p->a;
	if (!p->sampled)
		return x;
	x = x < 600 ? log1p(p->rate * expm1(x)) : x + log(p->rate);
	return fmin(x, c * sotto_part_top(p));
}
