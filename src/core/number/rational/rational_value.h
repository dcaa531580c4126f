/*
 * rational_value.h - reads a rational that the caller gave
 *
 * A zeroed struct sotto_rational is a valid zero, but GMP has no fraction without a denominator.
 * A rational from outside is read only through these functions.
 */
#ifndef SOTTO_RATIONAL_VALUE_H
#define SOTTO_RATIONAL_VALUE_H

#include <gmp.h>

#include "sotto/rational.h"

/* Returns the fraction, 0/1 for a zeroed struct.  Borrowed from r. */
mpq_srcptr sotto_rational_value(const struct sotto_rational *r);

/* Returns r, or a zero that GMP accepts if r is a zeroed struct; NULL for NULL. */
const struct sotto_rational *sotto_rational_settled(const struct sotto_rational *r);

#endif
