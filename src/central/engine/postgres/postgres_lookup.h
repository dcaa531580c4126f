/*
 * postgres_lookup.h - what is asked of PostgreSQL's catalogue, however it is reached
 *
 * By libpq (postgres_table.c) or by a driver of ADBC (adbc_table.c).
 */
#ifndef SOTTO_POSTGRES_LOOKUP_H
#define SOTTO_POSTGRES_LOOKUP_H

#include "central/engine/postgres/postgres_type.h"

/*
 * What the settings of a role or a database could change about texts, each for SET LOCAL;
 * ends with NULL.
 */
extern const char *const sotto_postgres_settings[];

/* $1: the owner's name of a table.  One row: its number, or NULL. */
extern const char sotto_postgres_find_name[];
/* $1: a number.  At most one row: number, name in SQL, rows, blocks. */
extern const char sotto_postgres_find_table[];
/* $1: a number.  For each column: name, name in SQL, type, modifier, shape, digits. */
extern const char sotto_postgres_find_columns[];

/* The last five of them, as texts; borrows the last but one. */
struct sotto_postgres_origin sotto_postgres_origin(const char *const cells[5]);

#endif
