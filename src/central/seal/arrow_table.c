/*
 * A table in memory becomes a Parquet file: sotto/arrow.h.
 *
 * The engine scans the stream and writes the file beside its name, where only the owner can
 * read it; it gets its name when it is whole.  What the engine says may hold values, so
 * it is not repeated.
 */
#include "sotto/arrow.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "central/seal/seal_database.h"
#include "core/base/arena.h"
#include "core/base/failure.h"

enum { TEXT_CAP = 1 << 20 };

/* A path between quotes, each quote in it doubled. */
static const char *quoted(struct sotto_arena *a, const char *path)
{
	char *out = sotto_arena_alloc(a, 2 * strlen(path) + 3), *end = out;

	if (!out)
		return NULL;
	*end++ = '\'';
	for (; *path; path++) {
		if (*path == '\'')
			*end++ = '\'';
		*end++ = *path;
	}
	*end = '\'';
	return out;
}

/* Only the owner can read it, from its first byte on. */
static enum sotto_status make_file(const char *path, struct sotto_error *err)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (file < 0)
		return sotto_fail(err, SOTTO_EIO, "%.200s could not be written", path);
	(void)close(file);
	return SOTTO_OK;
}

static enum sotto_status write_file(struct sotto_database *d, struct sotto_arena *a,
				    struct ArrowArrayStream *stream, const char *path,
				    struct sotto_error *err)
{
	const char *name = quoted(a, path);
	const char *sql =
		name ? sotto_arena_textf(a,
					 "COPY (SELECT * FROM sotto_frame) TO %s (FORMAT "
					 "parquet, COMPRESSION snappy)",
					 name)
		     : NULL;

	if (!sql)
		return SOTTO_ENOMEM;
	if (d->api.duckdb_arrow_scan(d->connection, "sotto_frame",
				     (duckdb_arrow_stream)stream) == DuckDBError)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "the table has a column of a type that cannot be read; use "
				  "numbers, texts, truth values, dates and times");
	if (sotto_database_execute(d, sql) != SOTTO_OK)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"the table could not be written to %.200s: its columns must be "
			"numbers, texts, truth values, dates or times, and there "
			"must be room on the disk",
			path);
	return SOTTO_OK;
}

static enum sotto_status store_beside(struct ArrowArrayStream *stream, struct sotto_arena *a,
				      const char *beside, struct sotto_error *err)
{
	struct sotto_database d;
	enum sotto_status st;

	SOTTO_TRY(sotto_database_open(&d, err));
	st = make_file(beside, err);
	if (st == SOTTO_OK)
		st = write_file(&d, a, stream, beside, err);
	sotto_database_close(&d);
	return st;
}

static enum sotto_status store(struct ArrowArrayStream *stream, struct sotto_arena *a,
			       const char *path, struct sotto_error *err)
{
	const char *beside = sotto_arena_textf(a, "%s.new", path);
	struct stat there;
	enum sotto_status st;

	if (!beside)
		return SOTTO_ENOMEM;
	if (lstat(path, &there) == 0)
		return sotto_fail(err, SOTTO_ESTATE, "there is a file %.200s already", path);
	st = store_beside(stream, a, beside, err);
	if (st == SOTTO_OK && (chmod(beside, 0600) != 0 || rename(beside, path) != 0))
		st = sotto_fail(err, SOTTO_EIO, "%.200s could not be written", path);
	if (st != SOTTO_OK)
		(void)unlink(beside);
	return st;
}

enum sotto_status
sotto_arrow_store(struct ArrowArrayStream *stream, const char *path, struct sotto_error *err)
{
	struct sotto_arena a;
	enum sotto_status st;

	if (!stream || !path || !*path)
		return sotto_fail(err, SOTTO_EINVAL, "a stream and a path are needed");
	if (!stream->release || !stream->get_schema || !stream->get_next)
		return sotto_fail(err, SOTTO_EINVAL, "the stream was released");
	sotto_arena_init(&a, TEXT_CAP);
	st = store(stream, &a, path, err);
	sotto_arena_release(&a);
	return st;
}
