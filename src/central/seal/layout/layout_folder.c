/*
 * Holds a lock on the unfinished folder and works relative to open folders; a mark says that
 * all slices were compared, and from then on moving files can be repeated until it is done.
 */
#include "central/seal/layout/layout_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "central/spread/slice_write.h"
#include "central/seal/layout/layout_manifest.h"
#include "core/base/failure.h"

/* All slices are whole and were compared; files are being moved. */
static const char gathering[] = "_gathered";

const char *sotto_layout_plain_path(struct sotto_arena *a, const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return sotto_arena_textf(a, "%.*s", (int)n, path);
}

/* ---- clearing ----------------------------------------------------------------------- */

/* Removes what is ours, but for one name; false if anything else lies there. */
static bool clear(int fd, const char *kept)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *e;
	bool clean = folder != NULL;

	while (folder && (e = readdir(folder))) {
		if (kept && strcmp(e->d_name, kept) == 0)
			continue;
		if (strcmp(e->d_name, SOTTO_LAYOUT_NAME) == 0)
			(void)unlinkat(fd, SOTTO_LAYOUT_NAME, 0);
		else if (sotto_layout_is_ours(e->d_name))
			sotto_layout_remove(fd, e->d_name);
		else if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			clean = false;
	}
	if (folder)
		(void)closedir(folder);
	else if (again >= 0)
		(void)close(again);
	return clean;
}

/* Folders of buckets and attempts that nobody goes on with; slices stay. */
static void clear_attempts(int job)
{
	int again = openat(job, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *e;

	while (folder && (e = readdir(folder)))
		if (strncmp(e->d_name, "attempt-", 8) == 0)
			sotto_layout_remove(job, e->d_name);
	if (folder)
		(void)closedir(folder);
	else if (again >= 0)
		(void)close(again);
}

/* ---- opening ------------------------------------------------------------------------ */

static bool has_strangers(int fd)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = again >= 0 ? fdopendir(again) : NULL;
	bool found = folder == NULL;
	struct dirent *e;

	while (folder && (e = readdir(folder)))
		found = found ||
			!(sotto_layout_is_ours(e->d_name) || strcmp(e->d_name, ".") == 0 ||
			  strcmp(e->d_name, "..") == 0 ||
			  strcmp(e->d_name, SOTTO_LAYOUT_NAME) == 0);
	if (folder)
		(void)closedir(folder);
	return found;
}

