/*
 * database_catalogue.h - the tables of a database file, and what is declared about their columns
 *
 * From the catalogue alone: no record is looked at.
 */
#ifndef SOTTO_DATABASE_CATALOGUE_H
#define SOTTO_DATABASE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "sotto/status.h"

/* Constraints of one column alone. */
struct sotto_declared_column {
	const char *name;
	bool filled; /* NOT NULL, or a primary key */
	bool unique; /* UNIQUE, or a primary key */
	const char *lo, *hi; /* decimals, if CHECK holds it between two numbers; NULL */
	const char *to_schema; /* of a foreign key to another schema; NULL: the same */
	const char *to_table, *to_column; /* of a foreign key; NULL */
};

struct sotto_declared_table {
	const char *schema, *name;
	struct sotto_declared_column *columns; /* those about which something is declared */
	size_t column_count;
};

/* All tables, those of main first.  Fails: SOTTO_EIO without a sentence, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_database_catalogue(struct sotto_arena *a, const char *path,
			 struct sotto_declared_table **tables, size_t *count,
			 struct sotto_error *err);

/* NULL if nothing is declared about it. */
const struct sotto_declared_column *
sotto_declared_find(const struct sotto_declared_table *t, const char *column);

#endif
