/*
 * census_charge.h - charges a release to the ledger
 */
#ifndef SOTTO_CENSUS_CHARGE_H
#define SOTTO_CENSUS_CHARGE_H

#include "census/publish/census_state.h"
#include "sotto/census.h"

/*
 * Charges the release unless that was done: the entry contains the state's name, so that a
 * release that was interrupted after the charge, before that was recorded, is not charged twice.
 *
 * Fails:    SOTTO_EBUDGET: nothing was charged.  SOTTO_EIO, SOTTO_ECORRUPT: it may have been.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_charge(const struct sotto_census_request *r, const struct sotto_census_plan *p,
		    const struct sotto_census_state *s, struct sotto_error *err);

/* Checks that ledger and plan count the same neighbours.  Fails: SOTTO_EBUDGET. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_check_neighbours(const struct sotto_census_request *r,
			      const struct sotto_census_plan *p, struct sotto_error *err);

/* Records in the ledger that the release was completed; a failure here changes no cost. */
void sotto_census_charge_done(const struct sotto_census_request *r,
			      const struct sotto_census_state *s);

#endif
