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

#endif