static enum sotto_status lock(struct sotto_layout_folder *f, struct sotto_error *err)
{
	if (mkdir(f->unfinished, S_IRWXU) != 0 && errno != EEXIST)
		return sotto_fail(err, SOTTO_EIO, "the folder %.200s could not be made",
				  f->unfinished);
	f->lock = open(f->unfinished, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (f->lock < 0)
		return sotto_fail(err, SOTTO_EIO, "the folder %.200s could not be opened",
				  f->unfinished);
	if (fchmod(f->lock, S_IRWXU) != 0 || flock(f->lock, LOCK_EX | LOCK_NB) != 0)
		return sotto_fail(err, SOTTO_ESTATE,
				  "another sotto layout is writing %.200s; wait for it",
				  f->unfinished);
	if (has_strangers(f->lock))
		return sotto_fail(err, SOTTO_ESTATE,
				  "%.200s has files that no sotto layout wrote; move them away",
				  f->unfinished);
	return SOTTO_OK;
}

enum sotto_status sotto_layout_folder_open(struct sotto_layout_folder *f, struct sotto_arena *a,
					   const char *destination, struct sotto_error *err)
{
	struct stat found;
	enum sotto_status st;

	*f = (struct sotto_layout_folder){.lock = -1};
	f->destination = sotto_layout_plain_path(a, destination);
	f->unfinished =
		f->destination ? sotto_arena_textf(a, "%s.unfinished", f->destination) : NULL;
	if (!f->unfinished)
		return SOTTO_ENOMEM;
	if (lstat(f->destination, &found) == 0)
		return sotto_fail(err, SOTTO_ESTATE,
				  "%.200s already exists; name another folder, or remove it",
				  f->destination);
	st = lock(f, err);
	if (st != SOTTO_OK)
		sotto_layout_folder_close(f);
	return st;
}

enum sotto_status
sotto_layout_folder_start(struct sotto_layout_folder *f, struct sotto_arena *a, const char *job)
{
	const char *name = sotto_arena_textf(a, "job-%s", job);
	char path[PATH_MAX];
	struct stat found;
	int fd;

	if (!name)
		return SOTTO_ENOMEM;
	fd = openat(f->lock, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	f->is_gathered = fd >= 0 && fstatat(fd, gathering, &found, AT_SYMLINK_NOFOLLOW) == 0;
	if (fd >= 0) {
		clear_attempts(fd);
		(void)close(fd);
	}
	if (f->is_gathered)
		(void)unlinkat(f->lock, SOTTO_LAYOUT_NAME, 0);
	else
		(void)clear(f->lock, name);
	if (mkdirat(f->lock, name, S_IRWXU) != 0 && errno != EEXIST)
		return SOTTO_EIO;
	if (!realpath(f->unfinished, path))
		return SOTTO_EIO;
	f->job = sotto_arena_textf(a, "%s/%s", path, name);
	return f->job ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- gathering ---------------------------------------------------------------------- */

static bool sync_folder(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		(void)close(fd);
	return ok;
}

static bool mark(const char *job)
{
	int folder = open(job, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd = folder >= 0 ? openat(folder, gathering, O_WRONLY | O_CREAT | O_CLOEXEC,
				      S_IRUSR | S_IWUSR)
			     : -1;
	bool ok = fd >= 0 && fsync(fd) == 0 && fsync(folder) == 0;

	if (fd >= 0)
		(void)close(fd);
	if (folder >= 0)
		(void)close(folder);
	return ok;
}

/* rows/sotto_bucket=3/part-0.parquet of slice 7 becomes bucket=3/part-7-0.parquet. */
static bool move_files(int from, int to, uint32_t slice)
{
	int again = dup(from);
	DIR *folder = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *e;
	bool ok = folder != NULL;
	char name[NAME_MAX + 32];

	while (ok && (e = readdir(folder))) {
		if (strncmp(e->d_name, "part-", 5) != 0)
			continue;
		(void)snprintf(name, sizeof name, "part-%" PRIu32 "-%s", slice, e->d_name + 5);
		ok = renameat(from, e->d_name, to, name) == 0;
	}
	if (folder)
		(void)closedir(folder);
	else if (again >= 0)
		(void)close(again);
	return ok && fsync(to) == 0;
}

static bool move_bucket(int root, int rows, const char *name, uint32_t slice)
{
	const char *bucket = name + strlen("sotto_");
	int from = openat(rows, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), to;
	bool ok;

	if (mkdirat(root, bucket, S_IRWXU) != 0 && errno != EEXIST) {
		if (from >= 0)
			(void)close(from);
		return false;
	}
	to = openat(root, bucket, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	ok = from >= 0 && to >= 0 && move_files(from, to, slice);
	if (from >= 0)
		(void)close(from);
	if (to >= 0)
		(void)close(to);
	return ok;
}

static bool move_slice(int root, const char *path, uint32_t slice)
{
	DIR *folder = opendir(path);
	struct dirent *e;
	bool ok = true;

	if (!folder)
		return errno == ENOENT; /* moved, and removed, before */
	while (ok && (e = readdir(folder)))
		if (strncmp(e->d_name, "sotto_bucket=", 13) == 0)
			ok = move_bucket(root, dirfd(folder), e->d_name, slice);
	(void)closedir(folder);
	return ok;
}

enum sotto_status sotto_layout_folder_gather(struct sotto_layout_folder *f,
					     struct sotto_arena *a, uint32_t slices)
{
	const char *name = strrchr(f->job, '/') + 1, *path;

	if (!mark(f->job) || !sync_folder(f->lock, name) || fsync(f->lock) != 0)
		return SOTTO_EIO;
	for (uint32_t i = 0; i < slices; i++) {
		path = sotto_arena_textf(a, "%s/slice-%" PRIu32 "/rows", f->job, i);
		if (!path)
			return SOTTO_ENOMEM;
		if (!move_slice(f->lock, path, i))
			return SOTTO_EIO;
	}
	return fsync(f->lock) == 0 ? SOTTO_OK : SOTTO_EIO;
}

/* ---- the end ------------------------------------------------------------------------ */

enum sotto_status sotto_layout_folder_keep(struct sotto_layout_folder *f)
{
	sotto_layout_remove(f->lock, strrchr(f->job, '/') + 1);
	if (fsync(f->lock) != 0 || rename(f->unfinished, f->destination) != 0)
		return SOTTO_EIO;
	return SOTTO_OK;
}

static bool has_slices(const struct sotto_layout_folder *f)
{
	DIR *folder = f->job ? opendir(f->job) : NULL;
	struct dirent *e;
	bool found = false;

	while (folder && (e = readdir(folder)))
		found = found || strncmp(e->d_name, "slice-", 6) == 0;
	if (folder)
		(void)closedir(folder);
	return found;
}

void sotto_layout_folder_clear(struct sotto_layout_folder *f, bool keeps_slices)
{
	if (keeps_slices && has_slices(f))
		return;
	if (clear(f->lock, NULL))
		(void)rmdir(f->unfinished);
}

void sotto_layout_folder_close(struct sotto_layout_folder *f)
{
	if (f->lock >= 0)
		(void)close(f->lock);
	f->lock = -1;
}
