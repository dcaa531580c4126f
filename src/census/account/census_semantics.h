/*
 * census_semantics.h - what a budget means for one attribute of a person
 */
#ifndef SOTTO_CENSUS_SEMANTICS_H
#define SOTTO_CENSUS_SEMANTICS_H

#include <stdbool.h>

#include "census/plan/census_plan.h"

/*
 * Computes what is spent on the queries that keep or group an attribute, if everything else about
 * a person is known.
 */
void sotto_census_attribute_cost(const struct sotto_census_plan *p, size_t attribute,
				 struct sotto_rational *out);

/* Computes what is spent strictly below a level, if the node of that level is known. */
void sotto_census_geography_cost(const struct sotto_census_plan *p, size_t level,
				 struct sotto_rational *out);

/*
 * Returns whether an invariant from the data looks at the attribute: who knows everybody else can
 * then read it off, whatever was spent.  Neighbours that differ in it alone differ in the
 * invariant, and the guarantee does not speak of them.
 */
bool sotto_census_attribute_is_published(const struct sotto_census_plan *p, size_t attribute);

/* Returns the same of the place below a level: an invariant from the data lies below it. */
bool sotto_census_place_is_published(const struct sotto_census_plan *p, size_t level);

#endif
