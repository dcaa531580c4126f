/* The register of users: one SQLite file, one row for each name. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/failure.h"
#include "core/ledger/store/statement_reuse.h"
#include "core/random/generator/entropy.h"
#include "server/people/people_inside.h"
#include "sotto/rational.h"

enum { BUSY_MILLISECONDS = 10000 };

static const char *const role_names[] = {[SOTTO_ROLE_OWNER] = "owner",
					 [SOTTO_ROLE_ANALYST] = "analyst",
					 [SOTTO_ROLE_DEVICE] = "device"};

enum { ROLES = sizeof role_names / sizeof role_names[0] };

const char *sotto_role_name(enum sotto_role role)
{
	return (unsigned)role < ROLES ? role_names[role] : "unknown";
}

bool sotto_role_find(const char *name, enum sotto_role *out)
{
	for (unsigned i = 0; name && out && i < ROLES; i++)
		if (strcmp(name, role_names[i]) == 0) {
			*out = (enum sotto_role)i;
			return true;
		}
	return false;
}

/* ---- the file -------------------------------------------------------------------------------- */

enum sotto_status sotto_people_failure(const struct sotto_people *p, struct sotto_error *err)
{
	switch (sqlite3_errcode(p->db) & 0xff) {
	case SQLITE_NOMEM:
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return sotto_fail(err, SOTTO_ECORRUPT,
				  "the list of users is damaged; restore it from a copy");
	default:
		return sotto_fail(err, SOTTO_EIO,
				  "the list of users could not be read or written; check "
				  "its folder, its owner and the space on the disk");
	}
}

static const char schema[] =
	"PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL;"
	"CREATE TABLE IF NOT EXISTS person ("
	" number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
	" role INTEGER NOT NULL, share TEXT NOT NULL, collection TEXT NOT NULL,"
	" made INTEGER NOT NULL, revoked INTEGER NOT NULL DEFAULT 0,"
	" salt BLOB, hash BLOB, scram_salt BLOB, stored_key BLOB, server_key BLOB) STRICT;"
	"CREATE TABLE IF NOT EXISTS secret (bytes BLOB NOT NULL) STRICT;";

