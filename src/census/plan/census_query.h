/*
 * census_query.h - finds levels, categories and queries by name
 */
#ifndef SOTTO_CENSUS_QUERY_H
#define SOTTO_CENSUS_QUERY_H

#include "census/plan/census_plan.h"

/* Returns the level of this name; SIZE_MAX if there is none. */
size_t sotto_census_level_find(const struct sotto_census_plan *p, const char *name);

/* Returns the category of this name; SIZE_MAX if there is none. */
size_t sotto_census_category_find(const struct sotto_census_attribute *a, const char *name);

/*
 * Finds the query of this name ("a*b", "total", "detailed", groupings); adds it to the plan's
 * list if it is new.  Fails: SOTTO_EPARSE, err has the sentence without a place.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_census_query_find(struct sotto_census_plan *p,
							   const char *name, size_t *out,
							   struct sotto_error *err);

/* True if the query keeps or groups the attribute. */
bool sotto_census_query_uses(const struct sotto_census_query *q, size_t attribute);

/* Returns the query's cell for a person with these categories. */
size_t sotto_census_query_cell(const struct sotto_census_plan *p,
			       const struct sotto_census_query *q, const uint32_t *categories);

#endif
