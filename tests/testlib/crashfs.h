/*
 * crashfs.h - a file layer for SQLite that fails or dies at the n-th operation
 *
 * Installed as SQLite's default, so that the product is tested without a seam in
 * it.  An operation is a write, a sync, a truncation, a deletion or an opening.
 */
#ifndef SOTTO_TESTS_CRASHFS_H
#define SOTTO_TESTS_CRASHFS_H

#include <stdint.h>

enum crashfs_mode {
	CRASHFS_COUNT, /* only counts */
	CRASHFS_KILL_BEFORE, /* SIGKILL instead of the n-th operation */
	CRASHFS_KILL_HALF, /* SIGKILL after half of the bytes of the n-th, if it is a write */
	CRASHFS_KILL_AFTER, /* SIGKILL after the n-th operation */
	CRASHFS_POWER, /* as the last, and unsynced writes are lost at random */
	CRASHFS_FULL, /* from the n-th on, writes say that the disk is full */
	CRASHFS_IOERR, /* the n-th operation alone fails */
	CRASHFS_READONLY, /* every write says that the file is read-only */
};

/* Installs the layer and starts counting at 0.  May be called again to change the mode. */
void crashfs_install(enum crashfs_mode mode, long n, uint64_t seed);

/* Back to the plain layer. */
void crashfs_remove(void);

/* Operations since crashfs_install. */
long crashfs_operations(void);

#endif
