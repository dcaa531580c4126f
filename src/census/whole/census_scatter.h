/*
 * census_scatter.h - breaks ties between equal fractions at random, before they are rounded
 */
#ifndef SOTTO_CENSUS_SCATTER_H
#define SOTTO_CENSUS_SCATTER_H

#include <stddef.h>

#include "sotto/rng.h"
#include "sotto/status.h"

/*
 * Moves each of n cells that are above 0 at random, within the accuracy of the optimum
 * (rounding.md, "Equals").  Fails: SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_scatter(double *x, size_t n, struct sotto_rng *rng);

#endif
