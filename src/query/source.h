/*
 * source.h - what a table of the policy is read from, kind by kind
 */
#ifndef SOTTO_QUERY_SOURCE_H
#define SOTTO_QUERY_SOURCE_H

#include <stdbool.h>

#include "query/session.h"

bool sotto_source_is_json(const char *path);
bool sotto_source_is_database(const char *path);
bool sotto_source_ends(const char *path, const char *ending);

/*
 * Attaches the database file of a table and lists the names of what is in it, as
 * rows of one text; the caller frees them.  _forget detaches it again.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_source_tables(struct sotto_session *s, const struct sotto_policy_table *table,
		    struct sotto_engine_result **out, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status sotto_source_forget(struct sotto_session *s);

/* SOTTO_EIO, with the line of the policy. */
enum sotto_status sotto_source_unreadable(const struct sotto_session *s,
					  const struct sotto_policy_table *t,
					  struct sotto_error *err);

/* The columns of out->definition as the engine knows them. */
SOTTO_MUST_CHECK enum sotto_status
sotto_source_describe(struct sotto_session *s, const struct sotto_policy_table *table,
		      struct sotto_schema_table *out, struct sotto_error *err);

SOTTO_MUST_CHECK enum sotto_status
sotto_source_open_json(struct sotto_session *s, const struct sotto_policy_table *table,
		       struct sotto_schema_table *out, struct sotto_error *err);

#endif
