/*
 * Discrete Gaussian noise with parameter v = sigma^2, sensitivity D.  The atoms are
 * (D^2 - 2Dx)/(2v) with mass proportional to exp(-x^2/(2v)), so with s = c + it
 *
 *	M(s) = exp(c(c+1) D^2/(2v)) exp(i t D^2/(2v)) F(t)/theta(0),
 *	F(t) = sum over x of exp(-(x + cD)^2/(2v)) exp(-i x y/v),   y = tD,
 *
 * and F has period 2 pi v/D in t.  Write cD = n + f with integer n and |f| <= 1/2:
 * F = exp(i n y/v) S(f, y) with S(f, y) = sum over j of exp(-(j+f)^2/(2v) - i j y/v), and by
 * Poisson summation
 *
 *	S(f, y) = sqrt(2 pi v) sum over m of exp(-(y + 2 pi m v)^2/(2v) + i f (y/v + 2 pi m)).
 *
 * For |y| <= pi v the terms |m| <= 2 suffice when v > 4 (the next is below
 * exp(-8 pi^2 v)).  For smaller v the direct sum has few terms; they are taken relative to the
 * one for j = 0, which is the largest since |f| <= 1/2, so that none of it underflows however
 * small v is.
 */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"
#include "core/account/law/law.h"

#define DUAL_FROM 4.0
/* From here on too, but not for many events, which need the digits of M(s)/M(c) - 1. */
#define DUAL_ONCE_FROM 1.0
#define MANY 64
/* 10 sqrt(v) + 2 for the largest v that is summed directly */
#define REACH_MAX 22
/* A term exp(-NEGLIGIBLE) is nothing beside the largest at y = 0, which is near 1. */
#define NEGLIGIBLE 45.0
/* exp(-NOTHING) is 0, which takes longer to find out than other values. */
#define NOTHING 746.0
/*
 * From |j| = reach + 1 on a direct term is below exp(-60) of the one for j = 0, and each is
 * less than a tenth of the one before: all that is left out is below LEFT_OUT.
 */
#define LEFT_OUT 2e-26
/* Weights below this are left out and charged. */
#define FAINT 1e-20

/* cD = n + f with integer n and |f| <= 1/2, f to an ulp */
static double split(double c, double d, double *n)
{
	double p = c * d, rest = fma(c, d, -p);

	*n = nearbyint(p);
	return (p - *n) + rest;
}

static double reach_of(double v)
{
	return ceil(10 * sqrt(v)) + 2;
}

/* ((j+f)^2 - f^2)/(2v), not negative */
static double fall_of(double v, double f, double j)
{
	return fmax(0, j * (j + 2 * f) / (2 * v));
}

/* The sum over j of exp(-(j+f)^2/(2v)) over its term for j = 0 */
static double direct_sum(double v, double f)
{
	double reach = reach_of(v), sum = 0;

	for (double j = -reach; j <= reach; j++) {
		double fall = fall_of(v, f, j);

		if (fall < NOTHING)
			sum += exp(-fall);
	}
	return sum;
}

static struct cx dual_sum(double v, double f, double y)
{
	struct cx sum = {0, 0};

	for (int m = -2; m <= 2; m++) {
		double w = 2 * M_PI * m, fall = (w * v + y) * (w * v + y) / (2 * v);

		if (fall < NEGLIGIBLE)
			sum = cx_add(sum, cx_exp(-fall, f * (y / v + w)));
	}
	return sum;
}

/* log S(f, 0) at x = sD = n + f, up to what depends on v alone */
static double log_theta(double v, double s, double d)
{
	double n, f = split(s, d, &n);

	if (v > DUAL_FROM)
		return log(dual_sum(v, f, 0).re);
	return log(direct_sum(v, f)) - f * f / (2 * v);
}

/* Six exponentials of a direct sum are as much as a term of another law; of a small variance five sums are taken, else two. */
static double terms(const struct sotto_law *law, double s)
{
	double v = law->sigma_squared;

	(void)s;
	return 4 + (v > DUAL_FROM ? 0 : (v > 1 ? 2 : 5) * (2 * reach_of(v) + 1) / 6);
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double v = law->sigma_squared, d = (double)law->n, n = (double)law->count,
	       r = d * d / v;
	double e, low, here, high;

	k[0] += n * (s * (s + 1) * r / 2 + log_theta(v, s, d) - log_theta(v, 0, d));
	k[1] += n * (2 * s + 1) * r / 2;
	k[2] += n * r;
	if (v > 1) /* theta is constant to 1e-8 */
		return;
	e = 1e-4 / d;
	low = log_theta(v, s - e, d);
	here = log_theta(v, s, d);
	high = log_theta(v, s + e, d);
	k[1] += n * (high - low) / (2 * e);
	k[2] += n * fmax(-r, (high - 2 * here + low) / (e * e));
}

/* Small v: the few atoms that count on the line Re s = c, their weights summing to 1. */
struct few {
	double loss[2 * REACH_MAX + 1], weight[2 * REACH_MAX + 1];
	size_t n;
	double eta0, eta1; /* M(s)/M(c) is wrong by at most eta0 + eta1 t */
	double near; /* and by near t */
};

/* Atoms that are nothing beside a rounding error take as long as others. */
static void drop_faint(struct few *few, double sum)
{
	size_t n = 0;

	for (size_t i = 0; i < few->n; i++) {
		double w = few->weight[i] / sum;

		if (w < FAINT) {
			few->eta0 += 4 * w;
			few->near += 4 * w * fabs(few->loss[i]);
			continue;
		}
		few->loss[n] = few->loss[i];
		few->weight[n++] = few->weight[i];
	}
	few->n = n;
}

