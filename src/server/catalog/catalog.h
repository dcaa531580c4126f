/*
 * catalog.h - answers what PostgreSQL clients ask about tables and columns
 *
 * psql's \d, JDBC's metadata, SQLAlchemy's reflection and BI tools ask questions in SQL about
 * pg_catalog and information_schema.  An SQLite database in memory answers them from the public
 * schema, the same that GET /v1/tables shows:
 *
 * (1) That database holds the catalog and nothing else, and lives for one question.
 * (2) It runs only what catalog_print.c wrote, never the client's text.
 * (3) It stops after a fixed number of steps, or once an answer has a fixed number of bytes.
 */
#ifndef SOTTO_CATALOG_H
#define SOTTO_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/query.h"
#include "sotto/status.h"

/* Who asks, for current_user and the like. */
struct sotto_catalog_who {
	const char *name, *database;
	int32_t number; /* of the connection */
};

struct sotto_catalog_column {
	char *name;
	int32_t type; /* PostgreSQL's OID */
};

/* Values are texts in PostgreSQL's format; a NULL pointer is SQL's NULL. */
struct sotto_catalog_answer {
	struct sotto_catalog_column *columns;
	size_t column_count, row_count;
	char **cells; /* row by row */
	size_t bytes; /* total size of all cells */
};

enum sotto_catalog_about {
	SOTTO_ABOUT_DATA, /* tables of the policy, or a statement that is not understood */
	SOTTO_ABOUT_CATALOG,
	SOTTO_ABOUT_NOTHING, /* no table at all: perhaps a function that the catalog knows */
	SOTTO_ABOUT_BOTH,
};

/* Decides from its syntax tree what a statement asks about. */
enum sotto_catalog_about sotto_catalog_about(const char *sql);

/*
 * Answers one SELECT about the catalog.  The caller releases *out.
 *
 * Fails:    SOTTO_EREFUSED, SOTTO_EPARSE if the statement is not understood; SOTTO_ERANGE if it
 *           takes too long or its answer is too large; any failure of the session.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_catalog_ask(struct sotto_session *s, const struct sotto_question *q,
		  const struct sotto_catalog_who *who, struct sotto_catalog_answer *out,
		  struct sotto_error *err);
void sotto_catalog_answer_release(struct sotto_catalog_answer *a);

#endif
