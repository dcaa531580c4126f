/*
 * Who is it?  People by their key, by their name, and all of them.
 */
#include <openssl/hmac.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/ledger/store/statement_reuse.h"
#include "server/people/people.h"
#include "server/people/people_inside.h"

/* ---- looking up ------------------------------------------------------------------------------ */

#define PERSON_COLUMNS "name, role, share, collection, made, revoked, salt"

static void copy_text(sqlite3_stmt *q, int column, char out[SOTTO_PERSON_NAME_MAX + 1])
{
	const char *text = (const char *)sqlite3_column_text(q, column);

	(void)snprintf(out, SOTTO_PERSON_NAME_MAX + 1, "%s", text ? text : "");
}

/* Salts are random, so that two keys of a name have the same mark with probability 2^-64. */
static uint64_t read_mark(sqlite3_stmt *q, int column)
{
	uint64_t mark = 0;

	if (sqlite3_column_bytes(q, column) >= (int)sizeof mark)
		memcpy(&mark, sqlite3_column_blob(q, column), sizeof mark);
	return mark;
}

static void read_person(sqlite3_stmt *q, struct sotto_person *out)
{
	copy_text(q, 0, out->name);
	out->role = (enum sotto_role)sqlite3_column_int(q, 1);
	copy_text(q, 2, out->share);
	copy_text(q, 3, out->collection);
	out->made = sqlite3_column_int64(q, 4);
	out->revoked = sqlite3_column_int(q, 5) != 0;
	out->key_mark = out->revoked ? 0 : read_mark(q, 6);
}

enum sotto_status sotto_people_each(struct sotto_people *p, sotto_person_visit visit,
				    void *context, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	struct sotto_person person;
	sqlite3_stmt *q = NULL;

	if (!p || !visit)
		return SOTTO_EINVAL;
	pthread_mutex_lock(&p->lock);
	st = sotto_people_prepare(p, "SELECT " PERSON_COLUMNS " FROM person ORDER BY name", &q,
				  err);
	while (st == SOTTO_OK && sqlite3_step(q) == SQLITE_ROW) {
		read_person(q, &person);
		st = visit(context, &person);
	}
	if (sotto_statement_end(q) != SQLITE_OK && st == SOTTO_OK)
		st = sotto_people_failure(p, err);
	pthread_mutex_unlock(&p->lock);
	return st;
}

static bool read_bytes(sqlite3_stmt *q, int column, uint8_t *out, int n)
{
	if (sqlite3_column_bytes(q, column) != n)
		return false;
	memcpy(out, sqlite3_column_blob(q, column), (size_t)n);
	return true;
}

/* The person and what is kept of the key; *found is false if there is none that is valid. */
static enum sotto_status find(struct sotto_people *p, sqlite3_stmt *q,
			      struct sotto_person *person, struct sotto_key_print *k,
			      bool *found, struct sotto_error *err)
{
	int step = sqlite3_step(q);

	*found = false;
	if (step == SQLITE_ROW) {
		read_person(q, person);
		*found = !person->revoked && read_bytes(q, 6, k->salt, sizeof k->salt) &&
			 read_bytes(q, 7, k->hash, sizeof k->hash) &&
			 read_bytes(q, 8, k->scram_salt, sizeof k->scram_salt) &&
			 read_bytes(q, 9, k->stored_key, sizeof k->stored_key) &&
			 read_bytes(q, 10, k->server_key, sizeof k->server_key);
	}
	(void)sotto_statement_end(q);
	return step == SQLITE_ROW || step == SQLITE_DONE ? SOTTO_OK
							 : sotto_people_failure(p, err);
}

#define FIND_COLUMNS PERSON_COLUMNS ", hash, scram_salt, stored_key, server_key"

enum sotto_status sotto_people_recognise(struct sotto_people *p, const char *key,
					 struct sotto_person *out, struct sotto_error *err)
{
	struct sotto_key_print print;
	struct sotto_person person;
	enum sotto_status st;
	sqlite3_stmt *q;
	int64_t number;
	bool found = false;

