/*
 * disk.h - a disk that fails or dies at the n-th operation or byte
 *
 * Stands before the C library's calls, so that the product is tested without a
 * seam in it; only files below `dir` (store.h) are touched.  Included by one test
 * each.  A kill ends the process with KILLED.
 */
#ifndef SOTTO_TESTS_DISK_H
#define SOTTO_TESTS_DISK_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "crash/store.h"

enum { KILLED = 99, FILES_MAX = 256, PATH_ROOM = 128 };

enum disk_mode {
	DISK_COUNT, /* only counts */
	DISK_KILL_BYTE, /* dies once n bytes have been written */
	DISK_KILL_BEFORE, /* dies instead of the n-th operation */
	DISK_POWER, /* as the last, and what was not synced is lost in part */
	DISK_FULL, /* no room past n bytes */
	DISK_FAIL, /* the n-th operation alone fails */
	DISK_READ_ONLY
};

static struct {
	enum disk_mode mode;
	long n;
	uint64_t seed;
	long operations, bytes, syncs;
	bool ours[FILES_MAX];
	off_t synced[FILES_MAX];
	char path[FILES_MAX][PATH_ROOM];
	/* closed with bytes that were not synced; the slot is that of the descriptor */
	bool loose[FILES_MAX];
} disk;

static void disk_set(enum disk_mode mode, long n, uint64_t seed)
{
	disk.mode = mode;
	disk.n = n;
	disk.seed = seed;
	disk.operations = disk.bytes = disk.syncs = 0;
	memset(disk.loose, 0, sizeof disk.loose);
}

/* Of what was not synced some is there, some is zeros, the rest is gone. */
static void lose_unsynced(int fd, off_t from)
{
	off_t end = lseek(fd, 0, SEEK_END), keep;
	uint64_t x = 0;

	if (end <= from)
		return;
	local_fill(&disk.seed, (uint8_t *)&x, sizeof x);
	keep = from + (off_t)(x % (uint64_t)(end - from + 1));
	(void)syscall(SYS_ftruncate, fd, keep);
	if (x >> 63)
		(void)syscall(SYS_ftruncate, fd, end);
}

static void disk_die(void)
{
	for (int slot = 0; disk.mode == DISK_POWER && slot < FILES_MAX; slot++) {
		int fd = disk.loose[slot]
				 ? (int)syscall(SYS_openat, AT_FDCWD, disk.path[slot], O_RDWR)
				 : slot;

		if ((disk.ours[slot] || disk.loose[slot]) && fd >= 0)
			lose_unsynced(fd, disk.synced[slot]);
	}
	_exit(KILLED);
}

/* Every operation passes here; false: it fails. */
static bool disk_allows(void)
{
	disk.operations++;
	if ((disk.mode == DISK_KILL_BEFORE || disk.mode == DISK_POWER) &&
	    disk.operations == disk.n)
		disk_die();
	if (disk.mode == DISK_FAIL && disk.operations == disk.n) {
		errno = EIO;
		return false;
	}
	if (disk.mode == DISK_READ_ONLY) {
		errno = EROFS;
		return false;
	}
	return true;
}

static bool is_ours(int fd)
{
	return fd >= 0 && fd < FILES_MAX && disk.ours[fd];
}

static bool below_dir(const char *path)
{
	return dir[0] && strncmp(path, dir, strlen(dir)) == 0;
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list rest;
	int fd;

	if (flags & O_CREAT) {
		va_start(rest, flags);
		mode = va_arg(rest, mode_t);
		va_end(rest);
	}
	if (below_dir(path) && (flags & (O_WRONLY | O_RDWR)) && !disk_allows())
		return -1;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	if (fd >= 0 && fd < FILES_MAX) {
		disk.ours[fd] = below_dir(path) && (flags & (O_WRONLY | O_RDWR));
		disk.synced[fd] = disk.ours[fd] ? lseek(fd, 0, SEEK_END) : 0;
		disk.loose[fd] &= !disk.ours[fd];
		if (disk.ours[fd])
			snprintf(disk.path[fd], PATH_ROOM, "%s", path);
	}
	return fd;
}

int close(int fd)
{
	if (is_ours(fd)) {
		disk.loose[fd] = lseek(fd, 0, SEEK_END) > disk.synced[fd];
		disk.ours[fd] = false;
	}
	return (int)syscall(SYS_close, fd);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	ssize_t put;
	size_t room;

	if (!is_ours(fd))
		return syscall(SYS_write, fd, bytes, n);
	if (!disk_allows())
		return -1;
	room = disk.n > disk.bytes ? (size_t)(disk.n - disk.bytes) : 0;
	if ((disk.mode == DISK_KILL_BYTE || disk.mode == DISK_FULL) && room < n) {
		if (room == 0 && disk.mode == DISK_FULL) {
			errno = ENOSPC;
			return -1;
		}
		put = room ? syscall(SYS_write, fd, bytes, room) : 0;
		if (disk.mode == DISK_KILL_BYTE)
			disk_die();
	} else {
		put = syscall(SYS_write, fd, bytes, n);
	}
	disk.bytes += put > 0 ? put : 0;
	return put;
}

/* A process that is killed loses nothing the kernel has, so syncing may be left out. */
static int disk_sync(int fd)
{
	disk.syncs++;
	if (is_ours(fd)) {
		if (!disk_allows())
			return -1;
		disk.synced[fd] = lseek(fd, 0, SEEK_END);
	}
	return 0;
}

int fdatasync(int fd)
{
	return disk_sync(fd);
}

int fsync(int fd)
{
	return disk_sync(fd);
}

int ftruncate(int fd, off_t end)
{
	if (is_ours(fd) && !disk_allows())
		return -1;
	return (int)syscall(SYS_ftruncate, fd, end);
}

int rename(const char *from, const char *to)
{
	if (below_dir(to) && !disk_allows())
		return -1;
	for (int slot = 0; slot < FILES_MAX; slot++)
		if (disk.loose[slot] && strcmp(disk.path[slot], from) == 0)
			snprintf(disk.path[slot], PATH_ROOM, "%s", to);
	return (int)syscall(SYS_rename, from, to);
}

int unlink(const char *path)
{
	if (below_dir(path) && disk.mode != DISK_COUNT && !disk_allows())
		return -1;
	return (int)syscall(SYS_unlink, path);
}

#endif
