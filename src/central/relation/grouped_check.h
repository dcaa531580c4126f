/*
 * grouped_check.h - what a SELECT over public rows may show of its groups
 */
#ifndef SOTTO_GROUPED_CHECK_H
#define SOTTO_GROUPED_CHECK_H

#include "central/expression/binder.h"

/* A SELECT over rows that the binder sees, and what it groups them by. */
struct sotto_grouped {
	struct sotto_binder *rows;
	const struct sotto_sql_expr **keys;
	size_t key_count;
	bool is_grouped; /* by keys, or because there are aggregates */
};

/*
 * Refuses e if it reads a column beside the keys and aggregates of a group, or has an aggregate
 * where there are no groups.  The engine would refuse it too, but after the charge.
 *
 * Fails:    SOTTO_EREFUSED; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_grouped_check(const struct sotto_grouped *g, const struct sotto_sql_expr *e);

#endif
