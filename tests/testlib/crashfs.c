/*
 * Wraps SQLite's own layer and counts operations; writes are remembered until a sync, so that a
 * loss of power can undo any of them.
 */
#include "testlib/crashfs.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A write that no sync has made durable yet. */
struct pending {
	struct file *file;
	sqlite3_int64 offset, old_size;
	int length;
	unsigned char *old_bytes, *new_bytes;
	struct pending *earlier;
};

struct file {
	sqlite3_file base;
	sqlite3_file *real;
};

static struct {
	enum crashfs_mode mode;
	long at, operations;
	uint64_t random;
	struct pending *pending; /* the latest first */
	sqlite3_vfs *plain;
	sqlite3_vfs layer;
	bool installed;
} fs;

static uint64_t next_random(void)
{
	fs.random = fs.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return fs.random >> 33;
}

static struct file *file_of(sqlite3_file *f)
{
	return (struct file *)(void *)f;
}

static void die(void)
{
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

static void forget_pending(struct file *file)
{
	struct pending **at = &fs.pending;

	while (*at) {
		struct pending *p = *at;

		if (file && p->file != file) {
			at = &p->earlier;
			continue;
		}
		*at = p->earlier;
		free(p->old_bytes);
		free(p->new_bytes);
		free(p);
	}
}

static void remember(struct file *file, const void *bytes, int n, sqlite3_int64 offset)
{
	struct pending *p = calloc(1, sizeof *p);
	sqlite3_file *real = file->real;

	p->file = file;
	p->offset = offset;
	p->length = n;
	p->old_bytes = calloc(1, (size_t)n);
	p->new_bytes = malloc((size_t)n);
	memcpy(p->new_bytes, bytes, (size_t)n);
	(void)real->pMethods->xFileSize(real, &p->old_size);
	(void)real->pMethods->xRead(real, p->old_bytes, n, offset);
	p->earlier = fs.pending;
	fs.pending = p;
}

static void reapply_some(struct pending *p)
{
	if (!p)
		return;
	reapply_some(p->earlier);
	if (next_random() & 1)
		(void)p->file->real->pMethods->xWrite(p->file->real, p->new_bytes, p->length,
						      p->offset);
}

/* What the disk may hold after the power went: the synced state and any of the rest. */
static void lose_power(void)
{
	for (struct pending *p = fs.pending; p; p = p->earlier) {
		sqlite3_file *real = p->file->real;

		(void)real->pMethods->xWrite(real, p->old_bytes, p->length, p->offset);
		(void)real->pMethods->xTruncate(real, p->old_size);
	}
	reapply_some(fs.pending);
	die();
}

/* Counts an operation; true if it is the one. */
static bool is_due(void)
{
	return ++fs.operations == fs.at;
}

static int before(bool due)
{
	if (due && fs.mode == CRASHFS_KILL_BEFORE)
		die();
	return due && fs.mode == CRASHFS_IOERR ? SQLITE_IOERR : SQLITE_OK;
}

static void after(bool due)
{
	if (due && fs.mode == CRASHFS_POWER)
		lose_power();
	if (due && (fs.mode == CRASHFS_KILL_AFTER || fs.mode == CRASHFS_KILL_HALF))
		die();
}

static int fs_write(sqlite3_file *f, const void *bytes, int n, sqlite3_int64 offset)
{
	sqlite3_file *real = file_of(f)->real;
	bool due = is_due();
	int rc = before(due);

	if (rc != SQLITE_OK)
		return rc;
	if (fs.mode == CRASHFS_READONLY)
		return SQLITE_READONLY;
	if (fs.mode == CRASHFS_FULL && fs.operations >= fs.at)
		return SQLITE_FULL;
	if (fs.mode == CRASHFS_POWER)
		remember(file_of(f), bytes, n, offset);
	if (due && fs.mode == CRASHFS_KILL_HALF) {
		(void)real->pMethods->xWrite(real, bytes, n / 2, offset);
		die();
	}
	rc = real->pMethods->xWrite(real, bytes, n, offset);
	after(due);
	return rc;
}

static int fs_sync(sqlite3_file *f, int flags)
{
	sqlite3_file *real = file_of(f)->real;
	bool due = is_due();
	int rc = before(due);

	if (rc != SQLITE_OK)
		return rc;
	if (due && fs.mode == CRASHFS_POWER && (next_random() & 1))
		lose_power(); /* before the sync had any effect */
	rc = real->pMethods->xSync(real, flags);
	forget_pending(file_of(f));
	after(due);
	return rc;
}

static int fs_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	sqlite3_file *real = file_of(f)->real;
	bool due = is_due();
	int rc = before(due);

	if (rc != SQLITE_OK)
		return rc;
	rc = real->pMethods->xTruncate(real, size);
	after(due);
	return rc;
}

