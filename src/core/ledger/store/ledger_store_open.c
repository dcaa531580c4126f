/*
 * Opening a ledger, making a new one, and bringing one of an older version up to
 * date.
 */
#include "core/ledger/store/ledger_store_open.h"
#include "core/ledger/store/ledger_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/failure.h"
#include "core/ledger/store/ledger_store_error.h"
#include "core/ledger/store/ledger_store_file.h"

enum {
	FORMAT_VERSION = 5, /* entries of kind partly shared */
	MARKS_VERSION = 4,
	APPLICATION_ID = 0x736f7474, /* "sott" */
};

#define PART_TABLE                                                                             \
	"CREATE TABLE part(number INTEGER NOT NULL REFERENCES entry(number),"                  \
	" place INTEGER NOT NULL, what TEXT NOT NULL, bounded INTEGER NOT NULL,"               \
	" epsilon TEXT NOT NULL, delta TEXT NOT NULL, rho TEXT NOT NULL,"                      \
	" PRIMARY KEY(number, place)) STRICT, WITHOUT ROWID;"

/*
 * Further keys under which the answer of an entry is found.  They vouch for nothing: what is
 * found is an answer that its entry vouches for, and that says itself what it is about.
 */
#define MARK_TABLE                                                                             \
	"CREATE TABLE mark(key BLOB NOT NULL, number INTEGER NOT NULL REFERENCES "             \
	"entry(number), PRIMARY KEY(key, number)) STRICT, WITHOUT ROWID;"

/* From the first version: its rows stay as they are, with the format that is theirs. */
static const char additions[] =
	"ALTER TABLE entry ADD COLUMN format INTEGER NOT NULL DEFAULT 1;"
	"ALTER TABLE entry ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE entry ADD COLUMN data TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE entry ADD COLUMN parts INTEGER NOT NULL DEFAULT 0;" PART_TABLE;

/* The second version had the hash of a policy, which no ledger belongs to any more. */
static const char removals[] = "DROP TABLE IF EXISTS policy;";
static const char marks[] = MARK_TABLE;
static const char latest[] = "PRAGMA user_version = 5;";

static const char schema[] =
	"CREATE TABLE head(number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;"
	"CREATE TABLE entry(number INTEGER PRIMARY KEY, time INTEGER NOT NULL,"
	" analyst TEXT NOT NULL, query TEXT NOT NULL, key BLOB NOT NULL,"
	" bounded INTEGER NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
	" rho TEXT NOT NULL, hash BLOB NOT NULL, format INTEGER NOT NULL DEFAULT 1,"
	" kind INTEGER NOT NULL DEFAULT 0, data TEXT NOT NULL DEFAULT '',"
	" parts INTEGER NOT NULL DEFAULT 0) STRICT;" PART_TABLE MARK_TABLE
	"CREATE INDEX entry_by_key ON entry(key);"
	"CREATE TABLE answer(number INTEGER PRIMARY KEY REFERENCES entry(number),"
	" text TEXT NOT NULL, hash BLOB NOT NULL) STRICT;"
	"INSERT INTO head VALUES(0, zeroblob(32));";

static enum sotto_status
pragma_number(struct sotto_store *s, const char *sql, int64_t *out, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;

	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK)
		return sotto_store_failure(s, err);
	if (sqlite3_step(q) == SQLITE_ROW)
		*out = sqlite3_column_int64(q, 0);
	else
		st = sotto_store_failure(s, err);
	sqlite3_finalize(q);
	return st;
}

/* One step that is made whole or not at all; another process may be quicker. */
static enum sotto_status upgrade(struct sotto_store *s, struct sotto_error *err)
{
	int64_t version = 0;
	enum sotto_status st;

	SOTTO_TRY(sotto_store_execute(s, "BEGIN IMMEDIATE", err));
	st = pragma_number(s, "PRAGMA user_version", &version, err);
	if (st == SOTTO_OK && version < 2)
		st = sotto_store_execute(s, additions, err);
	if (st == SOTTO_OK && version < 3)
		st = sotto_store_execute(s, removals, err);
	if (st == SOTTO_OK && version < MARKS_VERSION)
		st = sotto_store_execute(s, marks, err);
	if (st == SOTTO_OK && version < FORMAT_VERSION)
		st = sotto_store_execute(s, latest, err);
	if (st == SOTTO_OK)
		st = sotto_store_execute(s, "COMMIT", err);
	if (st != SOTTO_OK)
		sotto_store_rollback(s);
	return st;
}

static enum sotto_status check_format(struct sotto_store *s, struct sotto_error *err)
{
	int64_t id = 0, version = 0;