static enum sotto_status
execute(struct sotto_people *p, const char *sql, struct sotto_error *err)
{
	return sqlite3_exec(p->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? SOTTO_OK
		       : sotto_people_failure(p, err);
}

enum sotto_status sotto_people_prepare(struct sotto_people *p, const char *sql,
				       sqlite3_stmt **out, struct sotto_error *err)
{
	return sotto_statement_reuse(p->db, sql, out) == SQLITE_OK
		       ? SOTTO_OK
		       : sotto_people_failure(p, err);
}

/* The secret of this register, made when it is first opened. */
static enum sotto_status read_secret(struct sotto_people *p, struct sotto_error *err)
{
	uint8_t fresh[SOTTO_KEY_HASH_BYTES];
	sqlite3_stmt *q;
	bool read;

	SOTTO_TRY(sotto_entropy_read(fresh, sizeof fresh));
	SOTTO_TRY(sotto_people_prepare(
		p, "INSERT INTO secret SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM secret)", &q,
		err));
	sqlite3_bind_blob(q, 1, fresh, sizeof fresh, SQLITE_TRANSIENT);
	(void)sqlite3_step(q);
	if (sotto_statement_end(q) != SQLITE_OK)
		return sotto_people_failure(p, err);
	SOTTO_TRY(sotto_people_prepare(p, "SELECT bytes FROM secret", &q, err));
	read = sqlite3_step(q) == SQLITE_ROW &&
	       sqlite3_column_bytes(q, 0) == (int)sizeof p->secret;
	if (read)
		memcpy(p->secret, sqlite3_column_blob(q, 0), sizeof p->secret);
	(void)sotto_statement_end(q);
	return read ? SOTTO_OK : sotto_people_failure(p, err);
}

static enum sotto_status
open_file(struct sotto_people *p, const char *path, struct sotto_error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return sotto_fail(err, SOTTO_EIO,
				  "the list of users %s could not be opened; check its "
				  "folder and its owner",
				  path);
	(void)close(fd);
	if (sqlite3_open_v2(path, &p->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX,
			    NULL) != SQLITE_OK)
		return p->db ? sotto_people_failure(p, err) : SOTTO_ENOMEM;
	sqlite3_busy_timeout(p->db, BUSY_MILLISECONDS);
	SOTTO_TRY(execute(p, schema, err));
	return read_secret(p, err);
}

enum sotto_status
sotto_people_open(const char *path, struct sotto_people **out, struct sotto_error *err)
{
	struct sotto_people *p;
	enum sotto_status st;

	if (!path || !out)
		return SOTTO_EINVAL;
	p = calloc(1, sizeof *p);
	if (!p)
		return SOTTO_ENOMEM;
	pthread_mutex_init(&p->lock, NULL);
	st = open_file(p, path, err);
	if (st != SOTTO_OK) {
		sotto_people_close(p);
		return st;
	}
	*out = p;
	return SOTTO_OK;
}

void sotto_people_close(struct sotto_people *p)
{
	if (!p)
		return;
	sotto_statement_close(p->db);
	pthread_mutex_destroy(&p->lock);
	OPENSSL_cleanse(p->secret, sizeof p->secret);
	free(p);
}

/* ---- what a person may be -------------------------------------------------------------------- */

/* Names stand in URLs, logs and connection strings. */
static bool is_name(const char *name)
{
	size_t n = strnlen(name, SOTTO_PERSON_NAME_MAX + 1);

	if (n == 0 || n > SOTTO_PERSON_NAME_MAX || !isalpha((unsigned char)name[0]))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._-@", name[i]))
			return false;
	return true;
}

static enum sotto_status check_share(const char *share, struct sotto_error *err)
{
	struct sotto_rational r, one;
	enum sotto_status st;

	if (!*share)
		return SOTTO_OK;
	sotto_rational_init(&r);
	sotto_rational_init(&one);
	st = sotto_rational_parse(&r, share, err);
	if (st == SOTTO_OK)
		st = sotto_rational_set_ratio(&one, 1, 1);
	if (st == SOTTO_OK &&
	    (sotto_rational_sign(&r) <= 0 || sotto_rational_compare(&r, &one) > 0))
		st = sotto_fail(
			err, SOTTO_ERANGE,
			"a share is a part of the budget, above 0 and at most 1, like 1/4");
	sotto_rational_release(&r);
	sotto_rational_release(&one);
	return st;
}

static enum sotto_status
check_person(const struct sotto_person *person, struct sotto_error *err)
{
	if (!is_name(person->name))
		return sotto_fail(err, SOTTO_EINVAL,
				  "a name begins with a letter and has at most %d letters, "
				  "digits and the signs . _ - @",
				  SOTTO_PERSON_NAME_MAX);
	if ((unsigned)person->role >= ROLES)
		return sotto_fail(err, SOTTO_EINVAL, "the role is owner, analyst or device");
	if ((person->role == SOTTO_ROLE_DEVICE) != (person->collection[0] != '\0'))
		return sotto_fail(err, SOTTO_EINVAL,
				  "a device key is for one collection, and only a device key "
				  "is; name it with --collection");
	if (person->collection[0] && !is_name(person->collection))
		return sotto_fail(err, SOTTO_EINVAL,
				  "the name of a collection begins with a letter and has "
				  "letters, digits and the signs . _ - @");
	if (strcmp(person->name, "owner") == 0 && person->role != SOTTO_ROLE_OWNER)
		return sotto_fail(
			err, SOTTO_EINVAL,
			"the name owner is that of the owner, whom the first start of "
			"the server makes; choose another name");
	if (person->share[0] && person->role != SOTTO_ROLE_ANALYST)
		return sotto_fail(err, SOTTO_EINVAL,
				  "only an analyst has a share of the budget");
	return check_share(person->share, err);
}

/* ---- adding, rotating, revoking -------------------------------------------------------------- */

static enum sotto_status
run_one(struct sotto_people *p, sqlite3_stmt *q, struct sotto_error *err)
{
	(void)sqlite3_step(q);
	return sotto_statement_end(q) == SQLITE_OK ? SOTTO_OK : sotto_people_failure(p, err);
}

static void bind_print(sqlite3_stmt *q, int at, const struct sotto_key_print *k)
{
	sqlite3_bind_blob(q, at, k->salt, sizeof k->salt, SQLITE_TRANSIENT);
	sqlite3_bind_blob(q, at + 1, k->hash, sizeof k->hash, SQLITE_TRANSIENT);
	sqlite3_bind_blob(q, at + 2, k->scram_salt, sizeof k->scram_salt, SQLITE_TRANSIENT);
	sqlite3_bind_blob(q, at + 3, k->stored_key, sizeof k->stored_key, SQLITE_TRANSIENT);
	sqlite3_bind_blob(q, at + 4, k->server_key, sizeof k->server_key, SQLITE_TRANSIENT);
}

/* Gives the person with that number a key, inside the transaction that is open. */
static enum sotto_status set_key(struct sotto_people *p, int64_t number,
				 char key[SOTTO_KEY_TEXT_SIZE], struct sotto_error *err)
{
	struct sotto_key_print print;
	sqlite3_stmt *q;

	SOTTO_TRY(sotto_key_make(number, key, &print));
	SOTTO_TRY(sotto_people_prepare(
		p,
		"UPDATE person SET salt = ?2, hash = ?3, scram_salt = ?4, "
		"stored_key = ?5, server_key = ?6, revoked = 0 WHERE number = ?1",
		&q, err));
	sqlite3_bind_int64(q, 1, number);
	bind_print(q, 2, &print);
	return run_one(p, q, err);
}

static enum sotto_status
insert(struct sotto_people *p, const struct sotto_person *person, struct sotto_error *err)
{
	sqlite3_stmt *q;
	int code;

	SOTTO_TRY(
		sotto_people_prepare(p,
				     "INSERT INTO person (name, role, share, collection, made) "
				     "VALUES (?1, ?2, ?3, ?4, ?5)",
				     &q, err));
	sqlite3_bind_text(q, 1, person->name, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int(q, 2, (int)person->role);
	sqlite3_bind_text(q, 3, person->share, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(q, 4, person->collection, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(q, 5, (int64_t)time(NULL));
	(void)sqlite3_step(q);
	code = sotto_statement_end(q);
	if ((code & 0xff) == SQLITE_CONSTRAINT)
		return sotto_fail(err, SOTTO_ESTATE,
				  "there is already a user named %s; choose another name, "
				  "or give a new key with: sotto user rotate %s",
				  person->name, person->name);
	return code == SQLITE_OK ? SOTTO_OK : sotto_people_failure(p, err);
}

/* COMMIT if st is SOTTO_OK, else ROLLBACK; unlocks. */
static enum sotto_status finish(struct sotto_people *p, enum sotto_status st,
				char key[SOTTO_KEY_TEXT_SIZE], struct sotto_error *err)
{
	if (st == SOTTO_OK)
		st = execute(p, "COMMIT", err);
	if (st != SOTTO_OK && !sqlite3_get_autocommit(p->db))
		(void)sqlite3_exec(p->db, "ROLLBACK", NULL, NULL, NULL);
	if (st != SOTTO_OK && key)
		OPENSSL_cleanse(key, SOTTO_KEY_TEXT_SIZE);
	pthread_mutex_unlock(&p->lock);
	return st;
}

enum sotto_status sotto_people_add(struct sotto_people *p, const struct sotto_person *person,
				   char key[SOTTO_KEY_TEXT_SIZE], struct sotto_error *err)
{
	enum sotto_status st;

	if (!p || !person || !key)
		return SOTTO_EINVAL;
	SOTTO_TRY(check_person(person, err));
	pthread_mutex_lock(&p->lock);
	st = execute(p, "BEGIN IMMEDIATE", err);
	if (st == SOTTO_OK)
		st = insert(p, person, err);
	if (st == SOTTO_OK)
		st = set_key(p, sqlite3_last_insert_rowid(p->db), key, err);
	return finish(p, st, key, err);
}

static enum sotto_status
find_number(struct sotto_people *p, const char *name, int64_t *out, struct sotto_error *err)
{
	sqlite3_stmt *q;
	int step;

	SOTTO_TRY(
		sotto_people_prepare(p, "SELECT number FROM person WHERE name = ?1", &q, err));
	sqlite3_bind_text(q, 1, name, -1, SQLITE_TRANSIENT);
	step = sqlite3_step(q);
	if (step == SQLITE_ROW)
		*out = sqlite3_column_int64(q, 0);
	(void)sotto_statement_end(q);
	if (step == SQLITE_DONE)
		return sotto_fail(err, SOTTO_EMISSING,
				  "there is no user named %s; sotto user list shows all users",
				  name);
	return step == SQLITE_ROW ? SOTTO_OK : sotto_people_failure(p, err);
}

enum sotto_status sotto_people_rotate(struct sotto_people *p, const char *name,
				      char key[SOTTO_KEY_TEXT_SIZE], struct sotto_error *err)
{
	enum sotto_status st;
	int64_t number;

	if (!p || !name || !key)
		return SOTTO_EINVAL;
	pthread_mutex_lock(&p->lock);
	st = execute(p, "BEGIN IMMEDIATE", err);
	if (st == SOTTO_OK)
		st = find_number(p, name, &number, err);
	if (st == SOTTO_OK)
		st = set_key(p, number, key, err);
	return finish(p, st, key, err);
}

static enum sotto_status
end_key(struct sotto_people *p, int64_t number, struct sotto_error *err)
{
	sqlite3_stmt *q;

	SOTTO_TRY(sotto_people_prepare(
		p,
		"UPDATE person SET revoked = 1, salt = NULL, hash = NULL, scram_salt = "
		"NULL, stored_key = NULL, server_key = NULL WHERE number = ?1",
		&q, err));
	sqlite3_bind_int64(q, 1, number);
	return run_one(p, q, err);
}

enum sotto_status
sotto_people_revoke(struct sotto_people *p, const char *name, struct sotto_error *err)
{
	enum sotto_status st;
	int64_t number;

	if (!p || !name)
		return SOTTO_EINVAL;
	pthread_mutex_lock(&p->lock);
	st = execute(p, "BEGIN IMMEDIATE", err);
	if (st == SOTTO_OK)
		st = find_number(p, name, &number, err);
	if (st == SOTTO_OK)
		st = end_key(p, number, err);
	return finish(p, st, NULL, err);
}
