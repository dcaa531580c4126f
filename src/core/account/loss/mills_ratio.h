/*
 * mills_ratio.h - Phi(t)/density(t) of the normal law, to any precision (gaussian_curve.md)
 */
#ifndef SOTTO_MILLS_RATIO_H
#define SOTTO_MILLS_RATIO_H

#include <mpfr.h>

/* From here on, on both sides of 0, the ratio is not computed to more than about 160 bits. */
#define SOTTO_MILLS_FAR 3e4

/*
 * Computes Phi(t)/density(t) for t < SOTTO_MILLS_FAR, with a relative error below 2^-(p - 16), p the precision
 * of out; for t < -SOTTO_MILLS_FAR below 2^-160 if that is more.
 */
void sotto_mills_ratio(mpfr_t out, const mpfr_t t);

#endif
