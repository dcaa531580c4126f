/*
 * join_side.h - sides of comparisons that are computed with the rows of their table
 */
#ifndef SOTTO_JOIN_SIDE_H
#define SOTTO_JOIN_SIDE_H

#include "central/emit/join_scope.h"

/*
 * Sides of comparisons between leaves that are heavy and read one public leaf alone: which there
 * are; whether a leaf has some; the leaf with them beside its columns, held; and the condition
 * with their names in it.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_join_find_sides(struct sotto_join_scope *s, const struct sotto_rowset_select *q);
bool sotto_join_has_sides(const struct sotto_join_scope *s, const struct sotto_rowset *leaf);
SOTTO_MUST_CHECK enum sotto_status sotto_join_hold_sides(const struct sotto_join_scope *s,
							 const struct sotto_rowset *leaf,
							 const struct sotto_rowset **r);
SOTTO_MUST_CHECK enum sotto_status
sotto_join_name_sides(const struct sotto_join_scope *s,
		      const struct sotto_expression **condition);

/* Holds what an outer join's condition says of the side whose rows may be missing. */
SOTTO_MUST_CHECK enum sotto_status sotto_join_hold_side(const struct sotto_join_scope *s,
							const struct sotto_expression **on,
							const struct sotto_rowset **side);

#endif
