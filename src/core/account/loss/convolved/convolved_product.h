/*
 * convolved_product.h - the transform of a sum of losses as a product, with its error
 */
#ifndef SOTTO_CONVOLVED_PRODUCT_H
#define SOTTO_CONVOLVED_PRODUCT_H

#include <stddef.h>

#include "core/account/integral/complex.h"
#include "core/account/integral/fft.h"
#include "sotto/status.h"

/* Of two laws side by side: the real and the imaginary parts of the points. */
struct sotto_convolved_product {
	struct sotto_fft fft;
	struct cx *points; /* to be filled: masses of an event that sum to 1, P + iQ */
	struct cx *p, *q; /* half of the transforms: the other half is conjugate */
	double *error; /* of either, at each place */
};

/* Release it in any case.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_convolved_product_init(struct sotto_convolved_product *x, size_t n);
void sotto_convolved_product_release(struct sotto_convolved_product *x);

/* Multiplies by the transform of the points, count times; the points are used up. */
void sotto_convolved_product_multiply(struct sotto_convolved_product *x, double count);

/* Makes the points those of the product.  Returns what each of them may err by. */
double sotto_convolved_product_invert(struct sotto_convolved_product *x);

/* What a multiplication, or the inverse, takes (work.h). */
double sotto_convolved_product_steps(size_t n);

#endif
