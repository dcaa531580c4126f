/*
 * Cuts files into ranges of rows, sends each to a worker as SQL, and compares the number and
 * the sum of hashes of the rows that were read with those that were written.
 */
#include "central/seal/layout/layout_slices.h"

#include <inttypes.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "central/engine/worker/process_limits.h"
#include "central/spread/bucket.h"
#include "central/spread/buckets_run.h"
#include "central/spread/refusal.h"
#include "central/seal/layout/layout_verify.h"
#include "central/seal/policy_workers.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

enum {
	GROUP = 122880, /* rows of a row group */
	SLICE_LEAST = 1 << 22, /* rows; a smaller one is not worth a worker's start */
	SLICE_MOST = 1 << 27,
	OPEN_FILES_SPARE = 64,
	SQL_MAX = 1 << 20,
};

/* Rows that wait in memory, of all threads of a worker, take about so many bytes. */
#define WAITING_BYTES ((uint64_t)1 << 30)

struct sotto_layout_range {
	size_t file;
	uint64_t first, count; /* rows */
};

/* ---- cutting ------------------------------------------------------------------------ */

static enum sotto_status
add_range(struct sotto_layout_slices *s, size_t file, uint64_t first, uint64_t count)
{
	struct sotto_layout_range *r = SOTTO_PUSH(s->arena, s->ranges, s->count);

	if (!r)
		return SOTTO_ENOMEM;
	*r = (struct sotto_layout_range){file, first, count};
	return SOTTO_OK;
}

/* A slice has enough rows for a row group in each bucket, if that is not too much. */
static uint64_t slice_rows(const struct sotto_layout_slices *s)
{
	uint64_t rows = s->how->slice ? s->how->slice : (uint64_t)GROUP * s->how->buckets;

	if (s->how->slice)
		return rows;
	return rows < SLICE_LEAST ? SLICE_LEAST : rows > SLICE_MOST ? SLICE_MOST : rows;
}

enum sotto_status sotto_layout_slices_cut(struct sotto_layout_slices *s)
{
	const struct sotto_layout_source *source = s->source;
	uint64_t most = slice_rows(s);

	if (source->total / most > SOTTO_BUCKETS_MAX / 2)
		most = source->total / (SOTTO_BUCKETS_MAX / 2) + 1;
	for (size_t i = 0; i < source->count; i++) {
		uint64_t step = source->has_row_numbers ? most : source->rows[i];

		for (uint64_t at = 0; at < source->rows[i]; at += step)
			SOTTO_TRY(add_range(s, i, at,
					    source->rows[i] - at < step ? source->rows[i] - at
									: step));
	}
	if (s->count > SOTTO_BUCKETS_MAX)
		return sotto_fail(s->err, SOTTO_ERANGE,
				  "%.200s has more than %d files; lay them out in several "
				  "steps, or join some",
				  source->given, SOTTO_BUCKETS_MAX);
	return SOTTO_OK;
}

/* ---- what a worker is asked --------------------------------------------------------- */

struct plan {
	struct sotto_layout_slices *slices;
	const char *bucket, *written_bucket; /* SQL, over the source and over what is written */
	struct sotto_bucket_job common;
	struct sotto_arena once; /* of one job */
	const char *settings; /* SQL */
	char engine[64];
	struct sotto_buffer check;
};

static bool by_row(const struct sotto_layout_slices *s)
{
	return strcmp(s->how->unit, SOTTO_LAYOUT_ROW) == 0;
}

/* The rows of a slice, as a table. */
static const char *range_sql(const struct plan *p, struct sotto_arena *a, uint32_t slice)
{
	const struct sotto_layout_slices *s = p->slices;
	const struct sotto_layout_range *r = &s->ranges[slice];
	const char *path = sotto_sql_quote_text(a, s->source->paths[r->file]), *where = NULL;

	if (path)
		where = s->source->has_row_numbers
				? sotto_arena_textf(a,
						    "\"" SOTTO_LAYOUT_FILE "\" = %s AND "
						    "file_row_number BETWEEN %" PRIu64
						    " AND %" PRIu64,
						    path, r->first, r->first + r->count - 1)
				: sotto_arena_textf(a, "\"" SOTTO_LAYOUT_FILE "\" = %s", path);
	return where ? sotto_arena_textf(a, "%s WHERE %s", s->source->relation, where) : NULL;
}

