/*
 * census_counts.h - reads the private counts of all leaves from the input
 */
#ifndef SOTTO_CENSUS_COUNTS_H
#define SOTTO_CENSUS_COUNTS_H

#include "census/measure/census_world.h"

struct sotto_engine;

/*
 * Fills w->truth, after the leaves were read.  The engine aggregates a part of the leaves at a
 * time, so that none of its answers is large; files sorted like the leaves are read fastest.
 *
 * Fails:    SOTTO_EMISSING for a record that the plan does not allow.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_census_read_counts(struct sotto_engine *e,
							    struct sotto_census_world *w,
							    struct sotto_error *err);

/*
 * Checks that no unit of the policy's table has more than one record.  Fails: SOTTO_EBUDGET if
 * one has.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_census_verify_unit(struct sotto_engine *e,
							    struct sotto_census_world *w,
							    struct sotto_error *err);

#endif
