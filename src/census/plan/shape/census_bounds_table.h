/*
 * census_bounds_table.h - bounds of the groups of many nodes, equal ones kept once
 *
 * Millions of leaves have a few thousand different bounds: each leaf keeps the number of its box.
 */
#ifndef SOTTO_CENSUS_BOUNDS_TABLE_H
#define SOTTO_CENSUS_BOUNDS_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_census_bounds_table {
	size_t groups;
	int64_t *rows; /* for each box: the lower bounds of all groups, then the upper ones */
	size_t n, room;
	uint32_t *slots; /* by hash: 1 + the number of a box; 0: free */
	size_t slot_count; /* a power of two */
};

/* Makes an empty list.  Fails: SOTTO_ENOMEM.  Pair with _release in any case. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_bounds_table_init(struct sotto_census_bounds_table *b, size_t groups);
void sotto_census_bounds_table_release(struct sotto_census_bounds_table *b);

/*
 * Finds or adds the box with these bounds (the groups' lower ones, then the upper ones).  Fails:
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_bounds_table_find(struct sotto_census_bounds_table *b, const int64_t *bounds,
			       uint32_t *out);

static inline const int64_t *
sotto_census_bounds_table_row(const struct sotto_census_bounds_table *b, uint32_t box)
{
	return b->rows + (size_t)box * 2 * b->groups;
}

#endif
