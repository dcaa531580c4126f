/*
 * Makes an empty file that nobody else can read before the engine writes into it, since the engine
 * itself would let everybody read it; syncs it before it is renamed.
 */
#include "central/seal/parquet_copy.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/sql_quote.h"

static bool make_empty(const char *path)
{
	int file;

	(void)unlink(path);
	file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
	return file >= 0 && close(file) == 0;
}

static bool sync_file(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = file >= 0 && fsync(file) == 0;

	if (file >= 0)
		(void)close(file);
	return ok;
}

enum sotto_status sotto_parquet_copy_write(struct sotto_database *d, struct sotto_arena *a,
					   const char *query, const char *path,
					   const char **temporary)
{
	const char *beside = sotto_arena_textf(a, "%s.new", path);
	const char *quoted = beside ? sotto_sql_quote_text(a, beside) : NULL;
	const char *sql =
		quoted ? sotto_arena_textf(
				 a,
				 "COPY (%s) TO %s (FORMAT parquet, COMPRESSION snappy, "
				 "ROW_GROUP_SIZE 122880, ROW_GROUP_SIZE_BYTES '128MB', "
				 "USE_TMP_FILE false, OVERWRITE true)",
				 query, quoted)
		       : NULL;

	if (!sql)
		return SOTTO_ENOMEM;
	if (!make_empty(beside) || sotto_database_execute(d, sql) != SOTTO_OK) {
		(void)unlink(beside);
		return SOTTO_EIO;
	}
	*temporary = beside;
	return SOTTO_OK;
}

enum sotto_status sotto_parquet_copy_keep(const char *temporary, const char *path)
{
	if (sync_file(temporary) && rename(temporary, path) == 0)
		return SOTTO_OK;
	(void)unlink(temporary);
	return SOTTO_EIO;
}
