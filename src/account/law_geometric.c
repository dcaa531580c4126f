/*
 * Discrete Laplace noise, a per step, sensitivity n steps, e = a n:
 *
 *	M(s) = A exp(s e) + B exp(-(s+1) e),  A = (1 + g r)/(1 + q),  B = (1 - g)/(1 + q),
 *	q = exp(-a),  r = exp(-(2s+1) a),  g = (1 - q)/(1 - r),
 *
 * which is the sum of the n+1 atoms in closed form: as a tends to 0 with e fixed
 * it becomes the real Laplace law.
 */
#include <math.h>

#include "account/cx.h"
#include "account/law.h"

/* A and B at complex s = c + it */
static void weights(double a, double c, double t, struct cx *up, struct cx *down)
{
	double one_q = -expm1(-a), inv = 1 / (2 - one_q);
	struct cx r1 = cx_expm1(-(2 * c + 1) * a, -2 * t * a); /* r - 1 */
	struct cx g = cx_scale(cx_inv(cx_scale(r1, -1)), one_q);
	struct cx gr = cx_add(g, cx_of(-one_q, 0)); /* g r = g - (1 - q) */

	*up = cx_scale(cx_of(1 + gr.re, gr.im), inv);
	*down = cx_scale(cx_of(1 - g.re, -g.im), inv);
}

/* M(s) exp(-s e), without its derivatives */
static double scaled(const struct sotto_law *law, double s)
{
	struct cx up, down;

	weights(law->a, s, 0, &up, &down);
	return up.re + down.re * exp(-(2 * s + 1) * law->b);
}

static double one_cumulant(const struct sotto_law *law, double s)
{
	struct cx up, down;

	if (s * law->b > 20)
		return s * law->b + log(scaled(law, s));
	weights(law->a, s, 0, &up, &down);
	return log1p(up.re * expm1(s * law->b) + down.re * expm1(-(s + 1) * law->b));
}

/*
 * The derivatives only steer the contour.  Where the law is close to a Gaussian K is
 * nearly a multiple of s(s+1); elsewhere central differences are good enough.
 */
static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double n = (double)law->count, here = one_cumulant(law, s);
	double d, below, above;

	k[0] += n * here;
	if (s * law->b < 1e-3) {
		k[1] += n * here * (2 * s + 1) / (s * (s + 1));
		k[2] += n * here * 2 / (s * (s + 1));
		return;
	}
	d = 1e-3 * fmin(s, 1 / law->b);
	below = one_cumulant(law, s - d);
	above = one_cumulant(law, s + d);
	k[1] += n * (above - below) / (2 * d);
	k[2] += n * fmax(0, (above - 2 * here + below) / (d * d));
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	double l = log(scaled(law, c)), n = (double)law->count;

	(void)h;
	*state = NULL;
	*log_m = n * (c * law->b + l);
	*slack = 6 * SOTTO_U * n * (c * law->b + fabs(l));
	return SOTTO_OK;
}

/* As for the real law, and g: an error of 2 u t a in 1 - r, which is at least (2c+1) a. */
static double error_of(double c, double t, double e)
{
	return SOTTO_U * (40 + 8 * (t + c) * e + 8 * t / (2 * c + 1));
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double zr[SOTTO_BLOCK], zi[SOTTO_BLOCK], inv = 1 / scaled(law, b->c);
	double q = exp(-(2 * b->c + 1) * law->b), t = 0;

	(void)state;
	for (size_t j = 0; j < b->n; j++) {
		struct cx up, down, e, z;

		t = b->h * (double)(b->first + j);
		weights(law->a, b->c, t, &up, &down);
		e = cx_exp(0, t * law->b);
		z = cx_add(cx_mul(up, e), cx_scale(cx_mul(down, cx_of(e.re, -e.im)), q));
		zr[j] = z.re * inv;
		zi[j] = z.im * inv;
	}
	sotto_block_multiply(b, zr, zi, error_of(b->c, t, law->b), law->count);
}

const struct sotto_law_class sotto_law_geometric = {
	.cumulants = cumulants,
	.begin = begin,
	.apply = apply,
};
