/*
 * catalog_temporary.h - a file system in memory for SQLite's temporary files
 *
 * SQLite opens temporary files even for a database in memory: for sorts, and for intermediate
 * tables.  This file system keeps them in memory, with a limit for each question, so that no
 * question writes to the disk or opens a file that has a name.
 */
#ifndef SOTTO_CATALOG_TEMPORARY_H
#define SOTTO_CATALOG_TEMPORARY_H

#include <sqlite3.h>
#include <stddef.h>

#include "sotto/status.h"

/* Must not move while a database uses it. */
struct sotto_catalog_temporary {
	sqlite3_vfs vfs;
	char name[32]; /* for sqlite3_open_v2 */
	size_t left; /* bytes */
};

enum sotto_status sotto_catalog_temporary_init(struct sotto_catalog_temporary *t, size_t bytes);

/* Call it after the database is closed; a zeroed struct is allowed. */
void sotto_catalog_temporary_release(struct sotto_catalog_temporary *t);

#endif
