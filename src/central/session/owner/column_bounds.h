/* column_bounds.h - finds bounds of a column privately, and which column a name means */
#ifndef SOTTO_COLUMN_BOUNDS_H
#define SOTTO_COLUMN_BOUNDS_H

#include "central/session/session.h"

/* The private table that is meant by "table.column" or by "column" alone. */
SOTTO_MUST_CHECK enum sotto_status
sotto_bounds_table(struct sotto_session *s, const char *column,
		   const struct sotto_policy_table **out, const char **name,
		   struct sotto_error *err);

#endif
