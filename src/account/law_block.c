#include "account/law.h"

#include <math.h>

#include "account/cx.h"

/* Below this |z| the error is carried as an absolute one. */
#define SMALL 0.5

/* The change of the error bounds at node j when the product is multiplied by z^k. */
static void carry_error(struct sotto_block *b, size_t j, double az, double eta, double k)
{
	double before = hypot(b->re[j], b->im[j]);

	if (az >= SMALL) {
		b->relative[j] += expm1(k * (eta / az + 2.5 * SOTTO_U)) * (1 + b->relative[j]);
		b->absolute[j] *= 1 + expm1(k * eta);
	} else {
		double base = az + eta, power = pow(base, k - 1);

		b->absolute[j] = b->absolute[j] * power * base +
				 k * eta * power * before * (1 + b->relative[j]) + 0x1p-1000;
		b->relative[j] += 2.5 * SOTTO_U * k;
	}
}

void sotto_block_multiply(struct sotto_block *b, const double *zr, const double *zi, double eta,
			  uint64_t count)
{
	for (size_t j = 0; j < b->n; j++) {
		struct cx z = cx_of(zr[j], zi[j]), f;

		carry_error(b, j, cx_abs(z), eta, (double)count);
		f = cx_mul(cx_of(b->re[j], b->im[j]), cx_power(z, count));
		b->relative[j] += 2.5 * SOTTO_U;
		b->re[j] = f.re;
		b->im[j] = f.im;
	}
}

double sotto_ladder_log(const struct sotto_ladder *l, double t, double count)
{
	double most = 0, shrink = 1; /* of 1 - |phi(t)|^2 */

	for (int doublings = 0; doublings < 40; doublings++, shrink /= 4) {
		double u = ldexp(t, doublings), bound = 1;

		for (int i = 0; i < l->n && ldexp(l->first, i) <= u; i++)
			bound = l->bound[i];
		most = fmax(most, (1 - bound * bound) * shrink);
	}
	return 0.5 * count * log1p(-most * (1 - 0x1p-50));
}
