/*
 * census_charge.h - a release's entry in the ledger
 */
#ifndef SOTTO_CENSUS_CHARGE_H
#define SOTTO_CENSUS_CHARGE_H

#include "census/publish/census_state.h"
#include "sotto/census.h"

/*
 * Charges the release if that was not done yet: the state's name stands in the entry, so that a
 * release that was interrupted between charge and note is not charged twice.
 *
 * Fails:    SOTTO_EBUDGET: nothing was charged.  SOTTO_EIO, SOTTO_ECORRUPT: it may have been.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_charge(const struct sotto_census_request *r, const struct sotto_census_plan *p,
		    const struct sotto_census_state *s, struct sotto_error *err);

/* That ledger and plan count the same neighbours.  Fails: SOTTO_EBUDGET. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_check_neighbours(const struct sotto_census_request *r,
			      const struct sotto_census_plan *p, struct sotto_error *err);

/* Notes in the ledger that the release was completed; what fails here changes no cost. */
void sotto_census_charge_done(const struct sotto_census_request *r,
			      const struct sotto_census_state *s);

#endif
