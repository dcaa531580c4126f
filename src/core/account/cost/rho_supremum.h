/*
 * rho_supremum.h - finds the least rho of a finite pair for which no formula is known
 */
#ifndef SOTTO_RHO_SUPREMUM_H
#define SOTTO_RHO_SUPREMUM_H

#include "core/account/loss/finite/finite_pair.h"

/*
 * Returns sup over s > 0 of K(s)/(s(s+1)), rounded up by less than a relative 1e-10 if enough
 * work is allowed.  The pair must have no infinite loss.  Infinite below 1e-250, where a loss
 * bound does as well.
 */
double sotto_supremum_up(const struct sotto_pair *pair, struct sotto_work *work);

#endif
