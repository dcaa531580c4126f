/*
 * census_split.h - computes the cells of each group, attribute by attribute
 */
#ifndef SOTTO_CENSUS_SPLIT_H
#define SOTTO_CENSUS_SPLIT_H

#include "census/whole/census_table.h"

/*
 * Computes the cells of each group, given the groups of each child (b->x).  Fails as
 * sotto_whole_table_round does.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_whole_split_groups(const struct sotto_census_fractions *f,
			 const struct sotto_whole_table *b, struct sotto_transport_work *work);

#endif
