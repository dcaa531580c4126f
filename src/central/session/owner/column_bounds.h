/*
 * column_bounds.h - finds bounds of a column privately, and the column that a name means
 */
#ifndef SOTTO_COLUMN_BOUNDS_H
#define SOTTO_COLUMN_BOUNDS_H

#include "central/session/session.h"

/* Finds the private table that "table.column", or "column" alone, means. */
SOTTO_MUST_CHECK enum sotto_status
sotto_bounds_table(struct sotto_session *s, const char *column,
		   const struct sotto_policy_table **out, const char **name,
		   struct sotto_error *err);

#endif
