/*
 * join_side.h - parts of conditions that are computed with the rows of their table
 */
#ifndef SOTTO_JOIN_SIDE_H
#define SOTTO_JOIN_SIDE_H

#include "central/emit/join_scope.h"

/*
 * Sides of comparisons between leaves, and parts of outer joins' conditions, that are heavy and
 * read one leaf alone, beside another that is private: which there are; whether a leaf has some;
 * the leaf with them beside its columns, held; and a condition of the query with their names in it.
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

/* The names in it, where outer joins may have put NULL there, as what they stand for. */
SOTTO_MUST_CHECK enum sotto_status
sotto_join_fill_sides(const struct sotto_join_scope *s,
		      const struct sotto_expression **condition);

#endif
