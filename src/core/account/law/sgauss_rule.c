/* The trapezoid rule of a sampled Gaussian law, and what it finds at its points (sgauss_rule.h). */
#include "core/account/law/sgauss_rule.h"

#include <math.h>

/* The quadrature errs by less than exp(-QUADRATURE) of M(c), or this for one law of many. */
#define QUADRATURE 44.0
#define QUADRATURE_OF_MANY 32.0

#define NEAR_MU 12.0

enum { POINTS_MAX = 1 << 16 };

double sotto_sgauss_digits(const struct sotto_law *law)
{
	return law->of_many ? QUADRATURE_OF_MANY : QUADRATURE;
}

/* What the quadrature of a contour may err by, relative to M(c). */
double sotto_sgauss_error(const struct sotto_law *law)
{
	return 4 * exp(-sotto_sgauss_digits(law));
}

/* Outside of it the integrand is below exp(-digits - SOTTO_SGAUSS_TAILS) of M(c) >= 1. */
static void
range(const struct sotto_law *law, double c, double digits, double *low, double *high)
{
	double mu = law->mu, q = law->rate, e, need = digits + SOTTO_SGAUSS_TAILS;

	if (law->direction == SOTTO_REMOVE) {
		/* R^(c+1) <= 1 + q exp((c+1)(mu z - mu^2/2)) by convexity */
		e = fmax(0, log(q) + c * (c + 1) * mu * mu / 2);
		*low = -sqrt(2 * need);
		*high = fmax(-*low, (c + 1) * mu + sqrt(2 * (need + e)));
	} else {
		*high = sqrt(2 * (need - c * log1p(-q)));
		*low = -*high;
		if (mu < NEAR_MU)
			*high = fmax(*high, mu + sqrt(2 * need));
	}
}

/*
 * Whether E(R - 1), which is 0, is 0 over the rule's range too.  Half of it is far out around z = mu,
 * where for "add" nothing else is; up to NEAR_MU the range goes that far.
 */
bool sotto_sgauss_has_whole_mean(const struct sotto_law *law)
{
	return law->direction == SOTTO_REMOVE || law->mu < NEAR_MU;
}

/*
 * Between Im z = 0 and 2a the integrand is analytic if 2 mu a < pi, and its integral of
 * the absolute value is at most M(c) at the near side and exp(2 a^2) M(c) at the far
 * one, for "add" times cos(mu a)^(-c).  So the error is (1 + growth)/(exp(2 pi a/step) - 1).
 */
static double log_growth(const struct sotto_law *law, double c, double a)
{
	double grow = 2 * a * a;

	if (law->direction == SOTTO_ADD)
		grow -= c * log(cos(law->mu * a));
	return grow;
}

struct sotto_sgauss_rule
sotto_sgauss_rule_for(const struct sotto_law *law, double c, double digits)
{
	double low, high, a = fmin(1.2, 0.45 * M_PI / law->mu), n;

	while (log_growth(law, c, a) > 12)
		a *= 0.8;
	range(law, c, digits, &low, &high);
	n = ceil((high - low) * (digits + 1 + log_growth(law, c, a)) / (2 * M_PI * a));
	if (!(n <= POINTS_MAX))
		return (struct sotto_sgauss_rule){.n = 0};
	if (law->direction == SOTTO_ADD)
		a = -a;
	return (struct sotto_sgauss_rule){low, (high - low) / n, a, (size_t)n + 1};
}

/* log R at z = x + i y */
static struct cx log_ratio(const struct sotto_law *law, double x, double y)
{
	double mu = law->mu, q = law->rate, v = mu * x - mu * mu / 2, angle = mu * y;
	struct cx r;

	if (v > 600 || v + log(q) > 50) /* 1 - q is lost beside q exp(v) */
		return cx_of(v + log(q), angle);
	if (q < 0.5) { /* near 1: keep the digits of R - 1 */
		r = cx_scale(cx_expm1(v, angle), q);
		return cx_of(0.5 * log1p(r.re * (2 + r.re) + r.im * r.im),
			     atan2(r.im, 1 + r.re));
	}
	r = cx_add(cx_of(1 - q, 0), cx_scale(cx_exp(v, angle), q));
	return cx_of(log(cx_abs(r)), atan2(r.im, r.re));
}

/* The loss at z, and the log of its weight: mass exp(c loss), unnormalised. */
void sotto_sgauss_atom(const struct sotto_law *law, double c, double x, double y,
		       struct cx *loss, struct cx *log_weight)
{
	struct cx l = log_ratio(law, x, y);
	double power = law->direction == SOTTO_REMOVE ? c + 1 : -c;

	*loss = law->direction == SOTTO_REMOVE ? l : cx_of(-l.re, -l.im);
	*log_weight = cx_add(cx_of((y * y - x * x) / 2, -x * y), cx_scale(l, power));
}

/* R - 1 and log R at real z */
void sotto_sgauss_real_ratio(const struct sotto_law *law, double x, double *excess, double *l)
{
	double mu = law->mu, q = law->rate, v = mu * x - mu * mu / 2;

	if (v > 600) { /* 1 - q is lost beside q exp(v) */
		*l = v + log(q);
		*excess = exp(fmin(*l, 700));
		return;
	}
	*excess = q * expm1(v);
	*l = q < 0.5 ? log1p(*excess) : log((1 - q) + q * exp(v));
}

/*
 * The error of a loss log R.  R - 1 is good to u (4 mu |z| + 12) of itself, mu and q, good to
 * u each, included; from q = 1/2 on R is good to that of itself.
 */
double sotto_sgauss_loss_error(const struct sotto_law *law, double x, struct cx l)
{
	double part = law->rate < 0.5 ? cx_abs(cx_expm1(-l.re, -l.im)) : 1;

	return SOTTO_U * ((4 * law->mu * (fabs(x) + law->mu) + 12) * part + 2 * cx_abs(l));
}
