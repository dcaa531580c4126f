/*
 * channel_integers.h - fractions over one denominator, so that sums and comparisons need no gcd
 */
#ifndef SOTTO_INSIDE_CHANNEL_INTEGERS_H
#define SOTTO_INSIDE_CHANNEL_INTEGERS_H

#include <gmp.h>
#include <stddef.h>

#include "channel/matrix/channel_matrix.h"

/* Allocates n zeros; NULL if out of memory. */
mpz_t *sotto_integers_new(size_t n);
void sotto_integers_free(mpz_t *x, size_t n); /* x may be NULL */

/*
 * Computes the numerators of n cells, `stride` apart, over their least common denominator; out
 * has n places, or is NULL if only the denominator is needed.
 */
void sotto_integers_of(const mpq_t *cells, size_t stride, size_t n, mpz_t *out,
		       mpz_t denominator);

#endif
