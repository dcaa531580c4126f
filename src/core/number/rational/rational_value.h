/*
 * rational_value.h - what a rational of the caller's holds
 *
 * A zeroed struct sotto_rational is a valid zero, but GMP knows no fraction
 * without a denominator: whoever reads one that came from outside reads it
 * through this.
 */
#ifndef SOTTO_RATIONAL_VALUE_H
#define SOTTO_RATIONAL_VALUE_H

#include <gmp.h>

#include "sotto/rational.h"

/* The fraction; for a zeroed struct 0/1.  Borrowed from r. */
mpq_srcptr sotto_rational_value(const struct sotto_rational *r);

/* r, or for a zeroed struct (and NULL for NULL) a zero that GMP takes. */
const struct sotto_rational *sotto_rational_settled(const struct sotto_rational *r);

#endif