	SOTTO_TRY(pragma_number(s, "PRAGMA application_id", &id, err));
	SOTTO_TRY(pragma_number(s, "PRAGMA user_version", &version, err));
	if (id != APPLICATION_ID)
		return sotto_fail(err, SOTTO_ECORRUPT,
				  "%s is not a ledger, or a damaged one; name another file, or "
				  "restore it from a backup",
				  s->path);
	if (version > FORMAT_VERSION)
		return sotto_fail(
			err, SOTTO_ESTATE,
			"the ledger %s was written by a newer version of sotto; use that "
			"version",
			s->path);
	if (version < 1)
		return sotto_store_damage(s, err);
	if (version < 2 && s->is_read_only)
		return sotto_fail(err, SOTTO_EIO,
				  "the ledger %s is of an older version and cannot be written; "
				  "let its owner open it once",
				  s->path);
	if (version < FORMAT_VERSION && !s->is_read_only)
		SOTTO_TRY(upgrade(s, err));
	s->has_marks = version >= MARKS_VERSION || !s->is_read_only;
	return sotto_store_execute(s, "SELECT 1 FROM part, answer LIMIT 0", err);
}

/*
 * The mode is kept in the file.  It is set once, while nobody else can see the
 * file: changing it later does not wait for other connections.
 */
static enum sotto_status set_write_ahead(struct sotto_store *s, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	const char *mode;
	sqlite3_stmt *q;

	if (sqlite3_prepare_v2(s->db, "PRAGMA journal_mode = WAL", -1, &q, NULL) != SQLITE_OK)
		return sotto_store_failure(s, err);
	if (sqlite3_step(q) != SQLITE_ROW)
		st = sotto_store_failure(s, err);
	mode = (const char *)sqlite3_column_text(q, 0);
	if (st == SOTTO_OK && (!mode || strcmp(mode, "wal") != 0))
		st = sotto_fail(
			err, SOTTO_EIO,
			"the ledger %s cannot have a write-ahead log on this file system; put "
			"it on a local disk",
			s->path);
	sqlite3_finalize(q);
	return st;
}

static enum sotto_status write_schema(struct sotto_store *s, struct sotto_error *err)
{
	char numbers[128];

	(void)snprintf(numbers, sizeof numbers,
		       "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION_ID,
		       FORMAT_VERSION);
	SOTTO_TRY(
		sotto_store_execute(s, "PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE;", err));
	SOTTO_TRY(sotto_store_execute(s, numbers, err));
	return sotto_store_execute(s, schema, err);
}

struct making {
	sotto_store_fill_fn first;
	void *context;
};

/* The first entry and the tables are one transaction. */
static enum sotto_status
make_first(struct sotto_store *draft, void *context, struct sotto_error *err)
{
	const struct making *m = context;

	SOTTO_TRY(write_schema(draft, err));
	SOTTO_TRY(m->first(draft, m->context, err));
	SOTTO_TRY(sotto_store_execute(draft, "COMMIT", err));
	return set_write_ahead(draft, err);
}

enum sotto_status sotto_store_make(const char *path, sotto_store_fill_fn first, void *context,
				   struct sotto_error *err)
{
	struct making m = {.first = first, .context = context};
	bool exists = false;

	SOTTO_TRY(sotto_store_make_file(path, make_first, &m, &exists, err));
	if (exists)
		return sotto_fail(err, SOTTO_ESTATE,
				  "%.300s already exists; a ledger is never overwritten, "
				  "because it records what was spent",
				  path);
	return SOTTO_OK;
}

static enum sotto_status open_existing(struct sotto_store *s, struct sotto_error *err)
{
	struct stat about;

	if (stat(s->path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0)
		return sotto_store_damage(s, err); /* SQLite would take it for a new database */
	SOTTO_TRY(sotto_store_connect_any(s, err));
	return check_format(s, err);
}

enum sotto_status
sotto_store_open(struct sotto_store *s, const char *path, struct sotto_error *err)
{
	enum sotto_status st;

	*s = (struct sotto_store){.path = strdup(path)};
	if (!s->path)
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	if (access(path, F_OK) != 0)
		st = sotto_fail(err, SOTTO_EMISSING,
				"no ledger at %.300s; create one with sotto ledger create, or "
				"restore it: a new ledger starts the budget again",
				path);
	else
		st = open_existing(s, err);
	if (st != SOTTO_OK)
		sotto_store_close(s);
	return st;
}

void sotto_store_abandon(struct sotto_store *s)
{
	free(s->path);
	*s = (struct sotto_store){0};
}

void sotto_store_close(struct sotto_store *s)
{
	sotto_store_disconnect(s);
	free(s->path);
	s->path = NULL;
}
