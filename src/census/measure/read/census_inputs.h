/*
 * census_inputs.h - reads everything that a release needs and checks that its constraints can
 * hold
 */
#ifndef SOTTO_CENSUS_INPUTS_H
#define SOTTO_CENSUS_INPUTS_H

#include "census/measure/census_world.h"

/* What may be read. */
struct sotto_census_access {
	/*
	 * The private counts may be read; if not, invariants from the data are unknown and not
	 * checked.
	 */
	bool data;
	const char *policy; /* the policy whose table the input must be, or NULL */
	uint64_t memory; /* bytes that the engine may use; 0: its default */
	struct sotto_census_meter sealing, reading; /* of the private input */
};

/*
 * Reads the inputs.
 *
 * Fails:    SOTTO_EPARSE, SOTTO_EMISSING for plan and input, SOTTO_EINFEASIBLE, SOTTO_EBUDGET for
 *           a policy that does not fit, SOTTO_EIO.  Pair with sotto_census_world_close in any
 *           case.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_world_open(struct sotto_census_world *w, const char *plan,
			const struct sotto_census_access *access, struct sotto_error *err);

#endif