/* The rows of a slice with their buckets, as a view; and writing them. */
static const char *view_sql(const struct plan *p, struct sotto_arena *a, uint32_t slice)
{
	const char *range = range_sql(p, a, slice);

	return range ? sotto_arena_textf(a,
					 "CREATE VIEW slice AS SELECT * EXCLUDE "
					 "(\"" SOTTO_LAYOUT_FILE "\"), %s AS sotto_bucket FROM "
					 "%s",
					 p->bucket, range)
		     : NULL;
}

static const char copy_sql[] = "COPY (SELECT * FROM slice) TO 'rows' (FORMAT parquet, "
			       "PARTITION_BY (sotto_bucket), FILENAME_PATTERN 'part-{i}', "
			       "COMPRESSION snappy, ROW_GROUP_SIZE 122880, "
			       "OVERWRITE_OR_IGNORE true)";

/*
 * One row: how many rows there are, and whether what was written is anything else.  The sum of
 * the hashes of rows is the same for the same rows in any order.
 */
static const char *compare_sql(const struct plan *p, struct sotto_arena *a)
{
	static const char sums[] = "SELECT count(*) AS n, coalesce(sum(CAST(hash(t) AS "
				   "HUGEINT)), 0) AS h FROM ";
	static const char written[] = "read_parquet('rows/*/*.parquet', hive_partitioning = "
				      "false, filename = '" SOTTO_LAYOUT_FILE "')";

	return sotto_arena_textf(
		a,
		"SELECT CAST(s.n AS HUGEINT) AS m0, CAST(CASE WHEN s.n = w.n AND s.h = w.h AND "
		"o.n = 0 THEN 0 ELSE 1 END AS HUGEINT) AS m1 FROM (%s(SELECT * EXCLUDE "
		"(sotto_bucket) FROM slice) AS t) AS s, (%s(SELECT * EXCLUDE "
		"(\"" SOTTO_LAYOUT_FILE "\") FROM %s) AS t) AS w, (SELECT count(*) AS n FROM "
		"(SELECT %s AS b, TRY_CAST(regexp_extract(\"" SOTTO_LAYOUT_FILE
		"\", 'sotto_bucket=([0-9]+)/', 1) AS INTEGER) AS f FROM %s) WHERE b IS "
		"DISTINCT "
		"FROM f) AS o",
		sums, sums, written, p->written_bucket, written);
}

static enum sotto_status make_job(void *context, uint32_t slice, struct sotto_bucket_job *out)
{
	struct plan *p = context;
	const struct sotto_layout_slices *s = p->slices;
	const struct sotto_layout_range *r = &s->ranges[slice];
	const struct sotto_identity *id = &s->source->read_ids[r->file];
	const char **statements;

