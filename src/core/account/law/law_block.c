/* Products of laws at many nodes of the contour, with bounds of their error. */
#include "core/account/law/law.h"

#include <math.h>

#include "core/account/integral/complex.h"

/* Below this |z| the error is carried as an absolute one. */
#define SMALL 0.5

/* From this count on a power is taken through the logarithm, which loses less. */
#define MANY 64

/* log of a factor that makes a node worth nothing beside the first. */
#define NEGLIGIBLE (-75.0)

/* z^k for z = 1 + d; *rounding bounds the relative error of the power itself. */
static struct cx power(struct cx d, uint64_t k, double *rounding)
{
	double n = (double)k, log_size, angle;

	if (k < MANY) {
		*rounding = SOTTO_U * (2 + 2.5 * n);
		return cx_power(cx_of(1 + d.re, d.im), k);
	}
	log_size = 0.5 * log1p(d.re * (2 + d.re) + d.im * d.im);
	angle = atan2(d.im, 1 + d.re);
	*rounding = SOTTO_U * (8 + 4 * n * (fabs(log_size) + fabs(angle)));
	return cx_exp(n * log_size, n * angle);
}

/* The change of the error bounds at node j when the product is multiplied by z^k. */
static void
carry_error(struct sotto_block *b, size_t j, double az, double eta, double k, double rounding)
{
	double before = cx_abs(cx_of(b->re[j], b->im[j]));

	if (az >= SMALL) {
		double more = expm1(k * eta / az + rounding);

		b->relative[j] += more * (1 + b->relative[j]);
		b->absolute[j] *= 1 + more;
	} else {
		double base = az + eta, fall = pow(base, k - 1);

		b->absolute[j] = b->absolute[j] * fall * base +
				 k * eta * fall * before * (1 + b->relative[j]) + 0x1p-1000;
		b->relative[j] += expm1(rounding) * (1 + b->relative[j]);
	}
}

/* A power far below everything that matters is 0, up to an absolute error. */
static bool drop(struct sotto_block *b, size_t j, double base, double k)
{
	double power;

	if (!(base < 1) || k * (base - 1) > NEGLIGIBLE || k * log(base) > NEGLIGIBLE)
		return false;
	power = exp(k * log(base) * (1 - 0x1p-40));
	b->absolute[j] =
		(b->absolute[j] + cx_abs(cx_of(b->re[j], b->im[j])) * (1 + b->relative[j])) *
		power * (1 + 0x1p-40);
	b->re[j] = b->im[j] = 0;
	return true;
}

/*
 * One event: z (1 + d), with d wrong by eta.  What is wrong already grows or shrinks with |1 + d|, and
 * eta times the size of z comes on top: nothing has to be told apart.
 */
static void multiply_once(struct sotto_block *b, const double *dr, const double *di, double eta)
{
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double r = b->re[j], i = b->im[j], x = 1 + dr[j];
		double size = sqrt(r * r + i * i), factor = sqrt(x * x + di[j] * di[j]);

		b->absolute[j] = b->absolute[j] * (factor + eta) * (1 + 8 * SOTTO_U) +
				 eta * size * (1 + b->relative[j]) * (1 + 8 * SOTTO_U) +
				 0x1p-1000;
		b->relative[j] += 4 * SOTTO_U * (1 + b->relative[j]);
		b->re[j] = r + (r * dr[j] - i * di[j]);
		b->im[j] = i + (r * di[j] + i * dr[j]);
	}
}

void sotto_block_multiply(struct sotto_block *b, const double *dr, const double *di, double eta,
			  uint64_t count)
{
	if (count == 1 && b->n == SOTTO_BLOCK) {
		multiply_once(b, dr, di, eta);
		return;
	}
	for (size_t j = 0; j < b->n; j++) {
		struct cx d = cx_of(dr[j], di[j]), f;
		double rounding, az = cx_abs(cx_of(1 + d.re, d.im));

		if (drop(b, j, az + eta, (double)count))
			continue;
		f = power(d, count, &rounding);
		carry_error(b, j, az, eta, (double)count, rounding + 2.5 * SOTTO_U);
		f = cx_mul(cx_of(b->re[j], b->im[j]), f);
		b->re[j] = f.re;
		b->im[j] = f.im;
	}
}

void sotto_block_blur(struct sotto_block *b)
{
	for (size_t j = 0; j < b->n; j++) {
		b->absolute[j] += cx_abs(cx_of(b->re[j], b->im[j])) * (1 + b->relative[j]) *
				  (1 + 8 * SOTTO_U);
		b->re[j] = b->im[j] = b->relative[j] = 0;
	}
}

bool sotto_block_fades(struct sotto_block *b, double faded)
{
	double bound[SOTTO_BLOCK], most = 0;

	for (size_t j = 0; j < b->n; j++) {
		bound[j] = (fabs(b->re[j]) + fabs(b->im[j])) * (1 + b->relative[j]) +
			   b->absolute[j];
		most = bound[j] > most ? bound[j] : most;
	}
	if (!(most < faded))
		return false;
	for (size_t j = 0; j < b->n; j++) {
		b->re[j] = b->im[j] = 0;
		b->relative[j] = 0;
		b->absolute[j] = bound[j] * (1 + 0x1p-50);
	}
	return true;
}

/* Each turn is the square of the last, so that the longest is wrong by some 16 u. */
void sotto_block_turns(const struct sotto_block *b, double loss, double *xr, double *xi)
{
	double r, i;

	sotto_turn(b->h * (double)b->first * loss, &xr[0], &xi[0]);
	sotto_turn(b->h * loss, &r, &i);
	for (size_t k = 1; k < SOTTO_BLOCK; k *= 2) {
		double square = 2 * r + (r * r - i * i);

		for (size_t j = 0; j < k; j++) {
			xr[j + k] = xr[j] + r + (xr[j] * r - xi[j] * i);
			xi[j + k] = xi[j] + i + (xr[j] * i + xi[j] * r);
		}
		i = 2 * i + 2 * r * i;
		r = square;
	}
}

void sotto_block_add_atom(const struct sotto_block *b, double loss, double weight, double *dr,
			  double *di)
{
	double xr[SOTTO_BLOCK], xi[SOTTO_BLOCK];

	sotto_block_turns(b, loss, xr, xi);
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		dr[j] += weight * xr[j];
		di[j] += weight * xi[j];
	}
}

double sotto_ladder_log(const struct sotto_ladder *l, double t, double count)
{
	double most = 0, shrink = 1, rung = l->first; /* shrink of 1 - |phi(t)|^2 */
	int i = -1; /* the last rung up to t, at most; then up to 2t, 4t, ... */

	for (; i + 1 < l->n && rung <= t; rung *= 2)
		i++;
	for (int doublings = 0; doublings < 40 && i < l->n; doublings++, shrink /= 4) {
		if (i >= 0) {
			double bound = l->bound[i];

			most = fmax(most, (1 - bound * bound) * shrink);
		}
		t *= 2;
		if (i >= 0)
			i++;
		else if (l->n > 0 && l->first <= t)
			i = 0;
	}
	return 0.5 * count * log1p(-most * (1 - 0x1p-50));
}

double
sotto_ladder_decay(const struct sotto_law *law, void *state, double c, double t, double end)
{
	(void)c;
	(void)end;
	return sotto_ladder_log(state, t, (double)law->count);
}
