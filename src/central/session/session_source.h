/*
 * session_source.h - what a table of the policy is read from
 */
#ifndef SOTTO_SESSION_SOURCE_H
#define SOTTO_SESSION_SOURCE_H

#include "central/session/session.h"

/* Returns SOTTO_EIO, and writes a sentence with the line of the policy. */
enum sotto_status sotto_source_unreadable(const struct sotto_session *s,
					  const struct sotto_policy_table *t,
					  struct sotto_error *err);

/* Opens the table as it was sealed, and says what is read; see sotto_sealed_open. */
SOTTO_MUST_CHECK enum sotto_status
sotto_source_sealed(struct sotto_session *s, const struct sotto_policy_table *table,
		    struct sotto_arena *a, const struct sotto_sealed **e,
		    struct sotto_sealed_paths *paths, struct sotto_error *err);

/*
 * Returns the statements that make the views of a table, in engine SQL: of the rows of the definition
 * that meet the condition, if there is one.  NULL if out of memory.
 */
const char *sotto_source_view_sql(struct sotto_arena *a, const struct sotto_schema_table *t,
				  const char *definition, const char *condition);

#endif
