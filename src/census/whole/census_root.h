/*
 * census_root.h - computes whole numbers for the root
 */
#ifndef SOTTO_CENSUS_ROOT_H
#define SOTTO_CENSUS_ROOT_H

#include "census/whole/census_fractions.h"

/* Rounds the root alone, which has nothing to add up to.  Fails: SOTTO_EINFEASIBLE. */
SOTTO_MUST_CHECK enum sotto_status sotto_whole_root(const struct sotto_census_fractions *f);

#endif
