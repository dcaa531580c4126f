/*
 * Looks for this program itself, then beside the library and the program, in the prefix and in
 * PATH; a file that others could have put there is passed over.
 */
#include "central/engine/worker/worker_find.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/failure.h"

enum { FOLDERS_UP = 10 };

static uid_t owner_of(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 ? s.st_uid : 0;
}

static bool is_known(uid_t who, uid_t owner)
{
	return who == 0 || who == geteuid() || who == owner;
}

/* Can others put another file in the place of this one? */
static bool is_open_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	struct stat s;

	if (!slash || (size_t)(slash - path) + 2 > sizeof folder)
		return true;
	memcpy(folder, path, (size_t)(slash - path) + 1);
	folder[slash - path + 1] = '\0';
	return stat(folder, &s) != 0 || ((s.st_mode & S_IWOTH) && !(s.st_mode & S_ISVTX));
}

/*
 * A file that anybody could have put there, as in /tmp, is not run over private rows; nor is one
 * that somebody's link leads to, since it may lead elsewhere a moment later.
 */
static bool is_trusted(const char *path, uid_t owner)
{
	struct stat s, link;

	return lstat(path, &link) == 0 && is_known(link.st_uid, owner) && stat(path, &s) == 0 &&
	       S_ISREG(s.st_mode) && access(path, X_OK) == 0 && !(s.st_mode & S_IWOTH) &&
	       is_known(s.st_uid, owner) && !is_open_folder(path);
}

static bool
try(const char *folder, size_t n, const char *name, uid_t owner, char *out, size_t size)
{
	return snprintf(out, size, "%.*s%s", (int)n, folder, name) < (int)size &&
	       is_trusted(out, owner);
}

/* In the folder of a file, in those above it, and in bin beside them. */
static bool find_near(const char *file, char *out, size_t size)
{
	uid_t owner = owner_of(file);
	size_t n = strlen(file);

	for (int up = 0; up < FOLDERS_UP; up++) {
		while (n > 0 && file[n - 1] != '/')
			n--;
		if (n <= 1)
			return false;
		if (try(file, n, "sotto", owner, out, size) ||
		    try(file, n, "bin/sotto", owner, out, size))
			return true;
		n--;
	}
	return false;
}

static bool find_in_path(char *out, size_t size)
{
	const char *path = getenv("PATH");

	for (; path && *path; path += strspn(path, ":")) {
		size_t n = strcspn(path, ":");

		if (*path == '/' && try(path, n, "/sotto", 0, out, size))
			return true;
		path += n;
	}
	return false;
}

/* The shared library that this code is in; false in a program that holds the code itself. */
static bool find_near_library(char *out, size_t size)
{
	const char *slash;
	Dl_info info;

	if (!dladdr((const void *)(uintptr_t)find_near_library, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	return slash && strncmp(slash, "/libsotto.", strlen("/libsotto.")) == 0 &&
	       find_near(info.dli_fname, out, size);
}

static bool find(char *out, size_t size)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	const char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	/* A program that was replaced while it runs is still there under this name. */
	if (slash && (strcmp(slash, "/sotto") == 0 || strcmp(slash, "/sotto (deleted)") == 0))
		return snprintf(out, size, "/proc/self/exe") < (int)size;
	/* A program may be anybody's, like python; the library's own sotto is of its version. */
	return find_near_library(out, size) || find_near(self, out, size) ||
	       try(SOTTO_PREFIX, strlen(SOTTO_PREFIX), "/bin/sotto", 0, out, size) ||
	       find_in_path(out, size);
}

enum sotto_status sotto_worker_find(char *out, size_t size, struct sotto_error *err)
{
	const char *chosen = getenv("SOTTO_WORKER");

	if (chosen && *chosen) {
		if (snprintf(out, size, "%s", chosen) < (int)size && access(out, X_OK) == 0)
			return SOTTO_OK;
		return sotto_fail(err, SOTTO_EMISSING,
				  "SOTTO_WORKER is %.200s, which is not a program; let it name "
				  "the program sotto, or unset it",
				  chosen);
	}
	if (find(out, size))
		return SOTTO_OK;
	return sotto_fail(err, SOTTO_EMISSING,
			  "the program sotto, which runs the engine, was not found; install "
			  "it or set SOTTO_WORKER to its file");
}

enum sotto_status sotto_worker_find_for_buckets(char *out, size_t size, struct sotto_error *err)
{
	const char *slash;

	SOTTO_TRY(sotto_worker_find(out, size, err));
	slash = strrchr(out, '/');
	if (strcmp(slash ? slash + 1 : out, "sotto-worker") != 0)
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_EMISSING,
		"SOTTO_WORKER is %.200s, which cannot work on buckets; let it name the "
		"program sotto, or unset it",
		out);
}

/* Of a program that was replaced while it runs, nothing beside it is of its build. */
bool sotto_worker_find_small(const char *program, char *out, size_t size)
{
	static const char *const places[] = {"sotto-worker", "../lib/sotto/sotto-worker"};
	const char *chosen = getenv("SOTTO_WORKER");
	char full[PATH_MAX];
	const char *slash;

	if ((chosen && *chosen) || !realpath(program, full))
		return false;
	slash = strrchr(full, '/');
	for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++)
		if (try(full, (size_t)(slash - full) + 1, places[i], owner_of(full), out, size))
			return true;
	return false;
}
