/*
 * Radix 2 in place; the factors come from sines of the first eighth of a turn in long double,
 * so that each level adds a known error.
 */
#include "core/account/integral/fft.h"

#include <math.h>
#include <stdlib.h>

/* Relative error that one level adds, in units u: fft.md. */
#define LEVEL_ERROR 5.5

/* The first eighth of a turn has all the sines there are; n is a power of 2, at least 8. */
enum sotto_status sotto_fft_init(struct sotto_fft *f, size_t n)
{
	const long double whole = 6.283185307179586476925286766559L;

	*f = (struct sotto_fft){n, malloc(n / 2 * sizeof *f->turns)};
	if (!f->turns)
		return SOTTO_ENOMEM;
	for (size_t k = 0; k <= n / 8; k++) {
		long double s, c;

		sincosl(whole * (long double)k / (long double)n, &s, &c);
		f->turns[k] = cx_of((double)c, (double)s);
	}
	for (size_t k = n / 8 + 1; k <= n / 4; k++)
		f->turns[k] = cx_of(f->turns[n / 4 - k].im, f->turns[n / 4 - k].re);
	for (size_t k = n / 4 + 1; k < n / 2; k++)
		f->turns[k] = cx_of(-f->turns[n / 2 - k].re, f->turns[n / 2 - k].im);
	return SOTTO_OK;
}

void sotto_fft_release(struct sotto_fft *f)
{
	free(f->turns);
	f->turns = NULL;
}

static void reverse_bits(struct cx *z, size_t n)
{
	for (size_t i = 1, j = 0; i < n; i++) {
		size_t bit = n >> 1;

		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			struct cx swap = z[i];

			z[i] = z[j];
			z[j] = swap;
		}
	}
}

void sotto_fft_run(const struct sotto_fft *f, struct cx *z)
{
	reverse_bits(z, f->n);
	for (size_t half = 1; half < f->n; half *= 2) {
		size_t stride = f->n / (2 * half);

		for (size_t start = 0; start < f->n; start += 2 * half)
			for (size_t k = 0; k < half; k++) {
				struct cx *a = &z[start + k], *b = a + half;
				struct cx t = cx_mul(*b, f->turns[k * stride]);

				*b = cx_sub(*a, t);
				*a = cx_add(*a, t);
			}
	}
}

double sotto_fft_error(const struct sotto_fft *f)
{
	return LEVEL_ERROR * 0x1p-53 * log2((double)f->n) * 1.001;
}
