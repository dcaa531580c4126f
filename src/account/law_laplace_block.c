/*
 * Real Laplace noise, many epsilons at once:
 *
 *	M(s) = ( (s+1) exp(s e) + s exp(-(s+1) e) ) / (2s+1).
 *
 * On the line Re s = c everything is divided by exp(c e), so nothing overflows and
 * the two terms do not cancel at t = 0.
 */
#include <math.h>
#include <stdlib.h>

#include "account/cx.h"
#include "account/law.h"

enum { RUNS = 256 };

/* exp(x) - 1 - x >= 0, to a few units in the last place */
static double exp2term(double x)
{
	double sum = 0, term = 0.5 * x * x;

	if (fabs(x) > 0.25)
		return expm1(x) - x;
	for (int i = 3; i < 20; i++) {
		sum += term;
		term *= x / i;
	}
	return sum;
}

/*
 * M - 1 = n/(2s+1) with n = (s+1) x2(se) + s x2(-(s+1)e), x2 = exp2term: the linear
 * terms cancel exactly, and all that is left is positive.
 */
static void small_cumulants(double s, double e, double k[3])
{
	double d = 2 * s + 1, up = s * e, down = -(s + 1) * e;
	double n = (s + 1) * exp2term(up) + s * exp2term(down);
	double n1 =
		exp2term(up) + (s + 1) * e * expm1(up) + exp2term(down) - s * e * expm1(down);
	double n2 =
		2 * e * (expm1(up) - expm1(down)) + e * e * ((s + 1) * exp(up) + s * exp(down));
	double m = n / d, m1 = (n1 - 2 * m) / d, m2 = (n2 - 4 * m1) / d;

	k[0] = log1p(m);
	k[1] = m1 / (1 + m);
	k[2] = m2 / (1 + m) - k[1] * k[1];
}

/* The same from the form scaled by exp(-s e). */
static void large_cumulants(double s, double e, double k[3])
{
	double d = 2 * s + 1, q = exp(-d * e);
	double n = (s + 1) + s * q;
	double n1 = 1 + e * (s + 1) + q * (1 - e * s);
	double n2 = 2 * e + e * e * (s + 1) + q * (-2 * e + e * e * s);

	k[0] = s * e + log(n / d);
	k[1] = n1 / n - 2 / d;
	k[2] = n2 / n - (n1 / n) * (n1 / n) + 4 / (d * d);
}

static void one_cumulants(double s, double e, double k[3])
{
	if (s * e < 20)
		small_cumulants(s, e, k);
	else
		large_cumulants(s, e, k);
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double one[3];

	for (size_t i = 0; i < law->n; i++) {
		one_cumulants(s, law->loss[i], one);
		for (int j = 0; j < 3; j++)
			k[j] += (double)law->counts[i] * one[j];
	}
}

static double normaliser(double c, double e)
{
	double d = 2 * c + 1;

	return (c + 1 + c * exp(-d * e)) / d;
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	double sum = 0, magnitude = 0;

	(void)h;
	*state = NULL;
	for (size_t i = 0; i < law->n; i++) {
		double k = (double)law->counts[i], e = law->loss[i];
		double l = log(normaliser(c, e));

		sum += k * (c * e + l);
		magnitude += k * (c * e + fabs(l));
	}
	*log_m = sum;
	*slack = (4 + (double)law->n) * SOTTO_U * magnitude;
	return SOTTO_OK;
}

/*
 * |A| falls to 1/2 and |B| rises to 1/2 as t grows: A = (s+1)/(2s+1), B = s/(2s+1).  The bound
 * falls with e, so a long list is cut into runs and each run has its least e.
 */
static double log_decay(const struct sotto_law *law, void *state, double c, double t)
{
	double d = 2 * c + 1, t2 = t * t, sum = 0;
	double a = sqrt(((c + 1) * (c + 1) + t2) / (d * d + 4 * t2));
	size_t run = law->n / RUNS + 1;

	(void)state;
	for (size_t i = 0; i < law->n; i += run) {
		double q = exp(-d * law->loss[i]), count = 0;
		double bound = (a + 0.5 * q) * d / (c + 1 + c * q);

		for (size_t j = i; j < i + run && j < law->n; j++)
			count += (double)law->counts[j];
		sum += count * fmin(0, log(bound * (1 + 0x1p-48)));
	}
	return sum;
}

