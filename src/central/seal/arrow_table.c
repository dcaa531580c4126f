/*
 * A table in memory becomes a Parquet file: sotto/owner.h.
 *
 * The engine scans the stream and writes the file beside its name, where only the owner can
 * read it; it gets its name when it is whole.  What the engine says may hold values, so
 * it is not repeated.
 */
#include "sotto/owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "central/seal/parquet_copy.h"
#include "central/seal/seal_database.h"
#include "core/base/arena.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

enum { TEXT_CAP = 1 << 20 };

/* ---- the engine asks for the schema several times and releases none of them ------------------- */

/* A stream whose schema is asked for once, kept, and lent out. */
struct lent_stream {
	struct ArrowArrayStream outer;
	struct ArrowArrayStream *inner;
	struct ArrowSchema schema;
};

static void schema_stays(struct ArrowSchema *s)
{
	s->release = NULL;
}

static int lent_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	const struct lent_stream *l = stream->private_data;

	*out = l->schema;
	out->release = schema_stays;
	return 0;
}

static int lent_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct ArrowArrayStream *inner = ((struct lent_stream *)stream->private_data)->inner;

	return inner->get_next(inner, out);
}

static const char *lent_error(struct ArrowArrayStream *stream)
{
	(void)stream;
	return "the table could not be read"; /* the producer's words may hold values */
}

static void stream_stays(struct ArrowArrayStream *stream)
{
	stream->release = NULL;
}

static enum sotto_status
lend(struct lent_stream *l, struct ArrowArrayStream *inner, struct sotto_error *err)
{
	*l = (struct lent_stream){.inner = inner};
	l->outer =
		(struct ArrowArrayStream){lent_schema, lent_next, lent_error, stream_stays, l};
	if (inner->get_schema(inner, &l->schema) != 0 || !l->schema.release)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "the table does not say which columns it has");
	return SOTTO_OK;
}

static void lent_release(struct lent_stream *l)
{
	if (l->schema.release)
		l->schema.release(&l->schema);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Formats of Arrow that the engine cannot read, with what to use instead. */
static const char *instead_of(const char *format)
{
	const char *width = strrchr(format, ',');

	if (strcmp(format, "e") == 0)
		return "numbers of 16 bits; cast it to float32";
	if (format[0] == 'd' && width && strcmp(width, ",256") == 0)
		return "decimals of 256 bits; cast it to decimal128";
	if (strncmp(format, "_pl", 3) == 0)
		return "whole numbers of 128 bits; cast it to 64 bits or to text";
	if (strcmp(format, "+r") == 0)
		return "runs instead of values; decode it";
	return NULL;
}

/*
 * What is read of the table: each column as it is, but times in whole microseconds, the
 * finest that a question can compare.
 */
static enum sotto_status columns_of(const struct ArrowSchema *table, struct sotto_arena *a,
				    const char **out, struct sotto_error *err)
{
	const char *list = "*", *comma = " REPLACE (";

	for (int64_t i = 0; i < table->n_children; i++) {
		const struct ArrowSchema *c = table->children[i];
		const char *instead = instead_of(c->format);
		const char *name;

		if (instead)
			return sotto_fail(err, SOTTO_EREFUSED, "the column %.100s has %s",
					  c->name ? c->name : "", instead);
		if (strcmp(c->format, "tsn:") != 0 || !c->name)
			continue;
		name = sotto_sql_quote_name(a, c->name);
		list = name ? sotto_arena_textf(a, "%s%sCAST(%s AS TIMESTAMP) AS %s", list,
						comma, name, name)
			    : NULL;
		if (!list)
			return SOTTO_ENOMEM;
		comma = ", ";
	}
	*out = comma[0] == ',' ? sotto_arena_textf(a, "%s)", list) : list;
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status write_file(struct sotto_database *d, struct sotto_arena *a,
				    struct lent_stream *lent, const char *path,
				    const char **beside, struct sotto_error *err)
{
	const char *columns = NULL, *query;
	enum sotto_status st;

	SOTTO_TRY(columns_of(&lent->schema, a, &columns, err));
	query = sotto_arena_textf(a, "SELECT %s FROM sotto_frame", columns);
	if (!query)
		return SOTTO_ENOMEM;
	if (d->api.duckdb_arrow_scan(d->connection, "sotto_frame",
				     (duckdb_arrow_stream)&lent->outer) == DuckDBError)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "the table has a column of a type that cannot be read; use "
				  "numbers, texts, truth values, dates and times");
	st = sotto_parquet_copy_write(d, a, query, path, beside);
	if (st == SOTTO_OK || st == SOTTO_ENOMEM)
		return st;
	return sotto_fail(err, SOTTO_EREFUSED,
			  "the table could not be written to %.200s: its columns must be "
			  "numbers, texts, truth values, dates or times, and there "
			  "must be room on the disk",
			  path);
}

static enum sotto_status store_beside(struct ArrowArrayStream *stream, struct sotto_arena *a,
				      const char *path, const char **beside,
				      struct sotto_error *err)
{
	struct lent_stream lent;
	struct sotto_database d;
	enum sotto_status st;

	SOTTO_TRY(sotto_database_open(&d, err));
	st = lend(&lent, stream, err);
	if (st == SOTTO_OK)
		st = write_file(&d, a, &lent, path, beside, err);
	sotto_database_close(&d);
	lent_release(&lent);
	return st;
}

static enum sotto_status store(struct ArrowArrayStream *stream, struct sotto_arena *a,
			       const char *path, struct sotto_error *err)
{
	const char *beside = NULL;
	struct stat there;

	if (lstat(path, &there) == 0)
		return sotto_fail(err, SOTTO_ESTATE, "there is a file %.200s already", path);
	SOTTO_TRY(store_beside(stream, a, path, &beside, err));
	if (sotto_parquet_copy_keep(beside, path) == SOTTO_OK)
		return SOTTO_OK;
	return sotto_fail(err, SOTTO_EIO, "%.200s could not be written", path);
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
