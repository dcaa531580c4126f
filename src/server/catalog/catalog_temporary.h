/*
 * catalog_temporary.h - where the engine of the catalog puts what its caches do not hold
 *
 * An engine in memory still opens files: for sorts, and for tables that it makes on the way.
 * Here these files are memory, and one question has so many bytes of it: no question writes to
 * the disk, and none opens a file that has a name.
 */
#ifndef SOTTO_CATALOG_TEMPORARY_H
#define SOTTO_CATALOG_TEMPORARY_H

#include <sqlite3.h>
#include <stddef.h>

#include "sotto/status.h"

/* Stays where it is while an engine uses it. */
struct sotto_catalog_temporary {
	sqlite3_vfs vfs;
	char name[32]; /* for sqlite3_open_v2 */
	size_t left; /* bytes */
};

enum sotto_status sotto_catalog_temporary_init(struct sotto_catalog_temporary *t, size_t bytes);

/* After the engine is closed; also of one that is all zero. */
void sotto_catalog_temporary_release(struct sotto_catalog_temporary *t);

#endif
