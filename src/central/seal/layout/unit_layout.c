/*
 * (1) The destination appears under its name only when it is whole and on the disk.
 * (2) Every row of the source is in it once, in the folder of its bucket: compared before (1).
 * (3) Nothing but what an earlier attempt of this program left is ever removed.
 * (4) Memory does not grow with the source: rows wait for their file by a number that is set.
 */
#include "sotto/unit_layout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "central/engine/spread/bucket.h"
#include "central/parse/sql_print.h"
#include "central/seal/layout/layout_verify.h"
#include "core/base/failure.h"

enum { ARENA = 1 << 30, OPEN_FILES_SPARE = 64, LOOK_MILLISECONDS = 100 };

/* Rows that wait in memory, of all threads, take about so many bytes. */
#define WAITING_BYTES ((uint64_t)1 << 30)

struct job {
	const struct sotto_layout_options *how;
	struct sotto_arena arena;
	struct sotto_database database;
	struct sotto_files source;
	const char *relation; /* of the source */
	const char *unfinished; /* the folder before it has its name */
	struct sotto_layout layout;
	struct sotto_layout_count found;
	struct sotto_error *err;
};

/* ---- the engine, with a bar ------------------------------------------------------------------ */

struct statement {
	struct sotto_database *database;
	const char *sql;
	enum sotto_status status;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool has_ended;
};

static void *run_statement(void *context)
{
	struct statement *s = context;
	enum sotto_status st = sotto_database_execute(s->database, s->sql);

	(void)pthread_mutex_lock(&s->lock);
	s->status = st;
	s->has_ended = true;
	(void)pthread_cond_signal(&s->ended);
	(void)pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void wait_a_moment(struct statement *s)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_MILLISECONDS * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	(void)pthread_cond_timedwait(&s->ended, &s->lock, &until);
}

static void watch(struct job *j, struct statement *s, const char *what)
{
	(void)pthread_mutex_lock(&s->lock);
	while (!s->has_ended) {
		double done;

		wait_a_moment(s);
		done = j->database.api.duckdb_query_progress(j->database.connection).percentage;
		if (j->how->progress && done >= 0 && done <= 100)
			j->how->progress(j->how->context, what, (uint64_t)done, 100);
	}
	(void)pthread_mutex_unlock(&s->lock);
}

/* Runs a long statement in a thread of its own, and tells how far it is meanwhile. */
static enum sotto_status run_watched(struct job *j, const char *sql, const char *what)
{
	struct statement s = {.database = &j->database,
			      .sql = sql,
			      .lock = PTHREAD_MUTEX_INITIALIZER,
			      .ended = PTHREAD_COND_INITIALIZER};
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_statement, &s) != 0)
		return SOTTO_ENOMEM;
	watch(j, &s, what);
	(void)pthread_join(thread, NULL);
	return s.status;
}

/* ---- the source ------------------------------------------------------------------------------- */

static enum sotto_status find_source(struct job *j)
{
	const struct sotto_policy_table t = {.source = j->how->source, .written = ""};
	enum sotto_source_kind kind = sotto_source_kind(j->how->source);

