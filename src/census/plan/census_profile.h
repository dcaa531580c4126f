/*
 * census_profile.h - published budgets as plans
 */
#ifndef SOTTO_CENSUS_PROFILE_H
#define SOTTO_CENSUS_PROFILE_H

/* Both return static text. */

/* Returns the YAML text of a profile; NULL if there is none of this name. */
const char *sotto_census_profile(const char *name);

/* Returns "a, b, c". */
const char *sotto_census_profile_names(void);

#endif
