/*
 * Writes NAME.part, synchronizes it and renames it; for Parquet the engine converts the
 * complete CSV first.
 */
#include "census/publish/census_unfinished_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "census/measure/read/census_tables.h"
#include "core/base/failure.h"

bool sotto_census_unfinished_file_is_parquet(const struct sotto_census_unfinished_file *file)
{
	size_t n = strlen(file->name);

	return n > 8 && strcmp(file->name + n - 8, ".parquet") == 0;
}

static bool sync_path(const char *path)
{
	FILE *f = fopen(path, "r+e");
	bool ok = f && fsync(fileno(f)) == 0;

	if (f)
		(void)fclose(f);
	return ok;
}

/* A Parquet file is complete, too, before it has its name. */
static enum sotto_status convert(const struct sotto_census_unfinished_file *file,
				 size_t numbers, struct sotto_engine *e,
				 struct sotto_error *err)
{
	char *path = NULL;
	enum sotto_status st;

	if (asprintf(&path, "%s.columns.part", file->name) < 0)
		return SOTTO_ENOMEM;
	st = sotto_census_convert_parquet(e, file->part, path, numbers, err);
	if (st == SOTTO_OK && (!sync_path(path) || rename(path, file->name) != 0))
		st = sotto_fail(err, SOTTO_EIO, "%.300s could not be written", file->name);
	(void)unlink(st == SOTTO_OK ? file->part : path);
	free(path);
	return st;
}

enum sotto_status sotto_census_unfinished_file_settle(struct sotto_census_unfinished_file *file,
						      size_t numbers, struct sotto_engine *e,
						      struct sotto_error *err)
{
	bool failed =
		ferror(file->f) != 0 || fflush(file->f) != 0 || fsync(fileno(file->f)) != 0;

	failed |= fclose(file->f) != 0;
	file->f = NULL;
	if (failed)
		return sotto_fail(err, SOTTO_EIO, "%.300s could not be written", file->part);
	if (sotto_census_unfinished_file_is_parquet(file))
		return convert(file, numbers, e, err);
	if (rename(file->part, file->name) != 0)
		return sotto_fail(err, SOTTO_EIO, "%.300s could not be written", file->name);
	return SOTTO_OK;
}
