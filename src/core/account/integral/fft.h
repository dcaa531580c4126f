/*
 * fft.h - the discrete Fourier transform, with an error bound (fft.md)
 */
#ifndef SOTTO_FFT_H
#define SOTTO_FFT_H

#include <stddef.h>

#include "core/account/integral/complex.h"
#include "sotto/status.h"

struct sotto_fft {
	size_t n;
	struct cx *turns; /* exp(2 pi i k/n), k < n/2 */
};

/* Prepares a transform; n is a power of two, at least 2.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_fft_init(struct sotto_fft *f, size_t n);
void sotto_fft_release(struct sotto_fft *f);

/* Replaces z_k by the sum of z_j exp(2 pi i j k/n). */
void sotto_fft_run(const struct sotto_fft *f, struct cx *z);

/* Returns the error bound: no result is off by more than this times the sum of all |z_j|. */
double sotto_fft_error(const struct sotto_fft *f);

#endif
