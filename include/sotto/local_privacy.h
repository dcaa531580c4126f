/*
 * sotto/local_privacy.h - what a collection really costs each device
 */
#ifndef SOTTO_LOCAL_PRIVACY_H
#define SOTTO_LOCAL_PRIVACY_H

#include <stdint.h>

#include "sotto/client.h"
#include "sotto/rational.h"

/*
 * All epsilons are those of the integers in the parameters, as doubles rounded
 * up (INFINITY where there is no bound).
 */
struct sotto_local_privacy {
	struct sotto_rational odds; /* e^epsilon of one report, exactly */
	double report; /* one report */
	double after; /* the asked number of reports of one value */
	double permanent; /* any number of reports of one value */
	double lifetime; /* any number of reports of any values */
};

SOTTO_API void sotto_local_privacy_init(struct sotto_local_privacy *p);
SOTTO_API void sotto_local_privacy_release(struct sotto_local_privacy *p);

/*
 * Privacy:  for all values x, x' and reports y: P(y|x) <= odds P(y|x'), and no
 *           smaller number holds.  Other metrics of the same device add up.
 * Fails:    SOTTO_EINVAL for parameters that do not hold together, SOTTO_ERANGE
 *           for no reports or more than 10^6.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_privacy_state(const struct sotto_client_params *params, uint64_t reports,
			  struct sotto_local_privacy *out);

/* What an analyst who sees only the shuffled reports of users can learn, both rounded up. */
struct sotto_local_shuffled {
	double clone; /* by the accountant's numeric clone pair */
	double closed; /* by the bound in closed form; INFINITY where it does not apply */
};

/*
 * The central epsilon at delta of `users` reports of this epsilon each, shuffled.
 *
 * Privacy:  holds if nothing but the reports reaches the analyst: no ids, no cohort
 *           tags, no order; neighbours replace one user.
 * Fails:    SOTTO_EINVAL unless epsilon > 0 is finite, users > 0 and 0 < delta < 1;
 *           SOTTO_ENOMEM, SOTTO_ERANGE.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_shuffle(double epsilon, uint64_t users, const struct sotto_rational *delta,
		    struct sotto_local_shuffled *out);

#endif
