/*
 * policy_starter.h - what the files that write a starter policy share
 */
#ifndef SOTTO_POLICY_STARTER_H
#define SOTTO_POLICY_STARTER_H

#include "central/seal/source/database_catalogue.h"
#include "central/session/session.h"
#include "core/base/buffer.h"
#include "sotto/owner.h"

enum { SOTTO_STARTER_NAME = 128 };

struct starter {
	const struct sotto_starter *from;
	struct sotto_session *session;
	struct sotto_buffer *out;
	char first[SOTTO_STARTER_NAME]; /* the first table that has the unit */
	struct sotto_error *err;

	/* The rest concerns the table that is being written, if it is in a database. */
	const struct sotto_declared_table *declared; /* NULL: nothing is known */
	const char *via; /* how its unit is reached: "visits.pid -> people.id"; or NULL */
};

/* Reads names and types of a table's columns, without reading records. */
SOTTO_MUST_CHECK enum sotto_status sotto_starter_schema(struct starter *s,
							const struct sotto_policy_table *table,
							struct sotto_schema_table *schema);

/* True for a file of JSON records: it has no header, so the policy has to name its columns. */
bool sotto_starter_is_json(const char *file);

/* Writes a name in YAML, with quotes if they are needed, or always. */
SOTTO_MUST_CHECK enum sotto_status
sotto_starter_add_name(struct sotto_buffer *b, const char *name);
SOTTO_MUST_CHECK enum sotto_status
sotto_starter_add_quoted(struct sotto_buffer *b, const char *name);

/* Returns the column that the unit means; case is ignored only if that is unambiguous. */
const char *sotto_starter_unit(const struct sotto_schema_table *t, const char *unit);

/* True for names of tables, or of columns, that a path to a unit can hold. */
bool sotto_starter_fits_path(const char *name, bool is_column);

/* Writes "{ column: patient_id, via: visits.id -> patients.id }", with quotes where needed. */
SOTTO_MUST_CHECK enum sotto_status
sotto_starter_add_path(struct sotto_buffer *b, const char *column, const char *via);

/* Refuses a table without that column; names the nearest one.  Fails: SOTTO_EREFUSED. */
SOTTO_MUST_CHECK enum sotto_status
sotto_starter_refuse_unit(struct starter *s, const struct sotto_schema_table *t);

/*
 * Writes the unit of a table.  Tables after the first one with that unit are about the same
 * people, so they can be joined.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_starter_add_unit(struct starter *s, const char *table, const char *unit);

/* Writes a table.  Fails: SOTTO_EREFUSED if its unit is not clear. */
SOTTO_MUST_CHECK enum sotto_status
sotto_starter_table(struct starter *s, const struct sotto_schema_table *t);

/* Writes every table of a database file (policy_starter_database.c). */
SOTTO_MUST_CHECK enum sotto_status
sotto_starter_database(struct starter *s, const char *file, bool is_public);

/* Writes tables of the policy's server, by their names in SQL. */
SOTTO_MUST_CHECK enum sotto_status
sotto_starter_served(struct starter *s, const char *const *names, size_t count, bool is_public);

#endif
