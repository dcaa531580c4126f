/* Answers in and out: each is bound to its entry by a hash. */
#include "core/ledger/store/ledger_store.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/ledger/store/ledger_statement.h"
#include "core/ledger/store/ledger_store_error.h"
#include "core/ledger/store/statement_reuse.h"

static enum sotto_status entry_hash(struct sotto_store *s, uint64_t number,
				    uint8_t out[SOTTO_HASH_BYTES], struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;
	int step;

	SOTTO_TRY(sotto_statement_prepare(
		s, "SELECT hash FROM entry WHERE number = ? AND kind IN (0, 3, 4)", &q, err));
	(void)sqlite3_bind_int64(q, 1, (int64_t)number);
	step = sqlite3_step(q);
	if (step == SQLITE_DONE)
		st = sotto_fail(err, SOTTO_ESTATE, "the ledger has no such entry");
	else if (step != SQLITE_ROW)
		st = sotto_store_failure(s, err);
	else if (!sotto_statement_hash(q, 0, out))
		st = sotto_store_damage(s, err);
	(void)sotto_statement_end(q);
	return st;
}

enum sotto_status sotto_store_answer(struct sotto_store *s, uint64_t number, const char *answer,
				     struct sotto_error *err)
{
	uint8_t hash[SOTTO_HASH_BYTES];
	enum sotto_status st;
	sqlite3_stmt *q;
	int failed;

	SOTTO_TRY(entry_hash(s, number, hash, err));
	sotto_chain_answer(hash, answer, hash);
	SOTTO_TRY(sotto_statement_prepare(
		s, "INSERT INTO answer(number, text, hash) VALUES(?, ?, ?)", &q, err));
	failed = sqlite3_bind_int64(q, 1, (int64_t)number) |
		 sotto_statement_bind_text(q, 2, answer) |
		 sotto_statement_bind_hash(q, 3, hash);
	st = sotto_statement_finish(s, q, failed, err);
	if (sqlite3_extended_errcode(s->db) == SQLITE_CONSTRAINT_PRIMARYKEY)
		return sotto_fail(err, SOTTO_ESTATE, "the entry has an answer already");
	return st;
}

/* The answer in the current row, if the entry's hash vouches for it; else NULL. */
static const char *vouched_answer(sqlite3_stmt *q)
{
	uint8_t hash[SOTTO_HASH_BYTES], stored[SOTTO_HASH_BYTES];
	const char *text = (const char *)sqlite3_column_text(q, 0);

	if (!text || !sotto_statement_hash(q, 1, hash) || !sotto_statement_hash(q, 2, stored))
		return NULL;
	sotto_chain_answer(hash, text, hash);
	return memcmp(hash, stored, sizeof hash) == 0 ? text : NULL;
}

static enum sotto_status copy_answer(struct sotto_store *s, sqlite3_stmt *q,
				     struct sotto_ledger_found *out, struct sotto_error *err)
{
	const char *text = vouched_answer(q), *data = sotto_statement_text(q, 3);
	struct sotto_ledger_found found = {.number = (uint64_t)sqlite3_column_int64(q, 4),
					   .time = sqlite3_column_int64(q, 5)};

	if (!text || !data)
		return sotto_store_damage(s, err);
	found.answer = strdup(text);
	found.data = strdup(data);
	if (!found.answer || !found.data) {
		free(found.answer);
		free(found.data);
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	}
	*out = found;
	return SOTTO_OK;
}

