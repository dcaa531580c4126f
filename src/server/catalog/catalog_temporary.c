/* Temporary files of the catalog's engine, in memory that has a limit. */
#include "server/catalog/catalog_temporary.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 64 << 10 };

struct file {
	sqlite3_file base;
	uint8_t *bytes;
	size_t length, room;
	size_t *left; /* of all files together */
};

/* ---- a file --------------------------------------------------------------------------------- */

static int close_file(sqlite3_file *base)
{
	struct file *f = (struct file *)base;

	*f->left += f->room;
	free(f->bytes);
	f->bytes = NULL;
	f->length = f->room = 0;
	return SQLITE_OK;
}

/* What was never written is zero. */
static int read_file(sqlite3_file *base, void *out, int n, sqlite3_int64 at)
{
	const struct file *f = (struct file *)base;
	size_t from = (size_t)at, want = (size_t)n, there = 0;

	if (from < f->length)
		there = f->length - from < want ? f->length - from : want;
	if (there)
		memcpy(out, f->bytes + from, there);
	memset((uint8_t *)out + there, 0, want - there);
	return there == want ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

/* Twice as much as before, or only what is needed, or nothing. */
static int make_room(struct file *f, size_t wanted)
{
	size_t most = f->room + *f->left, room = f->room ? 2 * f->room : FIRST_BYTES;
	uint8_t *bytes;

	if (wanted <= f->room)
		return SQLITE_OK;
	if (wanted > most)
		return SQLITE_FULL;
	if (room < wanted || room > most)
		room = wanted;
	bytes = realloc(f->bytes, room);
	if (!bytes)
		return SQLITE_NOMEM;
	*f->left -= room - f->room;
	f->bytes = bytes;
	f->room = room;
	return SQLITE_OK;
}

static int write_file(sqlite3_file *base, const void *bytes, int n, sqlite3_int64 at)
{
	struct file *f = (struct file *)base;
	size_t from = (size_t)at, end = from + (size_t)n;
	int result = make_room(f, end);

	if (result != SQLITE_OK)
		return result;
	if (from > f->length)
		memset(f->bytes + f->length, 0, from - f->length);
	if (n > 0)
		memcpy(f->bytes + from, bytes, (size_t)n);
	if (end > f->length)
		f->length = end;
	return SQLITE_OK;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 length)
{
	struct file *f = (struct file *)base;

	if ((size_t)length < f->length)
		f->length = (size_t)length;
	return SQLITE_OK;
}

static int measure_file(sqlite3_file *base, sqlite3_int64 *length)
{
	*length = (sqlite3_int64)((struct file *)base)->length;
	return SQLITE_OK;
}

/* Nobody else has it, and nothing of it has to last. */
static int do_nothing(sqlite3_file *base, int what)
{
	(void)base;
	(void)what;
	return SQLITE_OK;
}

static int is_reserved(sqlite3_file *base, int *out)
{
	(void)base;
	*out = 0;
	return SQLITE_OK;
}

static int control(sqlite3_file *base, int what, void *argument)
{
	(void)base;
	(void)what;
	(void)argument;
	return SQLITE_NOTFOUND;
}

static int has_no_traits(sqlite3_file *base)
{
	(void)base;
	return 0; /* the size of a sector too: the usual one */
}

static const struct sqlite3_io_methods methods = {.iVersion = 1,
						  .xClose = close_file,
						  .xRead = read_file,
						  .xWrite = write_file,
						  .xTruncate = truncate_file,
						  .xSync = do_nothing,
						  .xFileSize = measure_file,
						  .xLock = do_nothing,
						  .xUnlock = do_nothing,
						  .xCheckReservedLock = is_reserved,
						  .xFileControl = control,
						  .xSectorSize = has_no_traits,
						  .xDeviceCharacteristics = has_no_traits};

/* ---- the files of an engine ----------------------------------------------------------------- */

/* A temporary file has no name; nothing else is opened. */
static int
open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *given)
{
	struct sotto_catalog_temporary *t = vfs->pAppData;

	*(struct file *)base = (struct file){0};
	if (name)
		return SQLITE_CANTOPEN;
	*(struct file *)base = (struct file){.base.pMethods = &methods, .left = &t->left};
	if (given)
		*given = flags;
	return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs;
	(void)name;
	(void)sync;
	return SQLITE_IOERR_DELETE;
}

static int find_file(sqlite3_vfs *vfs, const char *name, int what, int *out)
{
	(void)vfs;
	(void)name;
	(void)what;
	*out = 0;
	return SQLITE_OK;
}

enum sotto_status sotto_catalog_temporary_init(struct sotto_catalog_temporary *t, size_t bytes)
{
	const sqlite3_vfs *usual = sqlite3_vfs_find(NULL);

	*t = (struct sotto_catalog_temporary){.left = bytes};
	if (!usual)
		return SOTTO_ENOMEM;
	(void)snprintf(t->name, sizeof t->name, "catalog-%p", (void *)t); /* no two at once */
	t->vfs = *usual; /* clocks and random numbers */
	t->vfs.pNext = NULL;
	t->vfs.zName = t->name;
	t->vfs.pAppData = t;
	t->vfs.szOsFile = sizeof(struct file);
	t->vfs.xOpen = open_file;
	t->vfs.xDelete = delete_file;
	t->vfs.xAccess = find_file;
	if (sqlite3_vfs_register(&t->vfs, 0) == SQLITE_OK)
		return SOTTO_OK;
	t->vfs.zName = NULL;
	return SOTTO_ENOMEM;
}

void sotto_catalog_temporary_release(struct sotto_catalog_temporary *t)
{
	if (t->vfs.zName)
		(void)sqlite3_vfs_unregister(&t->vfs);
	t->vfs.zName = NULL;
}