static int fs_close(sqlite3_file *f)
{
	struct file *file = file_of(f);
	int rc = file->real->pMethods->xClose(file->real);

	forget_pending(file);
	free(file->real);
	return rc;
}

static int fs_read(sqlite3_file *f, void *out, int n, sqlite3_int64 offset)
{
	return file_of(f)->real->pMethods->xRead(file_of(f)->real, out, n, offset);
}

static int fs_size(sqlite3_file *f, sqlite3_int64 *out)
{
	return file_of(f)->real->pMethods->xFileSize(file_of(f)->real, out);
}

static int fs_lock(sqlite3_file *f, int level)
{
	return file_of(f)->real->pMethods->xLock(file_of(f)->real, level);
}

static int fs_unlock(sqlite3_file *f, int level)
{
	return file_of(f)->real->pMethods->xUnlock(file_of(f)->real, level);
}

static int fs_reserved(sqlite3_file *f, int *out)
{
	return file_of(f)->real->pMethods->xCheckReservedLock(file_of(f)->real, out);
}

static int fs_control(sqlite3_file *f, int op, void *argument)
{
	return file_of(f)->real->pMethods->xFileControl(file_of(f)->real, op, argument);
}

static int fs_sector(sqlite3_file *f)
{
	return file_of(f)->real->pMethods->xSectorSize(file_of(f)->real);
}

static int fs_device(sqlite3_file *f)
{
	/* Nothing may be assumed of the disk: no atomic writes, no power-safe overwrite. */
	(void)f;
	return 0;
}

static int fs_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	return file_of(f)->real->pMethods->xShmMap(file_of(f)->real, page, size, extend, out);
}

static int fs_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return file_of(f)->real->pMethods->xShmLock(file_of(f)->real, offset, n, flags);
}

static void fs_shm_barrier(sqlite3_file *f)
{
	file_of(f)->real->pMethods->xShmBarrier(file_of(f)->real);
}

static int fs_shm_unmap(sqlite3_file *f, int del)
{
	return file_of(f)->real->pMethods->xShmUnmap(file_of(f)->real, del);
}

static const sqlite3_io_methods methods = {
	.iVersion = 2,
	.xClose = fs_close,
	.xRead = fs_read,
	.xWrite = fs_write,
	.xTruncate = fs_truncate,
	.xSync = fs_sync,
	.xFileSize = fs_size,
	.xLock = fs_lock,
	.xUnlock = fs_unlock,
	.xCheckReservedLock = fs_reserved,
	.xFileControl = fs_control,
	.xSectorSize = fs_sector,
	.xDeviceCharacteristics = fs_device,
	.xShmMap = fs_shm_map,
	.xShmLock = fs_shm_lock,
	.xShmBarrier = fs_shm_barrier,
	.xShmUnmap = fs_shm_unmap,
};

static int
fs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *out, int flags, int *out_flags)
{
	struct file *file = file_of(out);
	bool due = is_due();
	int rc = before(due);

	(void)vfs;
	file->base.pMethods = NULL;
	if (rc != SQLITE_OK)
		return rc;
	file->real = calloc(1, (size_t)fs.plain->szOsFile);
	rc = fs.plain->xOpen(fs.plain, name, file->real, flags, out_flags);
	if (rc == SQLITE_OK)
		file->base.pMethods = &methods;
	else
		free(file->real);
	after(due);
	return rc;
}

static int fs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	bool due = is_due();
	int rc = before(due);

	(void)vfs;
	if (rc != SQLITE_OK)
		return rc;
	rc = fs.plain->xDelete(fs.plain, name, sync);
	after(due);
	return rc;
}

void crashfs_install(enum crashfs_mode mode, long n, uint64_t seed)
{
	fs.mode = mode;
	fs.at = n;
	fs.operations = 0;
	fs.random = seed;
	forget_pending(NULL);
	if (fs.installed)
		return;
	fs.plain = sqlite3_vfs_find(NULL);
	fs.layer = *fs.plain;
	fs.layer.zName = "crashfs";
	fs.layer.szOsFile = (int)sizeof(struct file);
	fs.layer.xOpen = fs_open;
	fs.layer.xDelete = fs_delete;
	fs.layer.pNext = NULL;
	sqlite3_vfs_register(&fs.layer, 1);
	fs.installed = true;
}

void crashfs_remove(void)
{
	if (!fs.installed)
		return;
	sqlite3_vfs_unregister(&fs.layer);
	sqlite3_vfs_register(fs.plain, 1);
	fs.installed = false;
}

long crashfs_operations(void)
{
	return fs.operations;
}
