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

#include "core/account/integral/complex.h"
#include "core/account/law/law.h"

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

	weights(law->step_epsilon, s, 0, &up, &down);
	return up.re + down.re * exp(-(2 * s + 1) * law->epsilon);
}

static double one_cumulant(const struct sotto_law *law, double s)
{
	struct cx up, down;

	if (s * law->epsilon > 20)
		return s * law->epsilon + log(scaled(law, s));
	weights(law->step_epsilon, s, 0, &up, &down);
	return log1p(up.re * expm1(s * law->epsilon) +
		     down.re * expm1(-(s + 1) * law->epsilon));
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
	if (s * law->epsilon < 1e-3) {
		k[1] += n * here * (2 * s + 1) / (s * (s + 1));
		k[2] += n * here * 2 / (s * (s + 1));
		return;
	}
	d = 1e-3 * fmin(s, 1 / law->epsilon);
	below = one_cumulant(law, s - d);
	above = one_cumulant(law, s + d);
	k[1] += n * (above - below) / (2 * d);
	k[2] += n * fmax(0, (above - 2 * here + below) / (d * d));
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	double n = (double)law->count, reach = fmin(1, (2 * c + 1) * law->epsilon);

	(void)h;
	*state = NULL;
	*log_m = n * one_cumulant(law, c);
	*slack = SOTTO_U *
		 (16 * n * reach + 8 * (fabs(*log_m) + (reach < 1 ? 0 : n * c * law->epsilon)));
	return SOTTO_OK;
}

/*
 * On 0 <= t <= pi/(2a) both |1 - r| and so 1/|g| grow with t, which bounds A and B for
 * all of a lattice's half period: |A| <= (1 + |g r|)/(1 + q), |B| <= (1 + |g|)/(1 + q).
 */
static double
log_decay(const struct sotto_law *law, void *state, double c, double t, double end)
{
	double a = law->step_epsilon, one_q = -expm1(-a), r = exp(-(2 * c + 1) * a), g, bound;

	(void)state;
	if (!(end <= M_PI / (2 * a) * (1 + 1e-9)))
		return 0;
	g = one_q / cx_abs(cx_expm1(-(2 * c + 1) * a, -2 * t * a));
	bound = (1 + g * r + (1 + g) * exp(-(2 * c + 1) * law->epsilon)) / (2 - one_q);
	return (double)law->count * fmin(0, log(bound / scaled(law, c) * (1 + 0x1p-40)));
}

/* Terms of size min(1, (t + 2c + 1) e), phases, and g: 2 u t a in 1 - r, at least (2c+1) a. */
static double error_of(double c, double t, double e)
{
	double reach = fmin(1, (t + 2 * c + 1) * e);

	return SOTTO_U * ((160 + 40 * t / (2 * c + 1)) * reach + 8 * t * e);
}

/*
 * With X = exp(i t e) - 1, Y = exp(-(2c+1) e - i t e) - 1 and w = B(s) - B(c) = A(c) - A(s):
 * M(s) - M(c) = A(s) X + B(c) (Y - Y(0)) + w Y up to the factor exp(c e), since A + B = 1.
 */
static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK], di[SOTTO_BLOCK], e = law->epsilon, a = law->step_epsilon,
						 c = b->c, t = 0;
	double inv = 1 / scaled(law, c), y0 = expm1(-(2 * c + 1) * e), one_q = -expm1(-a);
	double rc = exp(-(2 * c + 1) * a), gap = -expm1(-(2 * c + 1) * a);
	double xr[SOTTO_BLOCK], xi[SOTTO_BLOCK], ar[SOTTO_BLOCK], ai[SOTTO_BLOCK];
	struct cx up, down;

	(void)state;
	weights(a, c, 0, &up, &down);
	sotto_block_turns(b, e, xr, xi);
	sotto_block_turns(b, -2 * a, ar, ai);
	for (size_t j = 0; j < b->n; j++) {
		struct cx x = cx_of(xr[j], xi[j]), y, w = cx_of(ar[j], ai[j]), d, gap_s;

		t = b->h * (double)(b->first + j);
		/* 1 - r(s) = gap - rc (exp(-2ita) - 1) */
		gap_s = cx_of(gap - rc * w.re, -rc * w.im);
		/* B(s) - B(c) = -(g(s) - g(c))/(1+q) */
		w = cx_scale(cx_div(w, gap_s), -one_q * rc / (gap * (2 - one_q)));
		y = cx_add(cx_of(y0, 0), cx_scale(cx_of(x.re, -x.im), 1 + y0));
		d = cx_mul(cx_sub(up, w), x);
		d = cx_add(d, cx_scale(cx_of(x.re, -x.im), down.re * (1 + y0)));
		d = cx_add(d, cx_mul(w, y));
		dr[j] = d.re * inv;
		di[j] = d.im * inv;
	}
	sotto_block_multiply(b, dr, di, error_of(c, t, e), law->count);
}

const struct sotto_law_class sotto_law_geometric = {
	.cumulants = cumulants,
	.begin = begin,
	.log_decay = log_decay,
	.apply = apply,
};