struct nodes {
	double ar[SOTTO_BLOCK], ai[SOTTO_BLOCK]; /* (s+1)/(2s+1) */
	double br[SOTTO_BLOCK], bi[SOTTO_BLOCK]; /* s/(2s+1) */
};

static void prepare(const struct sotto_block *b, struct nodes *v)
{
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double t = b->h * (double)(b->first + j);
		struct cx d = cx_inv(cx_of(2 * b->c + 1, 2 * t));
		struct cx up = cx_mul(cx_of(b->c + 1, t), d), down = cx_mul(cx_of(b->c, t), d);

		v->ar[j] = up.re;
		v->ai[j] = up.im;
		v->br[j] = down.re;
		v->bi[j] = down.im;
	}
}

/* er + i ei = exp(i t e) at the nodes of the block, by doubling from exact sines. */
static void rotate(const struct sotto_block *b, double e, double *er, double *ei)
{
	sincos(b->h * (double)b->first * e, &ei[0], &er[0]);
	for (size_t w = 1; w < SOTTO_BLOCK; w *= 2) {
		double s, c;

		sincos(b->h * (double)w * e, &s, &c);
		for (size_t j = 0; j < w; j++) {
			er[j + w] = er[j] * c - ei[j] * s;
			ei[j + w] = er[j] * s + ei[j] * c;
		}
	}
}

/* z = (A e + B q conj(e))/m; returns the least |z|^2 */
static double evaluate(const struct nodes *v, double e, double c, const double *er,
		       const double *ei, double *zr, double *zi)
{
	double inv = 1 / normaliser(c, e), q = exp(-(2 * c + 1) * e), least = 1;

	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double r = v->ar[j] * er[j] - v->ai[j] * ei[j] +
			   q * (v->br[j] * er[j] + v->bi[j] * ei[j]);
		double i = v->ar[j] * ei[j] + v->ai[j] * er[j] +
			   q * (v->bi[j] * er[j] - v->br[j] * ei[j]);

		zr[j] = r * inv;
		zi[j] = i * inv;
	}
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double size = zr[j] * zr[j] + zi[j] * zi[j];

		least = size < least ? size : least;
	}
	return least;
}

/* One event of its kind whose |z| is nowhere small: the common case in long lists. */
static void multiply_once(struct sotto_block *b, const double *zr, const double *zi)
{
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double r = b->re[j] * zr[j] - b->im[j] * zi[j];
		double i = b->re[j] * zi[j] + b->im[j] * zr[j];

		b->re[j] = r;
		b->im[j] = i;
	}
}

/* Phases lose u t e (node), u t e (argument) and 6 products of 2.5 u; see contour.md. */
static double error_of(const struct sotto_block *b, double e)
{
	double t = b->h * (double)(b->first + SOTTO_BLOCK);

	return SOTTO_U * (40 + 8 * (t + b->c) * e);
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double er[SOTTO_BLOCK], ei[SOTTO_BLOCK], zr[SOTTO_BLOCK], zi[SOTTO_BLOCK];
	double shared = 0;
	struct nodes v;

	(void)state;
	prepare(b, &v);
	for (size_t i = 0; i < law->n; i++) {
		double e = law->loss[i], eta = error_of(b, e), least;

		rotate(b, e, er, ei);
		least = evaluate(&v, e, b->c, er, ei, zr, zi);
		if (law->counts[i] == 1 && least > 0.25) {
			multiply_once(b, zr, zi);
			shared += 2.01 * eta + 2.5 * SOTTO_U;
		} else {
			sotto_block_multiply(b, zr, zi, eta, law->counts[i]);
		}
	}
	for (size_t j = 0; j < b->n; j++) {
		b->relative[j] += expm1(shared) * (1 + b->relative[j]);
		b->absolute[j] *= exp(shared);
	}
}

static void release(struct sotto_law *law)
{
	free(law->loss);
	free(law->counts);
}

const struct sotto_law_class sotto_law_laplace = {
	.cumulants = cumulants,
	.begin = begin,
	.log_decay = log_decay,
	.apply = apply,
	.release = release,
};
