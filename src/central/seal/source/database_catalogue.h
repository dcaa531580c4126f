/*
 * database_catalogue.h - the tables of a database file, and what is declared about their columns
 *
 * Only the catalogue is read, never a record.
 */
#ifndef SOTTO_DATABASE_CATALOGUE_H
#define SOTTO_DATABASE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "sotto/status.h"

/* The constraints that concern a single column. */
struct sotto_declared_column {
	const char *name;
	bool filled; /* NOT NULL, or a primary key */
	bool unique; /* UNIQUE, or a primary key */
	const char *lo, *hi; /* decimals, if a CHECK bounds it by two numbers; else NULL */
	const char *to_schema; /* of a foreign key to another schema; NULL: the same */
	const char *to_table, *to_column; /* of a foreign key; else NULL */
};

struct sotto_declared_table {
	const char *schema, *name;
	bool is_view; /* in a file; it may show what is no longer there */
	struct sotto_declared_column *columns; /* only those with a constraint */
	size_t column_count;
};

/* All tables, those of main first.  Fails: SOTTO_EIO with a sentence, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_database_catalogue(struct sotto_arena *a, const char *path,
			 struct sotto_declared_table **tables, size_t *count,
			 struct sotto_error *err);

/* NULL if nothing is declared about it. */
const struct sotto_declared_column *
sotto_declared_find(const struct sotto_declared_table *t, const char *column);

#endif
