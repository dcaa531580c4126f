/* Rows in and out.  Opening and making a ledger file is in store_open.c. */
#include "ledger/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "ledger/store_error.h"

static enum sotto_status
prepare(struct sotto_store *s, const char *sql, sqlite3_stmt **out, struct sotto_error *err)
{
	if (sqlite3_prepare_v2(s->db, sql, -1, out, NULL) == SQLITE_OK)
		return SOTTO_OK;
	return sotto_store_failure(s, err);
}

/* Runs a statement that gives no row, and ends it. */
static enum sotto_status
finish(struct sotto_store *s, sqlite3_stmt *statement, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;

	if (sqlite3_step(statement) != SQLITE_DONE)
		st = sotto_store_failure(s, err);
	sqlite3_finalize(statement);
	return st;
}

static enum sotto_status run(struct sotto_store *s, const char *sql, struct sotto_error *err)
{
	sqlite3_stmt *statement;

	SOTTO_TRY(prepare(s, sql, &statement, err));
	return finish(s, statement, err);
}

enum sotto_status sotto_store_begin(struct sotto_store *s, bool write, struct sotto_error *err)
{
	return run(s, write ? "BEGIN IMMEDIATE" : "BEGIN", err);
}

enum sotto_status sotto_store_commit(struct sotto_store *s, struct sotto_error *err)
{
	return run(s, "COMMIT", err);
}

void sotto_store_rollback(struct sotto_store *s)
{
	if (!sqlite3_get_autocommit(s->db))
		(void)run(s, "ROLLBACK", NULL);
}

static bool column_hash(sqlite3_stmt *statement, int column, uint8_t out[SOTTO_HASH_BYTES])
{
	const void *bytes = sqlite3_column_blob(statement, column);

	if (!bytes || sqlite3_column_bytes(statement, column) != SOTTO_HASH_BYTES)
		return false;
	memcpy(out, bytes, SOTTO_HASH_BYTES);
	return true;
}

enum sotto_status
sotto_store_head(struct sotto_store *s, struct sotto_store_head *head, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *statement;

	SOTTO_TRY(prepare(s, "SELECT number, hash FROM head", &statement, err));
	switch (sqlite3_step(statement)) {
	case SQLITE_ROW:
		head->number = (uint64_t)sqlite3_column_int64(statement, 0);
		if (!column_hash(statement, 1, head->hash))
			st = sotto_store_damage(s, err);
		break;
	case SQLITE_DONE:
		st = sotto_store_damage(s, err);
		break;
	default:
		st = sotto_store_failure(s, err);
	}
	sqlite3_finalize(statement);
	return st;
}

static int bind_hash(sqlite3_stmt *statement, int at, const uint8_t *hash)
{
	return sqlite3_bind_blob(statement, at, hash, SOTTO_HASH_BYTES, SQLITE_TRANSIENT);
}

static int bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	return sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
}

static enum sotto_status insert_row(struct sotto_store *s, const struct sotto_chain_row *row,
				    const uint8_t hash[SOTTO_HASH_BYTES],
				    struct sotto_error *err)
{
	sqlite3_stmt *q;
	int failed;

