/*
 * census_known.h - a table that is known beforehand: the counts of one query at every leaf
 *
 * It is an invariant of the lowest level with more cells than bounds may have.  The counts of
 * every node follow by adding up, so it is easy to decide whether tables exist, however many
 * cells there are.
 */
#ifndef SOTTO_CENSUS_KNOWN_H
#define SOTTO_CENSUS_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "census/plan/census_plan.h"
#include "sotto/status.h"

struct sotto_census_shape;

/* Cells of the query that are not empty, node by node, ascending. */
struct sotto_census_known_level {
	uint64_t *starts;
	uint32_t *cells;
	int64_t *counts;
};

struct sotto_census_known {
	bool is_given;
	size_t query_cells;
	struct sotto_census_known_level levels[SOTTO_CENSUS_LEVELS_MAX]; /* of the shape */
};

/* The cells of one node. */
struct sotto_census_known_row {
	const uint32_t *cells;
	const int64_t *counts;
	size_t n;
};

struct sotto_census_known_entry {
	uint32_t leaf, cell;
	int64_t count;
};

/* Entries in any order.  Start from zeros. */
struct sotto_census_known_list {
	struct sotto_census_known_entry *entries;
	size_t n, room;
};

/* Adds an entry.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_known_add(struct sotto_census_known_list *list,
		       const struct sotto_census_known_entry *entry);
void sotto_census_known_list_release(struct sotto_census_known_list *list);

/*
 * Adds the entries up along the tree; a cell that is not listed has nobody.
 *
 * Fails:    SOTTO_EINFEASIBLE if a cell of a leaf, *leaf, has two counts; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_known_build(struct sotto_census_shape *s, size_t query_cells,
			 struct sotto_census_known_list *list, size_t *leaf);
void sotto_census_known_release(struct sotto_census_known *k);

struct sotto_census_known_row
sotto_census_known_of(const struct sotto_census_shape *s, size_t node);

#endif
