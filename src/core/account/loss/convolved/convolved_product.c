/*
 * One complex transform has those of both laws; errors are carried place by place, so that where the product is small its error
 * is small too (convolved.md).
 */
#include "core/account/loss/convolved/convolved_product.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/law.h"
#include "core/base/failure.h"

enum sotto_status sotto_convolved_product_init(struct sotto_convolved_product *x, size_t n)
{
	size_t half = n / 2 + 1;

	*x = (struct sotto_convolved_product){
		.points = calloc(n, sizeof *x->points),
		.p = malloc(half * sizeof *x->p),
		.q = malloc(half * sizeof *x->q),
		.error = calloc(half, sizeof *x->error),
	};
	if (!x->points || !x->p || !x->q || !x->error)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < half; i++)
		x->p[i] = x->q[i] = cx_of(1, 0);
	return sotto_fft_init(&x->fft, n);
}

void sotto_convolved_product_release(struct sotto_convolved_product *x)
{
	free(x->points);
	free(x->p);
	free(x->q);
	free(x->error);
	sotto_fft_release(&x->fft);
}

/* By squaring: k - 1 factors at most, each of which adds an error of a product. */
static struct cx power(struct cx z, double k)
{
	struct cx y = cx_of(1, 0);

	for (; k > 1; k = floor(k / 2)) {
		if (fmod(k, 2) == 1)
			y = cx_mul(y, z);
		z = cx_mul(z, z);
	}
	return cx_mul(y, z);
}

/* |z| of a transform that may err by this: the truth is 1 at most. */
static double size_of(struct cx z, double error)
{
	return fmin(1, cx_abs(z) * (1 + 4 * SOTTO_U) + error);
}

/* z times f to the power of count; returns the size of the factor, and of what the factor errs by. */
static double multiply(struct cx *z, struct cx f, double count, double each, double *error)
{
	double size = size_of(f, each),
	       rest = count > 1 ? pow(size, count - 1) * (1 + 1e-9) : 1;

	*z = cx_mul(*z, power(f, count));
	*error = 1.01 * count * (each + 2.5 * SOTTO_U) * rest;
	return fmin(1, rest * size);
}

static void multiply_at(struct sotto_convolved_product *x, size_t i, double count, double each)
{
	size_t n = x->fft.n, j = (n - i) & (n - 1);
	struct cx a = x->points[i], b = x->points[j];
	struct cx p = cx_of((a.re + b.re) / 2, (a.im - b.im) / 2),
		  q = cx_of((a.im + b.im) / 2, (b.re - a.re) / 2);
	double before = fmax(size_of(x->p[i], x->error[i]), size_of(x->q[i], x->error[i])),
	       of_p, of_q, size;

	size = fmax(multiply(&x->p[i], p, count, each, &of_p),
		    multiply(&x->q[i], q, count, each, &of_q));
	x->error[i] = (x->error[i] * size + before * fmax(of_p, of_q) +
		       2.5 * SOTTO_U * before * size) *
		      1.01;
}

void sotto_convolved_product_multiply(struct sotto_convolved_product *x, double count)
{
	size_t n = x->fft.n;
	/* the masses of both laws sum to 1 each; half a sum and half a difference err by no more */
	double each = 2.02 * sotto_fft_error(&x->fft) + 2 * SOTTO_U;

	sotto_fft_run(&x->fft, x->points);
	for (size_t i = 0; i <= n / 2; i++)
		multiply_at(x, i, count, each);
	for (size_t i = 0; i < n; i++)
		x->points[i] = cx_of(0, 0);
}

/* The inverse is the transform of the conjugate, conjugate; which turns the law around or not. */
double sotto_convolved_product_invert(struct sotto_convolved_product *x)
{
	size_t n = x->fft.n;
	double sum = 0, error = 0;

	for (size_t i = 0; i < n; i++) {
		size_t j = i <= n / 2 ? i : n - i;
		double sign = i <= n / 2 ? 1 : -1;
		struct cx p = x->p[j], q = x->q[j];

		/* the conjugate of P + iQ, where P and Q at n - j are conjugate to those at j */
		x->points[i] = cx_of(p.re - sign * q.im, -sign * p.im - q.re);
		sum += cx_abs(p) + cx_abs(q);
		error += 2 * x->error[j];
	}
	sotto_fft_run(&x->fft, x->points);
	for (size_t i = 0; i < n; i++)
		x->points[i] = cx_of(x->points[i].re / (double)n, -x->points[i].im / (double)n);
	return 1.01 * (error + (sotto_fft_error(&x->fft) + 4 * SOTTO_U) * sum) / (double)n;
}

double sotto_convolved_product_steps(size_t n)
{
	return (double)n * (log2((double)n) + 12);
}