	sotto_arena_release(&p->once);
	sotto_arena_init(&p->once, (size_t)256 << 20);
	*out = p->common;
	out->bucket = slice;
	out->files = sotto_arena_alloc(&p->once, sizeof *out->files);
	statements = sotto_arena_alloc(&p->once, 3 * sizeof *statements);
	if (!out->files || !statements)
		return SOTTO_ENOMEM;
	out->files[0] = (struct sotto_job_pin){.path = s->source->paths[r->file],
					       .kind = SOTTO_FILE_PARQUET,
					       .size = id->size,
					       .digest = id->digest};
	out->file_count = 1;
	statements[0] = p->settings;
	statements[1] = view_sql(p, &p->once, slice);
	statements[2] = copy_sql;
	out->statements = statements;
	out->statement_count = 3;
	return statements[1] ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- how much waits ----------------------------------------------------------------- */

/*
 * Rows that one thread may hold before it writes them.  A row is four times as large in memory
 * as in the file, and a row group in each bucket is enough.
 */
static uint64_t rows_waiting(const struct sotto_layout_slices *s, uint32_t threads)
{
	enum { LEAST = 2048, EXPANDS = 4, HEAD = 64 };
	uint64_t rows = s->source->total;
	uint64_t width = HEAD + (rows ? EXPANDS * s->source->bytes / rows : 0);
	uint64_t waiting = WAITING_BYTES / width / (threads ? threads : sotto_machine_cores());
	uint64_t most = (uint64_t)GROUP * s->how->buckets;

	waiting = waiting > most ? most : waiting;
	return waiting < LEAST ? LEAST : waiting;
}

static uint64_t files_open(const struct sotto_layout_slices *s)
{
	struct rlimit limit;
	uint64_t most = 1024;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 2 * OPEN_FILES_SPARE)
		most = limit.rlim_cur - OPEN_FILES_SPARE;
	return s->how->buckets < most ? s->how->buckets : most;
}

/* ---- running ------------------------------------------------------------------------ */

static enum sotto_status choose_bucket(struct plan *p)
{
	struct sotto_layout_slices *s = p->slices;
	enum sotto_status st;

	if (by_row(s)) {
		/* Rows of a vector stay together; where a row lies says nothing about it. */
		if (!s->source->has_row_numbers)
			return sotto_fail(s->err, SOTTO_EPARSE,
					  "%.200s has a column file_row_number, so its rows "
					  "cannot be told apart by their number; rename it",
					  s->source->given);
		p->bucket = sotto_arena_textf(
			s->arena, "CAST((file_row_number // 2048) %% %" PRIu32 " AS INTEGER)",
			s->how->buckets);
		p->written_bucket = "TRY_CAST(regexp_extract(\"" SOTTO_LAYOUT_FILE
				    "\", 'sotto_bucket=([0-9]+)/', 1) AS INTEGER)";
		return p->bucket ? SOTTO_OK : SOTTO_ENOMEM;
	}
	st = sotto_layout_bucket_sql(s->database, s->arena, s->source->relation, s->how->unit,
				     s->how->buckets, &p->bucket);
	p->written_bucket = p->bucket;
	if (st == SOTTO_EMISSING)
		return sotto_fail(s->err, st,
				  "%.200s has no column %.60s; --by names the column that says "
				  "who a row is about",
				  s->source->given, s->how->unit);
	return st == SOTTO_EIO ? sotto_layout_source_unreadable(s->source, s->err) : st;
}

static enum sotto_status ask_version(struct plan *p)
{
	struct sotto_engine_result *r = NULL;

	SOTTO_TRY(sotto_database_run(p->slices->database, "SELECT version()", &r));
	(void)snprintf(p->engine, sizeof p->engine, "%s", sotto_engine_cell(r, 0, 0).text);
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

static enum sotto_status begin(struct plan *p, const struct sotto_spread_settings *settings)
{
	struct sotto_layout_slices *s = p->slices;
	struct sotto_bucket_job *job = &p->common;

