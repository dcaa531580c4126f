/*
 * Fills a draft beside the ledger and gives it its name with link(), which fails if there is
 * one; a ledger that cannot be written is opened as immutable.
 */
#include "core/ledger/store/ledger_store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/ledger/store/ledger_store_error.h"
#include "core/ledger/store/statement_reuse.h"

enum { BUSY_MILLISECONDS = 30000, PATH_CAP = 4096 };

enum sotto_status
sotto_store_execute(struct sotto_store *s, const char *sql, struct sotto_error *err)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? SOTTO_OK
		       : sotto_store_failure(s, err);
}

static enum sotto_status
open_file(struct sotto_store *s, const char *name, int flags, struct sotto_error *err)
{
	int opened = sqlite3_open_v2(
		name, &s->db, flags | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_FULLMUTEX, NULL);

	if (!s->db)
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	if (opened != SQLITE_OK)
		return sotto_store_failure(s, err);
	sqlite3_busy_timeout(s->db, BUSY_MILLISECONDS);
	return SOTTO_OK;
}

static enum sotto_status set_up(struct sotto_store *s, struct sotto_error *err)
{
	return sotto_store_execute(s,
				   "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
				   "PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL;",
				   err);
}

static bool has_log(const struct sotto_store *s)
{
	char *log = NULL;
	struct stat about;
	bool found;

	if (asprintf(&log, "%s-wal", s->path) < 0)
		return true;
	found = stat(log, &about) == 0 && about.st_size > 0;
	free(log);
	return found;
}

/* What means something in a name of SQLite's is written by its number. */
static char *frozen_name(const char *path)
{
	sqlite3_str *name = sqlite3_str_new(NULL);

	sqlite3_str_appendall(name, "file:");
	for (; *path; path++)
		sqlite3_str_appendf(name, strchr("?#%", *path) ? "%%%02x" : "%c", *path);
	sqlite3_str_appendall(name, "?immutable=1");
	return sqlite3_str_finish(name);
}

/*
 * A write-ahead log needs a second file beside the ledger, also for reading.  Where none can
 * be made, a ledger that was closed in order has no log either, and is read as it lies
 * there; nobody can write it, so it cannot change under our eyes.
 */
static enum sotto_status freeze(struct sotto_store *s, struct sotto_error *err)
{
	char *name = frozen_name(s->path);
	enum sotto_status st;

	sotto_store_disconnect(s);
	st = name ? open_file(s, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err)
		  : sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	sqlite3_free(name);
	return st;
}

static bool needs_more_files(const struct sotto_store *s)
{
	int code = sqlite3_errcode(s->db);

	return (code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && !has_log(s);
}

enum sotto_status sotto_store_connect_any(struct sotto_store *s, struct sotto_error *err)
{
	SOTTO_TRY(open_file(s, s->path, SQLITE_OPEN_READWRITE, err));
	s->is_read_only = sqlite3_db_readonly(s->db, "main") == 1 || access(s->path, W_OK) != 0;
	if (s->is_read_only &&
	    sqlite3_exec(s->db, "SELECT 1 FROM sqlite_schema", NULL, NULL, NULL) != SQLITE_OK) {
		if (!needs_more_files(s))
			return sotto_store_failure(s, err);
		SOTTO_TRY(freeze(s, err));
	}
	return set_up(s, err);
}

/* Sets s->db, also on failure; messages name s->path. */
static enum sotto_status
connect_to(struct sotto_store *s, const char *path, struct sotto_error *err)
{
	SOTTO_TRY(open_file(s, path, SQLITE_OPEN_READWRITE, err));
	return set_up(s, err);
}

void sotto_store_disconnect(struct sotto_store *s)
{
	sotto_statement_close(s->db);
	s->db = NULL;
}

/* Makes the name durable too. */
static void sync_folder_of(const char *path)
{
	char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
	int fd;

	if (slash)
		slash[slash == folder] = '\0';
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		(void)fsync(fd);
		(void)close(fd);
	}
	free(folder);
}

static enum sotto_status cannot_make(const char *path, struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_EIO,
			  "the ledger %s could not be created; check that its folder exists "
			  "and can be written",
			  path);
}

/* Fills the draft and gives it its name, unless somebody was quicker. */
static enum sotto_status make_from_draft(const char *path, char *draft,
					 sotto_store_fill_fn fill, void *context, bool *exists,
					 struct sotto_error *err)
{
	struct sotto_store s = {.path = draft};
	enum sotto_status st = connect_to(&s, draft, err);

	if (st == SOTTO_OK)
		st = fill(&s, context, err);
	sotto_store_disconnect(&s);
	SOTTO_TRY(st);
	*exists = link(draft, path) != 0;
	if (*exists && errno != EEXIST)
		return cannot_make(path, err);
	sync_folder_of(path);
	return SOTTO_OK;
}

enum sotto_status sotto_store_make_file(const char *path, sotto_store_fill_fn fill,
					void *context, bool *exists, struct sotto_error *err)
{
	struct sotto_buffer draft;
	enum sotto_status st;
	int fd;

	sotto_buffer_init(&draft, PATH_CAP);
	st = sotto_buffer_appendf(&draft, "%s.new-XXXXXX", path);
	if (st != SOTTO_OK) {
		sotto_buffer_release(&draft);
		return st;
	}
	fd = mkstemp(draft.bytes); /* readable by its owner only */
	if (fd < 0) {
		sotto_buffer_release(&draft);
		return cannot_make(path, err);
	}
	(void)close(fd);
	st = make_from_draft(path, draft.bytes, fill, context, exists, err);
	(void)unlink(draft.bytes);
	sotto_buffer_release(&draft);
	return st;
}
