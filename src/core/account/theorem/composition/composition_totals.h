/*
 * composition_totals.h - the Renyi divergence of a whole workload
 */
#ifndef SOTTO_COMPOSITION_TOTALS_H
#define SOTTO_COMPOSITION_TOTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/account.h"

/*
 * Computes the Renyi divergence of order alpha > 1 of the whole workload, rounded up; INFINITY if
 * none is known.  Fails: SOTTO_EINVAL unless alpha > 1 and finite; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_account_renyi(const struct sotto_workload *w, double alpha, double *divergence);

#endif