	if (sotto_source_is_text(kind))
		return sotto_fail(
			j->err, SOTTO_EPARSE,
			"%.200s is a text; seal it first, and lay out the Parquet copy "
			"that sealing makes in sotto-sealed/",
			j->how->source);
	if (kind != SOTTO_SOURCE_PARQUET)
		return sotto_fail(j->err, SOTTO_EPARSE,
				  "%.200s must be a .parquet file, a pattern of them, or a "
				  "folder of them with a / at its end",
				  j->how->source);
	SOTTO_TRY(sotto_files_find(&j->source, &j->arena, &t));
	if (j->source.count == 0)
		return sotto_fail(j->err, SOTTO_EMISSING, "there is no Parquet file at %.200s",
				  j->how->source);
	j->relation = sotto_parquet_relation(&j->arena, j->source.paths, j->source.paths,
					     j->source.count, NULL);
	return j->relation ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status unreadable(const struct job *j)
{
	return sotto_fail(
		j->err, SOTTO_EIO,
		"%.200s could not be read: it is no Parquet, its files have different "
		"columns, or a text in it is not UTF-8 (sotto seal tells)",
		j->how->source);
}

/* ---- how much waits ----------------------------------------------------------------------------- */

static uint64_t source_bytes(const struct job *j)
{
	uint64_t bytes = 0;
	struct stat found;

	for (size_t i = 0; i < j->source.count; i++)
		if (stat(j->source.paths[i], &found) == 0)
			bytes += (uint64_t)found.st_size;
	return bytes;
}

/*
 * Rows that one thread may hold before it writes them.  A row is four times as large in memory
 * as in the file, and a row group in each bucket is enough.
 */
static uint64_t rows_waiting(const struct job *j, uint64_t rows)
{
	enum { GROUP = 122880, LEAST = 2048, EXPANDS = 4, HEAD = 64 };
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t width = HEAD + (rows ? EXPANDS * source_bytes(j) / rows : 0);
	uint64_t waiting = WAITING_BYTES / width / (cores > 0 ? (uint64_t)cores : 1);
	uint64_t most = (uint64_t)GROUP * j->how->buckets;

	waiting = waiting > most ? most : waiting;
	return waiting < LEAST ? LEAST : waiting;
}

static uint64_t files_open(const struct job *j)
{
	struct rlimit limit;
	uint64_t most = 1024;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 2 * OPEN_FILES_SPARE)
		most = limit.rlim_cur - OPEN_FILES_SPARE;
	return j->how->buckets < most ? j->how->buckets : most;
}

static enum sotto_status count_source(struct job *j, uint64_t *rows)
{
	const char *sql =
		sotto_arena_textf(&j->arena, "SELECT count(*)::BIGINT FROM %s", j->relation);
	struct sotto_engine_result *r = NULL;

	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(&j->database, sql, &r) != SOTTO_OK)
		return unreadable(j);
	*rows = (uint64_t)sotto_engine_cell(r, 0, 0).integer;
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

static enum sotto_status set_up(struct job *j, uint64_t rows)
{
	const char *sql = sotto_arena_textf(
		&j->arena,
		"SET enable_progress_bar = true; SET enable_progress_bar_print = false; "
		"SET partitioned_write_flush_threshold = %" PRIu64
		"; SET partitioned_write_max_open_files = %" PRIu64,
		rows_waiting(j, rows), files_open(j));

	if (!sql)
		return SOTTO_ENOMEM;
	return sotto_database_execute(&j->database, sql);
}

/* ---- the folder ----------------------------------------------------------------------------------- */

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* What an earlier attempt left; anything else stays, and rmdir then fails. */
static void remove_bucket(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	while (folder && (e = readdir(folder)))
		if (begins(e->d_name, "part-"))
			(void)unlinkat(fd, e->d_name, 0);
	if (folder)
		(void)closedir(folder);
	else if (fd >= 0)
		(void)close(fd);
	(void)unlinkat(parent, name, AT_REMOVEDIR);
}

static void clear_folder(int fd)
{
	int again = dup(fd);
	DIR *folder = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *e;

	if (folder)
		rewinddir(folder); /* the two descriptors share their place */
	while (folder && (e = readdir(folder)))
		if (begins(e->d_name, "bucket=") || begins(e->d_name, "sotto_bucket="))
			remove_bucket(fd, e->d_name);
	(void)unlinkat(fd, SOTTO_LAYOUT_NAME, 0);
	if (folder)
		(void)closedir(folder);
}

static bool is_empty(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *e;
	bool empty = folder != NULL;

	while (folder && (e = readdir(folder)))
		empty = empty && (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0);
	if (folder)
		(void)closedir(folder);
	return empty;
}

/* Made, locked and empty; *lock is its descriptor. */
static enum sotto_status make_folder(struct job *j, int *lock)
{
	struct stat found;
	int fd;