	SOTTO_TRY(choose_bucket(p));
	SOTTO_TRY(ask_version(p));
	SOTTO_TRY(sotto_bucket_compose_check(&p->check));
	*job = (struct sotto_bucket_job){.version = SOTTO_VERSION,
					 .engine = p->engine,
					 .plan = "layout",
					 .buckets = (uint32_t)s->count,
					 .check = sotto_buffer_text(&p->check),
					 .folder = s->folder->job,
					 .sql = compare_sql(p, s->arena)};
	sotto_workers_share(settings, 0, s->policy ? s->policy->memory : 0, &job->threads,
			    &job->memory);
	p->settings = sotto_arena_textf(s->arena,
					"SET partitioned_write_flush_threshold = %" PRIu64
					"; SET partitioned_write_max_open_files = %" PRIu64,
					rows_waiting(s, job->threads), files_open(s));
	if (!p->settings || !job->sql)
		return SOTTO_ENOMEM;
	return RAND_bytes(job->nonce, sizeof job->nonce) == 1 ? SOTTO_OK : SOTTO_EENTROPY;
}

static void on_done(void *context, uint32_t done, uint32_t slices)
{
	const struct plan *p = context;
	const struct sotto_layout_slices *s = p->slices;

	if (s->how->progress)
		s->how->progress(s->how->context, "writing", s->source->total / slices * done,
				 s->source->total);
}

static enum sotto_status tell(const struct sotto_layout_slices *s, enum sotto_status st,
			      const struct sotto_spread_account *account)
{
	if (st == SOTTO_ENOMEM || st == SOTTO_EENTROPY)
		return st;
	if (account->is_refused && account->refusal == SOTTO_REFUSAL_FILES)
		return sotto_fail(
			s->err, SOTTO_ESTATE,
			"%.200s changed while it was read; run sotto layout again when "
			"it is whole",
			s->source->given);
	if (account->is_refused && account->refusal == SOTTO_REFUSAL_VERSION)
		return sotto_fail(s->err, SOTTO_EIO, "%s: install the same one everywhere",
				  sotto_refusal_text(SOTTO_REFUSAL_VERSION));
	return sotto_fail(
		s->err, SOTTO_EIO,
		"the rows of %.200s could not be written to %.200s; check that there is room, "
		"that workers can be started, and that no column is called "
		"sotto_bucket%s%.300s",
		s->source->given, s->folder->unfinished,
		account->words[0] ? "; the last worker said: " : "", account->words);
}

static enum sotto_status
judge(const struct sotto_layout_slices *s, const struct sotto_engine_result *r)
{
	int64_t rows = sotto_engine_exact(r, 0, 0).secret;
	int64_t wrong = sotto_engine_exact(r, 0, 1).secret;

	if (wrong == 0 && (uint64_t)rows == s->source->total)
		return SOTTO_OK;
	return sotto_fail(s->err, SOTTO_ESTATE,
			  "what was written is not what %.200s holds; did it change meanwhile? "
			  "run sotto layout again",
			  s->source->given);
}

static enum sotto_status run(struct plan *p)
{
	static const struct sotto_policy none;
	struct sotto_layout_slices *s = p->slices;
	const struct sotto_spread_settings settings =
		sotto_policy_workers(s->policy ? s->policy : &none, (uint32_t)s->count,
				     s->policy && !s->how->processes ? 0
				     : s->how->processes             ? s->how->processes
								     : 1);
	const struct sotto_partial_shape shape = {.measures = 2};
	const struct sotto_spread_work work = {.settings = &settings,
					       .shape = &shape,
					       .job = make_job,
					       .job_context = p,
					       .done = on_done,
					       .done_context = p,
					       .time = UINT64_MAX};
	struct sotto_spread_account account = {0};
	struct sotto_engine_result *r = NULL;
	const char *const *words;
	enum sotto_status st;

	SOTTO_TRY(begin(p, &settings));
	SOTTO_TRY(settings.launcher->command(s->arena, &settings, 0, 0, &words, s->err));
	st = sotto_buckets_run(&work, &r, &account);
	if (st != SOTTO_OK)
		return tell(s, st, &account);
	st = judge(s, r);
	sotto_engine_result_free(r);
	return st;
}

enum sotto_status sotto_layout_slices_run(struct sotto_layout_slices *s)
{
	struct plan p = {.slices = s};
	enum sotto_status st;

	sotto_arena_init(&p.once, (size_t)256 << 20);
	sotto_buffer_init(&p.check, SQL_MAX);
	st = s->count > 0 ? run(&p) : choose_bucket(&p);
	sotto_buffer_release(&p.check);
	sotto_arena_release(&p.once);
	return st;
}