	SOTTO_TRY(prepare(
		s,
		"INSERT INTO entry(number, time, analyst, query, key, bounded, epsilon, "
		"delta, rho, hash) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		&q, err));
	failed = sqlite3_bind_int64(q, 1, (int64_t)row->number) |
		 sqlite3_bind_int64(q, 2, row->time) | bind_text(q, 3, row->analyst) |
		 bind_text(q, 4, row->query) | bind_hash(q, 5, row->key) |
		 sqlite3_bind_int(q, 6, row->bounded) | bind_text(q, 7, row->epsilon) |
		 bind_text(q, 8, row->delta) | bind_text(q, 9, row->rho) |
		 bind_hash(q, 10, hash);
	if (!failed)
		return finish(s, q, err);
	sqlite3_finalize(q);
	return sotto_store_failure(s, err);
}

enum sotto_status sotto_store_append(struct sotto_store *s, const struct sotto_chain_row *row,
				     const struct sotto_store_head *new_head,
				     struct sotto_error *err)
{
	sqlite3_stmt *q;

	SOTTO_TRY(insert_row(s, row, new_head->hash, err));
	SOTTO_TRY(prepare(s, "UPDATE head SET number = ?, hash = ?", &q, err));
	if (sqlite3_bind_int64(q, 1, (int64_t)new_head->number) == SQLITE_OK &&
	    bind_hash(q, 2, new_head->hash) == SQLITE_OK)
		return finish(s, q, err);
	sqlite3_finalize(q);
	return sotto_store_failure(s, err);
}

/* Reads the columns of the query in sotto_store_rows; false if one is not what it should be. */
static bool read_row(sqlite3_stmt *q, struct sotto_chain_row *row,
		     uint8_t key[SOTTO_HASH_BYTES], uint8_t hash[SOTTO_HASH_BYTES])
{
	*row = (struct sotto_chain_row){
		.number = (uint64_t)sqlite3_column_int64(q, 0),
		.time = sqlite3_column_int64(q, 1),
		.analyst = (const char *)sqlite3_column_text(q, 2),
		.query = (const char *)sqlite3_column_text(q, 3),
		.key = key,
		.bounded = sqlite3_column_int(q, 5) != 0,
		.epsilon = (const char *)sqlite3_column_text(q, 6),
		.delta = (const char *)sqlite3_column_text(q, 7),
		.rho = (const char *)sqlite3_column_text(q, 8),
	};
	return column_hash(q, 4, key) && column_hash(q, 9, hash) && row->analyst &&
	       row->query && row->epsilon && row->delta && row->rho;
}

static enum sotto_status visit_row(struct sotto_store *s, sqlite3_stmt *q,
				   sotto_store_row_fn each, void *context,
				   struct sotto_error *err)
{
	uint8_t key[SOTTO_HASH_BYTES], hash[SOTTO_HASH_BYTES];
	struct sotto_chain_row row;

	if (!read_row(q, &row, key, hash))
		return sotto_store_damage(s, err);
	return each(context, &row, hash, sqlite3_column_int(q, 10) != 0, err);
}

enum sotto_status sotto_store_rows(struct sotto_store *s, uint64_t after,
				   sotto_store_row_fn each, void *context,
				   struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;
	int step;

	SOTTO_TRY(prepare(
		s,
		"SELECT number, time, analyst, query, key, bounded, epsilon, delta, rho, "
		"entry.hash, answer.text IS NOT NULL FROM entry LEFT JOIN answer USING "
		"(number) WHERE number > ? ORDER BY number",
		&q, err));
	(void)sqlite3_bind_int64(q, 1, (int64_t)after);
	while (st == SOTTO_OK && (step = sqlite3_step(q)) != SQLITE_DONE)
		st = step == SQLITE_ROW ? visit_row(s, q, each, context, err)
					: sotto_store_failure(s, err);
	sqlite3_finalize(q);
	return st;
}

static enum sotto_status entry_hash(struct sotto_store *s, uint64_t number,
				    uint8_t out[SOTTO_HASH_BYTES], struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;
	int step;

	SOTTO_TRY(prepare(s, "SELECT hash FROM entry WHERE number = ?", &q, err));
	(void)sqlite3_bind_int64(q, 1, (int64_t)number);
	step = sqlite3_step(q);
	if (step == SQLITE_DONE)
		st = sotto_fail(err, SOTTO_ESTATE, "the ledger has no such entry");
	else if (step != SQLITE_ROW)
		st = sotto_store_failure(s, err);
	else if (!column_hash(q, 0, out))
		st = sotto_store_damage(s, err);
	sqlite3_finalize(q);
	return st;
}

enum sotto_status sotto_store_answer(struct sotto_store *s, uint64_t number, const char *answer,
				     struct sotto_error *err)
{
	uint8_t hash[SOTTO_HASH_BYTES];
	enum sotto_status st;
	sqlite3_stmt *q;

	SOTTO_TRY(entry_hash(s, number, hash, err));
	sotto_chain_answer(hash, answer, hash);
	SOTTO_TRY(
		prepare(s, "INSERT INTO answer(number, text, hash) VALUES(?, ?, ?)", &q, err));
	(void)sqlite3_bind_int64(q, 1, (int64_t)number);
	if (bind_text(q, 2, answer) != SQLITE_OK || bind_hash(q, 3, hash) != SQLITE_OK) {
		sqlite3_finalize(q);
		return sotto_store_failure(s, err);
	}
	st = finish(s, q, err);
	if (sqlite3_extended_errcode(s->db) == SQLITE_CONSTRAINT_PRIMARYKEY)
		return sotto_fail(err, SOTTO_ESTATE, "the entry has an answer already");
	return st;
}

/* The answer in the current row, if the entry's hash vouches for it; else NULL. */
static const char *vouched_answer(sqlite3_stmt *q)
{
	uint8_t hash[SOTTO_HASH_BYTES], stored[SOTTO_HASH_BYTES];
	const char *text = (const char *)sqlite3_column_text(q, 0);

	if (!text || !column_hash(q, 1, hash) || !column_hash(q, 2, stored))
		return NULL;
	sotto_chain_answer(hash, text, hash);
	return memcmp(hash, stored, sizeof hash) == 0 ? text : NULL;
}

static enum sotto_status
copy_answer(struct sotto_store *s, sqlite3_stmt *q, char **out, struct sotto_error *err)
{
	const char *text = vouched_answer(q);

	if (!text)
		return sotto_store_damage(s, err);
	*out = strdup(text);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status
sotto_store_check_answers(struct sotto_store *s, uint64_t *count, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;
	int step;

	/* An answer without an entry has no hash to vouch for it. */
	SOTTO_TRY(prepare(
		s,
		"SELECT answer.text, entry.hash, answer.hash FROM answer LEFT JOIN entry "
		"USING (number) ORDER BY number",
		&q, err));
	*count = 0;
	while (st == SOTTO_OK && (step = sqlite3_step(q)) != SQLITE_DONE) {
		if (step != SQLITE_ROW)
			st = sotto_store_failure(s, err);
		else if (!vouched_answer(q))
			st = sotto_store_damage(s, err);
		++*count;
	}
	sqlite3_finalize(q);
	return st;
}

enum sotto_status sotto_store_find(struct sotto_store *s, const uint8_t key[SOTTO_HASH_BYTES],
				   char **answer, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;
	int step;

	SOTTO_TRY(prepare(
		s,
		"SELECT answer.text, entry.hash, answer.hash FROM entry JOIN answer USING "
		"(number) WHERE key = ? ORDER BY number DESC LIMIT 1",
		&q, err));
	*answer = NULL;
	if (bind_hash(q, 1, key) != SQLITE_OK)
		step = SQLITE_NOMEM;
	else
		step = sqlite3_step(q);
	if (step == SQLITE_ROW)
		st = copy_answer(s, q, answer, err);
	else if (step != SQLITE_DONE)
		st = sotto_store_failure(s, err);
	sqlite3_finalize(q);
	return st;
}
