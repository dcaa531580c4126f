/*
 * catalog.h - what clients of PostgreSQL ask about tables and columns
 *
 * psql's \d, JDBC's metadata, SQLAlchemy's reflection and BI tools ask questions in SQL about
 * pg_catalog and information_schema.  They are answered from the public schema, the same
 * that GET /v1/tables tells, by SQLite in memory:
 *
 * (1) The engine holds the catalog and nothing else; it is made for one question and ended.
 * (2) It runs only what catalog_print.c wrote, never the client's text.
 * (3) It stops after a fixed number of steps, and of bytes of an answer.
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
	int32_t type; /* PostgreSQL's number */
};

/* All values are texts as PostgreSQL writes them; NULL is NULL. */
struct sotto_catalog_answer {
	struct sotto_catalog_column *columns;
	size_t column_count, row_count;
	char **cells; /* row by row */
	size_t bytes; /* that they take */
};

enum sotto_catalog_about {
	SOTTO_ABOUT_DATA, /* tables of the policy, or what is not understood */
	SOTTO_ABOUT_CATALOG,
	SOTTO_ABOUT_NOTHING, /* no table at all: the catalog may know the functions */
	SOTTO_ABOUT_BOTH,
};

/* What a statement asks about; decided from its syntax tree. */
enum sotto_catalog_about sotto_catalog_about(const char *sql);

/*
 * Answers one SELECT about the catalog.  The caller releases *out.
 *
 * Fails:    SOTTO_EREFUSED, SOTTO_EPARSE for what is not understood; SOTTO_ERANGE for what
 *           takes too long or is too large; what the session fails with.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_catalog_ask(struct sotto_session *s, const struct sotto_question *q,
		  const struct sotto_catalog_who *who, struct sotto_catalog_answer *out,
		  struct sotto_error *err);
void sotto_catalog_answer_release(struct sotto_catalog_answer *a);

#endif
