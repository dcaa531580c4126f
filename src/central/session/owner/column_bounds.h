/*
 * Bounds of a column, found privately: values are counted by magnitude (powers
 * of two, both signs) with noise, as one ordinary charged query, and the range
 * of magnitudes whose noisy counts stand out is taken.  Everything after the
 * query is post-processing.
 */
#ifndef SOTTO_COLUMN_BOUNDS_H
#define SOTTO_COLUMN_BOUNDS_H

#include "central/session/session.h"

/* The private table that is meant by "table.column" or by "column" alone. */
SOTTO_MUST_CHECK enum sotto_status
sotto_bounds_table(struct sotto_session *s, const char *column,
		   const struct sotto_policy_table **out, const char **name,
		   struct sotto_error *err);

#endif
