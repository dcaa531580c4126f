/*
 * renyi_filter.h - a budget for mechanisms that only have a Renyi curve
 */
#ifndef SOTTO_RENYI_FILTER_H
#define SOTTO_RENYI_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/cost.h"

/*
 * A filter over a list of Renyi orders.  Order j gets delta/m; the interaction may continue while
 * at least one order has room.  Costs are doubles that the caller rounded up.
 */
struct sotto_renyi_filter;

/*
 * Makes a filter.
 *
 * Fails:    SOTTO_EINVAL unless every order is above 1, 0 < n <= 4096, epsilon > 0 and 0 < delta
 *           < 1; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_renyi_filter_new(const double *orders, size_t n, const struct sotto_rational *epsilon,
		       const struct sotto_rational *delta, struct sotto_renyi_filter **out);
void sotto_renyi_filter_free(struct sotto_renyi_filter *f);

/*
 * Charges a release whose Renyi divergence at orders[j] is divergence[j] >= 0 (INFINITY where
 * unknown).  Returns SOTTO_OK if it was charged, SOTTO_EBUDGET if it does not fit and nothing
 * changed.  Fails also: SOTTO_EINVAL for a NaN or a negative divergence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_renyi_filter_admit(struct sotto_renyi_filter *f, const double *divergence);

#endif