/*
 * A weight errs by its exponent's u, a loss by some u of itself; sums are short.  What is left
 * out is charged with the loss of the first term beyond, twice: losses grow slowly beside the
 * fall of the weights.
 */
static void list_few(const struct sotto_law *law, double c, struct few *few)
{
	double v = law->sigma_squared, d = (double)law->n, n, f = split(c, d, &n);
	double reach = reach_of(v), sum = 0, far = d * (d + 2 * (fabs(n) + reach + 1)) / v;

	for (double j = -reach; j <= reach; j++) {
		few->loss[few->n] = d * (d + 2 * (n - j)) / (2 * v);
		few->weight[few->n] = exp(-fall_of(v, f, j));
		sum += few->weight[few->n++];
	}
	few->eta0 = 4 * LEFT_OUT;
	few->near = 4 * LEFT_OUT * far;
	drop_faint(few, sum);
	for (size_t i = 0; i < few->n; i++) {
		double w = few->weight[i] /= sum, l = fabs(few->loss[i]), e;

		e = SOTTO_U * (24 + (double)few->n - 4 * log(fmax(w, 0x1p-1022)));
		few->eta0 += 2 * w * e;
		few->eta1 += w * SOTTO_U * 8 * l;
		few->near += w * (e + SOTTO_U * 8) * l;
	}
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	double v = law->sigma_squared, d = (double)law->n, n = (double)law->count;
	double main = c * (c + 1) * d * d / (2 * v),
	       rest = log_theta(v, c, d) - log_theta(v, 0, d);

	(void)h;
	*state = NULL;
	*log_m = n * (main + rest);
	*slack =
		8 * SOTTO_U * n * (main + fabs(rest) + (v > DUAL_FROM ? 1e-30 : 4 + c * d / v));
	if (v > DUAL_FROM || (v > DUAL_ONCE_FROM && law->count < MANY))
		return SOTTO_OK;
	*state = calloc(1, sizeof(struct few));
	if (!*state)
		return SOTTO_ENOMEM;
	list_few(law, c, *state);
	return SOTTO_OK;
}

/*
 * For y = tD up to pi v the terms of the dual sum other than m = 0 add up to at most
 * twice the one for m = -1.  The bound is convex in y, so its larger end counts.
 */
static double
log_decay(const struct sotto_law *law, void *state, double c, double t, double end)
{
	double v = law->sigma_squared, d = (double)law->n, y = t * d, far = 2 * M_PI * v - y,
	       here, last;

	(void)state;
	(void)c;
	if (v <= DUAL_FROM || !(end * d <= M_PI * v * (1 + 1e-9)))
		return 0;
	here = -y * y / (2 * v) + log1p(2 * exp((y * y - far * far) / (2 * v)));
	last = log(3) - M_PI * M_PI * v / 2;
	return (double)law->count * fmin(0, fmax(here, last) * (1 - 0x1p-40));
}

/*
 * Phases of t D^2/(2v) and n y/v, each with a few roundings; and beyond half a
 * period the reduction of t, which moves y by 2 u t D.
 */
static double error_of(const struct sotto_law *law, double c, double t)
{
	double v = law->sigma_squared, d = (double)law->n,
	       reach = (t + c) * (c + 1 + t) * d * d / v;

	if (t * d < v && v > DUAL_FROM)
		return SOTTO_U * (40 * fmin(1, reach) + 8 * reach) + 4 * exp(-13 * v);
	return SOTTO_U *
	       (80 + 8 * (t + c) * (c + 1) * d * d / v + (t * d > M_PI * v ? 32 * t * d : 0));
}

/*
 * M(s)/M(c) - 1 for large v.  For y < v it is exp(z) - 1, z = (s(s+1) - c(c+1)) D^2/(2v), but for
 * terms below exp(-13 v).
 */
static struct cx excess(const struct sotto_law *law, double c, double t)
{
	double v = law->sigma_squared, d = (double)law->n, period = 2 * M_PI * v / d;
	double n, f = split(c, d, &n), y;
	struct cx z;

	if (t * d < v && v > DUAL_FROM)
		return cx_expm1(-t * t * d * d / (2 * v), t * (c + 0.5) * d * d / v);
	y = (t - period * nearbyint(t / period)) * d;
	z = cx_mul(dual_sum(v, f, y), cx_exp(0, n * y / v + t * d * d / (2 * v)));
	z = cx_scale(z, 1 / dual_sum(v, f, 0).re);
	return cx_of(z.re - 1, z.im);
}

static void apply_few(const struct sotto_law *law, const struct few *few, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0};
	double t = b->h * (double)(b->first + SOTTO_BLOCK);

	for (size_t i = 0; i < few->n; i++)
		sotto_block_add_atom(b, few->loss[i], few->weight[i], dr, di);
	sotto_block_multiply(b, dr, di, fmin(few->eta0 + few->eta1 * t, few->near * t),
			     law->count);
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK], di[SOTTO_BLOCK], t = 0;

	if (state) {
		apply_few(law, state, b);
		return;
	}
	for (size_t j = 0; j < b->n; j++) {
		struct cx d;

		t = b->h * (double)(b->first + j);
		d = excess(law, b->c, t);
		dr[j] = d.re;
		di[j] = d.im;
	}
	sotto_block_multiply(b, dr, di, error_of(law, b->c, t), law->count);
}

const struct sotto_law_class sotto_law_dgauss = {
	.cumulants = cumulants,
	.terms = terms,
	.begin = begin,
	.log_decay = log_decay,
	.apply = apply,
	.end = free,
};
