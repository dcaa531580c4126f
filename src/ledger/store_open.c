/*
 * Opening a ledger file, making a new one, and saying what is wrong with one.
 *
 * A new ledger is built under another name and then linked to its own, so that a
 * crash cannot leave half of one: an empty or headless file is damage, never a
 * fresh start with the whole budget.
 */
#include "ledger/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/failure.h"
#include "ledger/store_error.h"

enum {
	FORMAT_VERSION = 1,
	APPLICATION_ID = 0x736f7474, /* "sott" */
	BUSY_MILLISECONDS = 30000,
	PATH_CAP = 4096,
};

static const char schema[] =
	"CREATE TABLE policy(hash TEXT NOT NULL) STRICT;"
	"CREATE TABLE head(number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;"
	"CREATE TABLE entry(number INTEGER PRIMARY KEY, time INTEGER NOT NULL,"
	" analyst TEXT NOT NULL, query TEXT NOT NULL, key BLOB NOT NULL,"
	" bounded INTEGER NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
	" rho TEXT NOT NULL, hash BLOB NOT NULL) STRICT;"
	"CREATE INDEX entry_by_key ON entry(key);"
	"CREATE TABLE answer(number INTEGER PRIMARY KEY REFERENCES entry(number),"
	" text TEXT NOT NULL, hash BLOB NOT NULL) STRICT;"
	"INSERT INTO head VALUES(0, zeroblob(32));";

enum sotto_status sotto_store_damage(const struct sotto_store *s, struct sotto_error *err)
{
	return sotto_fail(
		err, SOTTO_ECORRUPT,
		"the ledger %s is damaged; restore it from a backup, nothing is answered "
		"until then",
		s->path);
}

enum sotto_status sotto_store_failure(const struct sotto_store *s, struct sotto_error *err)
{
	switch (sqlite3_errcode(s->db)) {
	case SQLITE_NOMEM:
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_ERROR: /* a table is missing: our statements are right */
	case SQLITE_MISMATCH:
		return sotto_store_damage(s, err);
	case SQLITE_FULL:
		return sotto_fail(err, SOTTO_EIO,
				  "the ledger %s could not be written: the disk is full",
				  s->path);
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return sotto_fail(
			err, SOTTO_EIO,
			"the ledger %s cannot be written; check the rights of the file "
			"and its folder",
			s->path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return sotto_fail(err, SOTTO_EIO,
				  "the ledger %s could not be locked: another process holds it",
				  s->path);
	default:
		return sotto_fail(err, SOTTO_EIO,
				  "the ledger %s could not be used (SQLite: %s)", s->path,
				  sqlite3_errstr(sqlite3_errcode(s->db)));
	}
}

static enum sotto_status
execute(struct sotto_store *s, const char *sql, struct sotto_error *err)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? SOTTO_OK
		       : sotto_store_failure(s, err);
}

static enum sotto_status
connect(struct sotto_store *s, const char *path, int flags, struct sotto_error *err)
{
	int opened = sqlite3_open_v2(path, &s->db, flags | SQLITE_OPEN_PRIVATECACHE, NULL);

	if (!s->db)
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	if (opened != SQLITE_OK)
		return sotto_store_failure(s, err);
	sqlite3_busy_timeout(s->db, BUSY_MILLISECONDS);
	return execute(s,
		       "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
		       "PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL;",
		       err);
}

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
	return version == FORMAT_VERSION ? SOTTO_OK : sotto_store_damage(s, err);
}

static void policy_hash(const char *policy, char out[SOTTO_HASH_HEX])
{
	uint8_t hash[SOTTO_HASH_BYTES];

	sotto_chain_fingerprint("sotto ledger policy 1", policy, hash);
	sotto_chain_hex(hash, out);
}

