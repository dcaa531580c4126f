/*
 * Works relative to open folders and follows no links; an attempt has a random name, is
 * synchronized to the disk and is renamed, and only names of a layout are ever removed.
 */
#include "central/spread/slice_write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/failure.h"

enum { DEEPEST = 6 };

static int open_folder(int parent, const char *name)
{
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- removing ----------------------------------------------------------------------- */

bool sotto_layout_is_ours(const char *name)
{
	static const char *const beginnings[] = {
		"part-",    "bucket=", "sotto_bucket=",   "slice-",
		"attempt-", "job-",    "_source.parquet", "_gathered"};

	for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return strcmp(name, "rows") == 0;
}

static void remove_below(int parent, const char *name, unsigned depth)
{
	int fd = open_folder(parent, name);
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (!folder) {
		if (fd >= 0)
			(void)close(fd);
		(void)unlinkat(parent, name, 0);
		return;
	}
	while (depth < DEEPEST && (e = readdir(folder)))
		if (sotto_layout_is_ours(e->d_name))
			remove_below(fd, e->d_name, depth + 1);
	(void)closedir(folder);
	(void)unlinkat(parent, name, AT_REMOVEDIR); /* fails if anything else is left */
}

void sotto_layout_remove(int parent, const char *name)
{
	if (sotto_layout_is_ours(name))
		remove_below(parent, name, 0);
}

/* ---- keeping ------------------------------------------------------------------------ */

static bool sync_file(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = fd >= 0 && fchmod(fd, S_IRUSR | S_IWUSR) == 0 && fsync(fd) == 0;

	if (fd >= 0)
		(void)close(fd);
	return ok;
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* All files in it, and it. */
static bool sync_below(int parent, const char *name, unsigned depth)
{
	int fd = open_folder(parent, name);
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	bool ok;

	if (!folder) {
		if (fd >= 0)
			(void)close(fd);
		return sync_file(parent, name);
	}
	ok = depth < DEEPEST && fchmod(fd, S_IRWXU) == 0;
	while (ok && (e = readdir(folder)))
		if (!is_dots(e->d_name))
			ok = sync_below(fd, e->d_name, depth + 1);
	ok = ok && fsync(fd) == 0;
	(void)closedir(folder);
	return ok;
}

/* ---- a slice ------------------------------------------------------------------------ */

static enum sotto_status make_attempt(struct sotto_slice *s, uint32_t number)
{
	unsigned char random[8];
	int fd;
	bool ok;

	if (RAND_bytes(random, sizeof random) != 1)
		return SOTTO_EENTROPY;
	(void)snprintf(s->attempt, sizeof s->attempt, "attempt-%" PRIu32 "-", number);
	for (size_t i = 0; i < sizeof random; i++)
		(void)snprintf(s->attempt + strlen(s->attempt), 3, "%02x", random[i]);
	if (mkdirat(s->folder, s->attempt, S_IRWXU) != 0)
		return SOTTO_EIO;
	fd = open_folder(s->folder, s->attempt);
	ok = fd >= 0 && fchdir(fd) == 0;
	if (fd >= 0)
		(void)close(fd);
	return ok ? SOTTO_OK : SOTTO_EIO;
}

enum sotto_status sotto_slice_open(struct sotto_slice *s, const char *folder, uint32_t number)
{
	struct stat found;
	enum sotto_status st;

	*s = (struct sotto_slice){.folder = open_folder(AT_FDCWD, folder)};
	if (s->folder < 0)
		return SOTTO_EIO;
	(void)snprintf(s->name, sizeof s->name, "slice-%" PRIu32, number);
	s->is_there = fstatat(s->folder, s->name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
		      S_ISDIR(found.st_mode);
	st = s->is_there ? SOTTO_OK : make_attempt(s, number);
	if (st != SOTTO_OK)
		sotto_slice_close(s);
	return st;
}

enum sotto_status sotto_slice_keep(struct sotto_slice *s)
{
	if (s->is_there)
		return SOTTO_OK;
	if (!sync_below(s->folder, s->attempt, 0))
		return SOTTO_EIO;
	if (renameat(s->folder, s->attempt, s->folder, s->name) != 0 && errno != EEXIST &&
	    errno != ENOTEMPTY)
		return SOTTO_EIO;
	return fsync(s->folder) == 0 ? SOTTO_OK : SOTTO_EIO;
}

enum sotto_status sotto_slice_enter(const struct sotto_slice *s)
{
	int fd = open_folder(s->folder, s->name);
	bool ok = fd >= 0 && fchdir(fd) == 0;

	if (fd >= 0)
		(void)close(fd);
	return ok ? SOTTO_OK : SOTTO_EIO;
}

void sotto_slice_close(struct sotto_slice *s)
{
	if (s->folder >= 0 && s->attempt[0])
		sotto_layout_remove(s->folder, s->attempt);
	if (s->folder >= 0)
		(void)close(s->folder);
	s->folder = -1;
}
