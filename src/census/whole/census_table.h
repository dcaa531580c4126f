/*
 * census_table.h - tables of a family that are being rounded, and what the steps share
 */
#ifndef SOTTO_CENSUS_TABLE_H
#define SOTTO_CENSUS_TABLE_H

#include "census/whole/census_fractions.h"

/* A table with room for its arrays. */
struct sotto_whole_table {
	struct sotto_transport t;
	int64_t *memory, *want, *rows, *columns, *low, *high, *x, *weights;
};

/* Converts people to parts; a negative number becomes 0. */
int64_t sotto_whole_scaled(double x, int64_t unit);

/* Makes a table of zeros with weights 1.  The caller frees `memory`.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_whole_table_init(struct sotto_whole_table *b, const struct sotto_census_fractions *f,
		       size_t rows, size_t columns);

/* Fills b->x by the family's kind of rounding.  Fails as sotto_transport_round does. */
SOTTO_MUST_CHECK enum sotto_status
sotto_whole_table_round(struct sotto_whole_table *b, const struct sotto_census_fractions *f,
			struct sotto_transport_work *work);

/* Returns the group of column k. */
static inline size_t sotto_whole_group(const struct sotto_census_fractions *f, size_t k)
{
	return f->group[k];
}

/* True if every group of every child is fixed. */
bool sotto_whole_is_settled(const struct sotto_census_fractions *f);

/* True if fixed totals below some child link its groups. */
bool sotto_whole_has_sets(const struct sotto_census_fractions *f);

#endif
