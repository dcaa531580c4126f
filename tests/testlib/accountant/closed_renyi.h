/*
 * closed_renyi.h - what a list of Renyi divergences says at a delta
 */
#ifndef SOTTO_CLOSED_RENYI_H
#define SOTTO_CLOSED_RENYI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/account.h"

/* What a list of Renyi divergences says at a delta. */
struct sotto_closed_renyi {
	double epsilon; /* rounded up */
	size_t best; /* which of the list gave it */
	bool edge; /* that is the first or the last: a longer list may give less */
};

/*
 * orders rise and are more than 1; a divergence may be INFINITY (no bound at this order).
 * Fails: SOTTO_EINVAL otherwise, for an empty list or a negative delta.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_closed_renyi_up(const double *orders, const double *divergences, size_t n,
		      const struct sotto_rational *delta, struct sotto_closed_renyi *out);

#endif