	if (lstat(j->how->destination, &found) == 0)
		return sotto_fail(j->err, SOTTO_ESTATE,
				  "%.200s is there already; name another folder, or remove it",
				  j->how->destination);
	if (mkdir(j->unfinished, S_IRWXU) != 0 && errno != EEXIST)
		return sotto_fail(j->err, SOTTO_EIO, "the folder %.200s could not be made",
				  j->unfinished);
	fd = open(j->unfinished, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return sotto_fail(j->err, SOTTO_EIO, "the folder %.200s could not be opened",
				  j->unfinished);
	if (fchmod(fd, S_IRWXU) != 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) {
		(void)close(fd);
		return sotto_fail(j->err, SOTTO_ESTATE,
				  "another sotto layout is writing %.200s; wait for it",
				  j->unfinished);
	}
	clear_folder(fd);
	if (!is_empty(j->unfinished)) {
		(void)close(fd);
		return sotto_fail(j->err, SOTTO_ESTATE,
				  "%.200s has files that no sotto layout wrote; move them away",
				  j->unfinished);
	}
	*lock = fd;
	return SOTTO_OK;
}

/* ---- writing ------------------------------------------------------------------------------------- */

/*
 * The engine names the folders after a column; one called bucket may be in the data, so that
 * column has another name, and the folders get theirs afterwards.
 */
static enum sotto_status write_files(struct job *j)
{
	const char *folder = sotto_sql_print_text(&j->arena, j->unfinished), *bucket, *sql;
	enum sotto_status st = sotto_layout_bucket_sql(&j->database, &j->arena, j->relation,
						       j->how->unit, j->how->buckets, &bucket);

	if (st == SOTTO_EMISSING)
		return sotto_fail(j->err, st,
				  "%.200s has no column %.60s; --by names the column that says "
				  "who a row is about",
				  j->how->source, j->how->unit);
	if (st == SOTTO_EIO)
		return unreadable(j);
	SOTTO_TRY(st);
	sql = folder ? sotto_arena_textf(
			       &j->arena,
			       "COPY (SELECT *, %s AS sotto_bucket FROM %s) TO %s (FORMAT "
			       "parquet, "
			       "PARTITION_BY (sotto_bucket), FILENAME_PATTERN 'part-{i}', "
			       "COMPRESSION snappy, ROW_GROUP_SIZE 122880, OVERWRITE_OR_IGNORE "
			       "true)",
			       bucket, j->relation, folder)
		     : NULL;
	if (!sql)
		return SOTTO_ENOMEM;
	if (run_watched(j, sql, "writing") != SOTTO_OK)
		return sotto_fail(j->err, SOTTO_EIO,
				  "the rows of %.200s could not be written to %.200s; is there "
				  "room, and has no column the name sotto_bucket?",
				  j->how->source, j->unfinished);
	return SOTTO_OK;
}

static enum sotto_status name_folders(int fd, const char *path)
{
	static const char first[] = "sotto_";
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, NULL);
	bool ok = n >= 0;

	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;

		if (begins(name, "sotto_bucket="))
			ok = ok && renameat(fd, name, fd, name + sizeof first - 1) == 0;
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ok ? SOTTO_OK : SOTTO_EIO;
}

static bool sync_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		(void)close(fd);
	return ok;
}

/* A file and the folder that names it. */
static bool keep_file(struct sotto_arena *a, const char *path)
{
	char *folder = sotto_arena_text(a, path), *slash = folder ? strrchr(folder, '/') : NULL;

	if (!slash)
		return false;
	*slash = '\0';
	return chmod(path, S_IRUSR | S_IWUSR) == 0 && sync_path(path) && sync_path(folder);
}

static enum sotto_status take_files(struct job *j, const struct sotto_files *files)
{
	size_t inside = strlen(j->unfinished) + 1;