enum sotto_status
sotto_store_check_answers(struct sotto_store *s, uint64_t *count, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;
	int step;

	/* An answer without an entry has no hash to vouch for it. */
	SOTTO_TRY(sotto_statement_prepare(
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
	(void)sotto_statement_end(q);
	return st;
}

/* Of those who paid for it: an answer that was shared is found at its first owner. */
#define OWN "(?2 IS NULL OR analyst = ?2)"
#define OTHERS "analyst <> ?2 AND kind IN (0, 4) AND data = ?3"
#define MARKED                                                                                 \
	"(entry.key = ?1 OR number IN (SELECT mark.number FROM mark WHERE mark.key = ?1))"
#define FIND(which, whose)                                                                     \
	"SELECT answer.text, entry.hash, answer.hash, data, number, time FROM entry JOIN "     \
	"answer USING (number) WHERE " which " AND " whose " ORDER BY number DESC LIMIT 1"

static const char *find_text(const struct sotto_store *s, const struct sotto_store_wish *wish)
{
	if (!s->has_marks)
		return wish->data ? FIND("entry.key = ?1", OTHERS)
				  : FIND("entry.key = ?1", OWN);
	return wish->data ? FIND(MARKED, OTHERS) : FIND(MARKED, OWN);
}

enum sotto_status sotto_store_mark(struct sotto_store *s, uint64_t number, const uint8_t *key,
				   struct sotto_error *err)
{
	sqlite3_stmt *q;
	int failed;

	SOTTO_TRY(sotto_statement_prepare(
		s, "INSERT OR IGNORE INTO mark(key, number) VALUES(?1, ?2)", &q, err));
	failed = sotto_statement_bind_hash(q, 1, key) |
		 sqlite3_bind_int64(q, 2, (int64_t)number);
	return sotto_statement_finish(s, q, failed, err);
}

static int bind_wish(sqlite3_stmt *q, const struct sotto_store_wish *wish)
{
	int failed = sotto_statement_bind_hash(q, 1, wish->key);

	if (failed == SQLITE_OK && wish->analyst)
		failed = sotto_statement_bind_text(q, 2, wish->analyst);
	if (failed == SQLITE_OK && wish->data)
		failed = sotto_statement_bind_text(q, 3, wish->data);
	return failed;
}

enum sotto_status sotto_store_find(struct sotto_store *s, const struct sotto_store_wish *wish,
				   struct sotto_ledger_found *out, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;
	int step;

	SOTTO_TRY(sotto_statement_prepare(s, find_text(s, wish), &q, err));
	*out = (struct sotto_ledger_found){0};
	step = bind_wish(q, wish) == SQLITE_OK ? sqlite3_step(q) : SQLITE_NOMEM;
	if (step == SQLITE_ROW)
		st = copy_answer(s, q, out, err);
	else if (step != SQLITE_DONE)
		st = sotto_store_failure(s, err);
	(void)sotto_statement_end(q);
	return st;
}

enum sotto_status sotto_store_unanswered(struct sotto_store *s,
					 const struct sotto_store_wish *wish, uint64_t *number,
					 struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;
	int step;

	SOTTO_TRY(sotto_statement_prepare(
		s,
		"SELECT number FROM entry WHERE key = ?1 AND analyst = ?2 AND kind IN (0, 4) "
		"AND NOT EXISTS (SELECT 1 FROM answer WHERE answer.number = entry.number) "
		"ORDER BY "
		"number DESC LIMIT 1",
		&q, err));
	*number = 0;
	step = bind_wish(q, &(struct sotto_store_wish){wish->key, wish->analyst, NULL}) ==
			       SQLITE_OK
		       ? sqlite3_step(q)
		       : SQLITE_NOMEM;
	if (step == SQLITE_ROW)
		*number = (uint64_t)sqlite3_column_int64(q, 0);
	else if (step != SQLITE_DONE)
		st = sotto_store_failure(s, err);
	(void)sotto_statement_end(q);
	return st;
}

enum sotto_status sotto_store_hash(struct sotto_store *s, uint64_t number,
				   uint8_t out[SOTTO_HASH_BYTES], bool *found,
				   struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;
	int step;

	SOTTO_TRY(
		sotto_statement_prepare(s, "SELECT hash FROM entry WHERE number = ?", &q, err));
	(void)sqlite3_bind_int64(q, 1, (int64_t)number);
	step = sqlite3_step(q);
	*found = step == SQLITE_ROW;
	if (*found && !sotto_statement_hash(q, 0, out))
		st = sotto_store_damage(s, err);
	else if (!*found && step != SQLITE_DONE)
		st = sotto_store_failure(s, err);
	(void)sotto_statement_end(q);
	return st;
}