	if (!p || !key || !out)
		return SOTTO_EINVAL;
	if (!sotto_key_number(key, &number))
		return sotto_fail(err, SOTTO_EREFUSED, "the key is not valid");
	pthread_mutex_lock(&p->lock);
	st = sotto_people_prepare(p, "SELECT " FIND_COLUMNS " FROM person WHERE number = ?1",
				  &q, err);
	if (st == SOTTO_OK) {
		sqlite3_bind_int64(q, 1, number);
		st = find(p, q, &person, &print, &found, err);
	}
	pthread_mutex_unlock(&p->lock);
	SOTTO_TRY(st);
	if (!found || !sotto_key_fits(&print, key))
		return sotto_fail(err, SOTTO_EREFUSED, "the key is not valid");
	*out = person;
	return SOTTO_OK;
}

/* The same for a name every time, and nothing that anybody could compute. */
static bool
make_up(const struct sotto_people *p, const char *name, struct sotto_scram_print *out)
{
	uint8_t all[3 * SOTTO_KEY_HASH_BYTES];
	unsigned n;

	for (uint8_t i = 0; i < 3; i++) {
		uint8_t text[SOTTO_PERSON_NAME_MAX + 2] = {i};
		size_t length = strnlen(name, SOTTO_PERSON_NAME_MAX);

		memcpy(text + 1, name, length);
		if (!HMAC(EVP_sha256(), p->secret, sizeof p->secret, text, length + 1,
			  all + i * SOTTO_KEY_HASH_BYTES, &n))
			return false;
	}
	memcpy(out->salt, all, sizeof out->salt);
	memcpy(out->stored_key, all + SOTTO_KEY_HASH_BYTES, sizeof out->stored_key);
	memcpy(out->server_key, all + 2 * SOTTO_KEY_HASH_BYTES, sizeof out->server_key);
	return true;
}

/* Lock held. */
static enum sotto_status find_name(struct sotto_people *p, const char *name,
				   struct sotto_person *person, struct sotto_key_print *k,
				   bool *found, struct sotto_error *err)
{
	sqlite3_stmt *q;

	SOTTO_TRY(sotto_people_prepare(p, "SELECT " FIND_COLUMNS " FROM person WHERE name = ?1",
				       &q, err));
	sqlite3_bind_text(q, 1, name, -1, SQLITE_TRANSIENT);
	return find(p, q, person, k, found, err);
}

enum sotto_status sotto_people_find(struct sotto_people *p, const char *name,
				    struct sotto_person *out, struct sotto_error *err)
{
	struct sotto_key_print print;
	struct sotto_person person;
	enum sotto_status st;
	bool found = false;

	pthread_mutex_lock(&p->lock);
	st = find_name(p, name, &person, &print, &found, err);
	pthread_mutex_unlock(&p->lock);
	SOTTO_TRY(st);
	if (!found)
		return sotto_fail(err, SOTTO_EREFUSED, "nobody of that name has a valid key");
	*out = person;
	return SOTTO_OK;
}

enum sotto_status sotto_people_scram(struct sotto_people *p, const char *name,
				     struct sotto_scram_print *out, struct sotto_error *err)
{
	struct sotto_key_print print;
	enum sotto_status st;
	bool found = false;

	*out = (struct sotto_scram_print){0};
	pthread_mutex_lock(&p->lock);
	st = find_name(p, name, &out->person, &print, &found, err);
	pthread_mutex_unlock(&p->lock);
	SOTTO_TRY(st);
	out->known = found;
	if (!found)
		return make_up(p, name, out) ? SOTTO_OK : SOTTO_ENOMEM;
	memcpy(out->salt, print.scram_salt, sizeof out->salt);
	memcpy(out->stored_key, print.stored_key, sizeof out->stored_key);
	memcpy(out->server_key, print.server_key, sizeof out->server_key);
	return SOTTO_OK;
}

enum sotto_status sotto_people_count(struct sotto_people *p, enum sotto_role role, int64_t *out,
				     struct sotto_error *err)
{
	enum sotto_status st;
	sqlite3_stmt *q;

	pthread_mutex_lock(&p->lock);
	st = sotto_people_prepare(
		p, "SELECT count(*) FROM person WHERE role = ?1 AND revoked = 0", &q, err);
	if (st == SOTTO_OK) {
		sqlite3_bind_int(q, 1, (int)role);
		if (sqlite3_step(q) == SQLITE_ROW)
			*out = sqlite3_column_int64(q, 0);
		if (sotto_statement_end(q) != SQLITE_OK)
			st = sotto_people_failure(p, err);
	}
	pthread_mutex_unlock(&p->lock);
	return st;
}
