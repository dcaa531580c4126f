/*
 * census_leaves.h - the list of leaves, as the shape and as a table of the engine
 *
 * The engine keeps the table sotto_leaves: `leaf`, the number of a leaf in the order of the tree,
 * and its labels l1, l2, ...; other tables are joined with it, so that the engine returns numbers
 * instead of paths.  A hierarchy of one level has no such table: its leaf is number 0.
 */
#ifndef SOTTO_CENSUS_LEAVES_H
#define SOTTO_CENSUS_LEAVES_H

#include "census/measure/read/census_sql.h"

/* Reads the leaves from `nodes` or from the data, and builds w->shape. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_read_leaves(struct sotto_engine *e,
							    struct sotto_census_world *w,
							    struct sotto_error *err);

/*
 * Appends " JOIN ..." with the nodes of a level of the plan, for rows that have its labels l1 ..:
 * `leaf` is then the first leaf of the node.  Only nodes with first <= leaf < end count; a row of
 * no such node is left out, or has NULL if `outer`.
 */
void sotto_census_leaves_join(struct sotto_census_sql *q, const struct sotto_census_plan *p,
			      size_t level, size_t first, size_t end, bool outer);

#endif
