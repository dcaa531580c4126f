/*
 * closed_renyi.h - converts a list of Renyi divergences at a delta
 */
#ifndef SOTTO_CLOSED_RENYI_H
#define SOTTO_CLOSED_RENYI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/account.h"

/* The epsilon that a list of Renyi divergences gives at a delta. */
struct sotto_closed_renyi {
	double epsilon; /* rounded up */
	size_t best; /* the index in the list that gave it */
	bool edge; /* that is the first or the last: a longer list may give less */
};

/*
 * Converts the list.  orders increase and are above 1; a divergence may be INFINITY (no bound at
 * this order).
 * Fails:    SOTTO_EINVAL otherwise, for an empty list or a negative delta.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_closed_renyi_up(const double *orders, const double *divergences, size_t n,
		      const struct sotto_rational *delta, struct sotto_closed_renyi *out);

#endif