static enum sotto_status
check_policy(struct sotto_store *s, const char *policy, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	char want[SOTTO_HASH_HEX];
	const char *have;
	sqlite3_stmt *q;

	policy_hash(policy, want);
	if (sqlite3_prepare_v2(s->db, "SELECT hash FROM policy", -1, &q, NULL) != SQLITE_OK)
		return sotto_store_failure(s, err);
	if (sqlite3_step(q) != SQLITE_ROW)
		st = sotto_store_damage(s, err);
	have = (const char *)sqlite3_column_text(q, 0);
	if (st == SOTTO_OK && (!have || strcmp(have, want) != 0))
		st = sotto_fail(
			err, SOTTO_ESTATE,
			"the ledger %s belongs to another policy: a unit or a table "
			"changed; use the old policy, or name a new ledger for the new one",
			s->path);
	sqlite3_finalize(q);
	return st;
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

static enum sotto_status
write_schema(struct sotto_store *s, const char *policy, struct sotto_error *err)
{
	char hash[SOTTO_HASH_HEX], numbers[128], insert[160];

	policy_hash(policy, hash);
	(void)snprintf(numbers, sizeof numbers,
		       "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION_ID,
		       FORMAT_VERSION);
	(void)snprintf(insert, sizeof insert, "INSERT INTO policy VALUES('%s');", hash);
	SOTTO_TRY(execute(s, "PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE;", err));
	SOTTO_TRY(execute(s, numbers, err));
	SOTTO_TRY(execute(s, schema, err));
	SOTTO_TRY(execute(s, insert, err));
	SOTTO_TRY(execute(s, "COMMIT", err));
	return set_write_ahead(s, err);
}

static void disconnect(struct sotto_store *s)
{
	sqlite3_close(s->db);
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

static enum sotto_status cannot_make(const struct sotto_store *s, struct sotto_error *err)
{
	return sotto_fail(
		err, SOTTO_EIO,
		"the ledger %s could not be made; check that its folder exists and can "
		"be written",
		s->path);
}

/* Builds an empty ledger in `draft` and gives it its name, unless somebody was quicker. */
static enum sotto_status make_from_draft(struct sotto_store *s, const char *draft,
					 const char *policy, struct sotto_error *err)
{
	enum sotto_status st = connect(s, draft, SQLITE_OPEN_READWRITE, err);

	if (st == SOTTO_OK)
		st = write_schema(s, policy, err);
	disconnect(s);
	if (st == SOTTO_OK && link(draft, s->path) != 0 && errno != EEXIST)
		st = cannot_make(s, err);
	if (st == SOTTO_OK)
		sync_folder_of(s->path);
	return st;
}

static enum sotto_status
make(struct sotto_store *s, const char *policy, struct sotto_error *err)
{
	struct sotto_buffer draft;
	enum sotto_status st;
	int fd;

	sotto_buffer_init(&draft, PATH_CAP);
	st = sotto_buffer_appendf(&draft, "%s.new-XXXXXX", s->path);
	if (st != SOTTO_OK) {
		sotto_buffer_release(&draft);
		return st;
	}
	fd = mkstemp(draft.bytes); /* readable by its owner only */
	if (fd < 0) {
		sotto_buffer_release(&draft);
		return cannot_make(s, err);
	}
	(void)close(fd);
	st = make_from_draft(s, draft.bytes, policy, err);
	(void)unlink(draft.bytes);
	sotto_buffer_release(&draft);
	return st;
}

static enum sotto_status
open_existing(struct sotto_store *s, const char *policy, struct sotto_error *err)
{
	struct stat about;

	if (stat(s->path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0)
		return sotto_store_damage(s, err); /* SQLite would take it for a new database */
	SOTTO_TRY(connect(s, s->path, SQLITE_OPEN_READWRITE, err));
	SOTTO_TRY(check_format(s, err));
	return check_policy(s, policy, err);
}

enum sotto_status sotto_store_open(struct sotto_store *s, const char *path, const char *policy,
				   struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;

	*s = (struct sotto_store){.path = strdup(path)};
	if (!s->path)
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	if (access(path, F_OK) != 0)
		st = make(s, policy, err);
	if (st == SOTTO_OK)
		st = open_existing(s, policy, err);
	if (st != SOTTO_OK)
		sotto_store_close(s);
	return st;
}

void sotto_store_close(struct sotto_store *s)
{
	disconnect(s);
	free(s->path);
	s->path = NULL;
}
