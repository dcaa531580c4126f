/*
 * complex.h - complex numbers in doubles, without the NaN rules of <complex.h>
 *
 * A product has relative error below 2.3 u (sqrt(5) u, Brent, Percival and
 * Zimmermann 2007), which the error bounds of the callers count as 2.5 u.
 */
#ifndef SOTTO_COMPLEX_H
#define SOTTO_COMPLEX_H

#include <math.h>

struct cx {
	double re, im;
};

static inline struct cx cx_of(double re, double im)
{
	return (struct cx){re, im};
}

static inline struct cx cx_add(struct cx a, struct cx b)
{
	return cx_of(a.re + b.re, a.im + b.im);
}

static inline struct cx cx_sub(struct cx a, struct cx b)
{
	return cx_of(a.re - b.re, a.im - b.im);
}

static inline struct cx cx_mul(struct cx a, struct cx b)
{
	return cx_of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

static inline struct cx cx_scale(struct cx a, double x)
{
	return cx_of(a.re * x, a.im * x);
}

static inline double cx_abs(struct cx a)
{
	return sqrt(a.re * a.re + a.im * a.im);
}

static inline struct cx cx_inv(struct cx a)
{
	double d = 1 / (a.re * a.re + a.im * a.im);

	return cx_of(a.re * d, -a.im * d);
}

static inline struct cx cx_div(struct cx a, struct cx b)
{
	return cx_mul(a, cx_inv(b));
}

/* exp(x + iy) */
static inline struct cx cx_exp(double x, double y)
{
	double s, c, e = exp(x);

	sincos(y, &s, &c);
	return cx_of(e * c, e * s);
}

/* exp(x + iy) - 1 without cancellation near 0 */
static inline struct cx cx_expm1(double x, double y)
{
	double s, c, half, e1 = expm1(x);

	sincos(y, &s, &c);
	half = sin(0.5 * y);
	return cx_of(e1 * c - 2 * half * half, (1 + e1) * s);
}

/* z^k by repeated squaring: relative error below 2.5 k u on top of z's own */
static inline struct cx cx_power(struct cx z, unsigned long k)
{
	struct cx r = {1, 0};

	for (;;) {
		if (k & 1)
			r = cx_mul(r, z);
		k >>= 1;
		if (!k)
			return r;
		z = cx_mul(z, z);
	}
}

#endif