	for (size_t i = 0; i < files->count; i++) {
		struct sotto_layout_file *f =
			SOTTO_PUSH(&j->arena, j->layout.files, j->layout.count);
		struct sotto_identity id;

		if (!f)
			return SOTTO_ENOMEM;
		if (!keep_file(&j->arena, files->paths[i]))
			return SOTTO_EIO;
		SOTTO_TRY(sotto_identity_take(&id, files->paths[i], SOTTO_FILE_PARQUET));
		*f = (struct sotto_layout_file){files->paths[i] + inside, id.size,
						sotto_arena_text(&j->arena, id.digest)};
		if (!f->digest)
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

/* ---- comparing --------------------------------------------------------------------------------------- */

/* A number that is the same for the same rows in any order, as text. */
static enum sotto_status
sum_rows(struct job *j, const char *relation, uint64_t *rows, const char **sum)
{
	const char *sql = sotto_arena_textf(
		&j->arena,
		"SELECT count(*)::BIGINT, coalesce(sum(CAST(hash(t) AS HUGEINT)), 0)::VARCHAR "
		"FROM (SELECT * FROM %s) AS t",
		relation);
	struct sotto_engine_result *r = NULL;

	if (!sql)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_database_run(&j->database, sql, &r));
	*rows = (uint64_t)sotto_engine_cell(r, 0, 0).integer;
	*sum = sotto_arena_text(&j->arena, sotto_engine_cell(r, 0, 1).text);
	sotto_engine_result_free(r);
	return *sum ? SOTTO_OK : SOTTO_ENOMEM;
}

static void tell(const struct job *j, const char *what, uint64_t done)
{
	if (j->how->progress)
		j->how->progress(j->how->context, what, done, 100);
}

static enum sotto_status compare(struct job *j, const struct sotto_files *files)
{
	const char *written =
		sotto_parquet_relation(&j->arena, files->paths, NULL, files->count, NULL);
	const char *before, *after = "0";
	uint64_t rows, rows_after = 0;

	if (!written)
		return SOTTO_ENOMEM;
	tell(j, "comparing", 0);
	SOTTO_TRY(sum_rows(j, j->relation, &rows, &before));
	tell(j, "comparing", 50);
	if (files->count > 0) {
		SOTTO_TRY(sum_rows(j, written, &rows_after, &after));
		tell(j, "comparing", 80);
		SOTTO_TRY(sotto_layout_count_rows(&j->database, &j->arena, files->paths,
						  files->count, j->how->unit, j->how->buckets,
						  &j->found));
	}
	tell(j, "comparing", 100);
	if (rows != rows_after || strcmp(before, after) != 0 || j->found.misplaced > 0 ||
	    j->found.rows != rows)
		return sotto_fail(j->err, SOTTO_EIO,
				  "what was written is not what %.200s holds; did it change "
				  "meanwhile? run sotto layout again",
				  j->how->source);
	return SOTTO_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static enum sotto_status could_not_keep(const struct job *j)
{
	return sotto_fail(j->err, SOTTO_EIO,
			  "the files in %.200s could not be kept; is there room?",
			  j->unfinished);
}

static enum sotto_status write_layout(struct job *j, int lock)
{
	struct sotto_files files = {0};
	uint64_t rows = 0;

	SOTTO_TRY(count_source(j, &rows));
	SOTTO_TRY(set_up(j, rows));
	SOTTO_TRY(write_files(j));
	if (name_folders(lock, j->unfinished) != SOTTO_OK ||
	    sotto_layout_files(&files, &j->arena, j->unfinished) != SOTTO_OK ||
	    take_files(j, &files) != SOTTO_OK)
		return could_not_keep(j);
	SOTTO_TRY(compare(j, &files));
	j->layout.unit = j->how->unit;
	j->layout.buckets = j->how->buckets;
	j->layout.rows = rows;
	if (sotto_layout_save(&j->layout, j->unfinished) != SOTTO_OK || fsync(lock) != 0 ||
	    rename(j->unfinished, j->how->destination) != 0)
		return could_not_keep(j);
	return SOTTO_OK;
}

static enum sotto_status write_locked(struct job *j)
{
	enum sotto_status st;
	int lock = -1;

	SOTTO_TRY(make_folder(j, &lock));
	st = sotto_database_open(&j->database, j->err);
	if (st == SOTTO_OK) {
		st = write_layout(j, lock);
		sotto_database_close(&j->database);
	}
	if (st != SOTTO_OK) {
		clear_folder(lock);
		(void)rmdir(j->unfinished);
	}
	(void)close(lock);
	return st;
}

static void report_on(const struct sotto_layout *l, struct sotto_layout_report *out)
{
	*out = (struct sotto_layout_report){
		.buckets = l->buckets, .files = l->count, .rows = l->rows};
	for (size_t i = 0; i < l->count; i++)
		out->bytes += l->files[i].size;
}

/* A path without the slashes at its end; NULL: no memory. */
static const char *plain_path(struct sotto_arena *a, const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return sotto_arena_textf(a, "%.*s", (int)n, path);
}

static enum sotto_status write_named(struct job *j)
{
	const struct sotto_layout_options *given = j->how;
	struct sotto_layout_options how = *given;
	enum sotto_status st;

