/*
 * dots.h - one row against four, for the dense systems of regression
 *
 * Eight sums run side by side and are added up in one order on every processor, so
 * that results do not depend on it.
 */
#ifndef SOTTO_DOTS_H
#define SOTTO_DOTS_H

#include <stddef.h>

/* out[k] = sum over i < n of a[i] b[k * stride + i], k < 4 */
typedef void (*sotto_dots)(const double *a, const double *b, size_t stride, size_t n,
			   double out[4]);

void sotto_dots_portable(const double *a, const double *b, size_t stride, size_t n,
			 double out[4]);
void sotto_dots_avx2(const double *a, const double *b, size_t stride, size_t n, double out[4]);
void sotto_dots_avx512(const double *a, const double *b, size_t stride, size_t n,
		       double out[4]);

/* The best that this processor has. */
sotto_dots sotto_dots_choose(void);

#endif
