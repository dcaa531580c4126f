/*
 * key_threshold.h - the noisy number of units from which a private key is shown
 */
#ifndef SOTTO_KEY_THRESHOLD_H
#define SOTTO_KEY_THRESHOLD_H

#include <stdbool.h>

#include "central/price/laplace_or_gaussian.h"

struct sotto_key_threshold {
	size_t measure; /* that counts units; SIZE_MAX: keys are public, all are shown */
	int64_t least; /* noisy units */
};

/*
 * Privacy:  a key that one unit has alone is shown with probability at most delta, over
 *           all `groups` keys that the unit can bring.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_key_threshold_set(struct sotto_key_threshold *t, const struct sotto_added_noise *noise,
			int64_t groups, const struct sotto_rational *delta);

/* Is the key of this group shown?  values has all noisy measures of the group. */
bool sotto_key_threshold_passes(const struct sotto_key_threshold *t,
				const struct sotto_noisy *values);

#endif
