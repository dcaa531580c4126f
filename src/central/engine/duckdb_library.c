/*
 * Looks for the library in SOTTO_DUCKDB, where the system looks, and beside the program, and
 * resolves every function before any is used.
 */
#include "central/engine/duckdb_library.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/failure.h"

enum { FOLDERS_UP = 10 };

/* A development build finds what tools/setup fetched, without any setting. */
static bool find_beside_program(const char *inside, char *path, size_t size)
{
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	char *folder;

	if (n <= 0)
		return false;
	program[n] = '\0';
	folder = dirname(program);
	for (int up = 0; up < FOLDERS_UP && strlen(folder) > 1; up++) {
		if (snprintf(path, size, "%s/%s/libduckdb.so", folder, inside) < (int)size &&
		    access(path, R_OK) == 0)
			return true;
		folder = dirname(folder);
	}
	return false;
}

bool sotto_duckdb_file(char *path, size_t size)
{
	const char *chosen = getenv("SOTTO_DUCKDB");

	if (chosen && *chosen)
		return snprintf(path, size, "%s", chosen) < (int)size &&
		       access(path, R_OK) == 0;
	return find_beside_program("lib/sotto", path, size) ||
	       find_beside_program(".cache/duckdb", path, size);
}

static void *open_library(const char *chosen)
{
	char path[PATH_MAX];
	void *handle;

	if (chosen && *chosen)
		return dlopen(chosen, RTLD_LAZY | RTLD_LOCAL);
	handle = dlopen("libduckdb.so", RTLD_LAZY | RTLD_LOCAL);
	if (!handle && find_beside_program(".cache/duckdb", path, sizeof path))
		handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	return handle;
}

enum sotto_status sotto_duckdb_load(struct sotto_duckdb *d, struct sotto_error *err)
{
	const char *chosen = getenv("SOTTO_DUCKDB");
	void *handle = open_library(chosen);

	if (!handle)
		return sotto_fail(
			err, SOTTO_EMISSING,
			"libduckdb.so could not be loaded%s%.200s; install DuckDB's C "
			"library or set SOTTO_DUCKDB to its file",
			chosen ? " from " : "", chosen ? chosen : "");
	*d = (struct sotto_duckdb){.handle = handle};
#define FIND(name)                                                                             \
	d->name = (__typeof__(d->name))dlsym(handle, #name);                                   \
	if (!d->name)                                                                          \
		return sotto_fail(err, SOTTO_EMISSING,                                         \
				  "libduckdb.so has no %s: version 1.4 "                       \
				  "or newer is needed",                                        \
				  #name);
	SOTTO_DUCKDB_LIST(FIND)
#undef FIND
	return SOTTO_OK;
}