	how.destination = plain_path(&j->arena, given->destination);
	j->unfinished = how.destination
				? sotto_arena_textf(&j->arena, "%s.unfinished", how.destination)
				: NULL;
	if (!j->unfinished)
		return SOTTO_ENOMEM;
	j->how = &how;
	st = find_source(j);
	if (st == SOTTO_OK)
		st = write_locked(j);
	j->how = given;
	return st;
}

enum sotto_status sotto_layout_write(const struct sotto_layout_options *options,
				     struct sotto_layout_report *report,
				     struct sotto_error *err)
{
	struct job j = {.how = options, .err = err};
	enum sotto_status st;

	if (!options || !options->source || !options->destination || !options->unit || !report)
		return sotto_fail(err, SOTTO_EINVAL,
				  "a layout needs a source, a destination and a unit");
	if (options->buckets < 1 || options->buckets > SOTTO_BUCKETS_MAX)
		return sotto_fail(err, SOTTO_ERANGE, "there can be 1 to %d buckets",
				  SOTTO_BUCKETS_MAX);
	sotto_arena_init(&j.arena, ARENA);
	st = write_named(&j);
	if (st == SOTTO_OK)
		report_on(&j.layout, report);
	sotto_arena_release(&j.arena);
	return st;
}

/* ---- checking ------------------------------------------------------------------------------------------- */

static enum sotto_status check_rows(struct job *j, const struct sotto_files *files)
{
	enum sotto_status st = SOTTO_OK;

	if (files->count > 0) {
		SOTTO_TRY(sotto_database_open(&j->database, j->err));
		st = sotto_layout_count_rows(&j->database, &j->arena, files->paths,
					     files->count, j->layout.unit, j->layout.buckets,
					     &j->found);
		sotto_database_close(&j->database);
	}
	if (st != SOTTO_OK)
		return sotto_fail(j->err, st == SOTTO_ENOMEM ? st : SOTTO_EIO,
				  "the files of %.200s could not be read", j->unfinished);
	if (j->found.misplaced > 0 || j->found.rows != j->layout.rows)
		return sotto_fail(j->err, SOTTO_ESTATE,
				  "rows of %.200s do not lie in the bucket of their %.60s; run "
				  "sotto layout again from the source",
				  j->unfinished, j->layout.unit);
	return SOTTO_OK;
}

static enum sotto_status check_folder(struct job *j)
{
	enum sotto_status st = sotto_layout_load(&j->layout, &j->arena, j->unfinished);
	struct sotto_files files;

	if (st == SOTTO_EMISSING)
		return sotto_fail(j->err, st, "%.200s has no " SOTTO_LAYOUT_NAME,
				  j->unfinished);
	if (st != SOTTO_OK)
		return sotto_fail(j->err, st,
				  "%.200s/" SOTTO_LAYOUT_NAME " is damaged, or of another "
				  "version of sotto or of its engine; run sotto layout again",
				  j->unfinished);
	SOTTO_TRY(sotto_layout_files(&files, &j->arena, j->unfinished));
	if (sotto_layout_check_files(&j->layout, &files, j->unfinished) != SOTTO_OK)
		return sotto_fail(
			j->err, SOTTO_ESTATE,
			"the files of %.200s are not those that sotto layout wrote; run "
			"it again",
			j->unfinished);
	return check_rows(j, &files);
}

enum sotto_status sotto_layout_check(const char *folder, sotto_layout_progress_fn progress,
				     void *context, struct sotto_layout_report *report,
				     struct sotto_error *err)
{
	const struct sotto_layout_options how = {.progress = progress, .context = context};
	struct job j = {.how = &how, .err = err};
	enum sotto_status st;

	if (!folder || !report)
		return sotto_fail(err, SOTTO_EINVAL, "a check needs a folder");
	sotto_arena_init(&j.arena, ARENA);
	j.unfinished = plain_path(&j.arena, folder);
	tell(&j, "checking", 0);
	st = j.unfinished ? check_folder(&j) : SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		report_on(&j.layout, report);
	sotto_arena_release(&j.arena);
	return st;
}
