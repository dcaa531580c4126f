/*
 * made_up_rows.h - invents rows with the columns of a table
 */
#ifndef SOTTO_MADE_UP_ROWS_H
#define SOTTO_MADE_UP_ROWS_H

#include "central/policy/policy.h"
#include "central/policy/schema.h"

/*
 * Sets t->definition to engine SQL that invents the rows of a private table: values within the
 * declared bounds, keys among the declared keys, units and foreign keys that match.  It depends
 * only on policy and schema, and is the same each time.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_made_up_rows(struct sotto_arena *a, const struct sotto_policy *p,
		   const struct sotto_policy_table *table, struct sotto_schema_table *t);

#endif
