/*
 * census_scatter.h - random choice between equal fractions, before they are rounded
 */
#ifndef SOTTO_CENSUS_SCATTER_H
#define SOTTO_CENSUS_SCATTER_H

#include <stddef.h>

#include "sotto/rng.h"
#include "sotto/status.h"

/*
 * Moves each of n cells that are above 0 by a lot, within what the optimum is known to
 * (rounding.md, "Equals").  Fails: SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_scatter(double *x, size_t n, struct sotto_rng *rng);

#endif
