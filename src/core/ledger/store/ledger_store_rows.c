/* Entries in and out.  Files are in ledger_store_open.c, answers in ledger_store_answer.c. */
#include "core/ledger/store/ledger_store.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/ledger/store/ledger_statement.h"
#include "core/ledger/store/ledger_store_error.h"
#include "core/ledger/store/statement_reuse.h"
#include "core/ledger/store/ledger_store_part.h"

enum sotto_status sotto_store_begin(struct sotto_store *s, bool write, struct sotto_error *err)
{
	return sotto_statement_run(s, write ? "BEGIN IMMEDIATE" : "BEGIN", err);
}

enum sotto_status sotto_store_commit(struct sotto_store *s, struct sotto_error *err)
{
	return sotto_statement_run(s, "COMMIT", err);
}

void sotto_store_rollback(struct sotto_store *s)
{
	sqlite3_stmt *q;

	if (!sqlite3_get_autocommit(s->db) &&
	    sotto_statement_reuse(s->db, "ROLLBACK", &q) == SQLITE_OK) {
		(void)sqlite3_step(q);
		(void)sotto_statement_end(q);
	}
}

enum sotto_status
sotto_store_head(struct sotto_store *s, struct sotto_store_head *head, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;

	SOTTO_TRY(sotto_statement_prepare(s, "SELECT number, hash FROM head", &q, err));
	switch (sqlite3_step(q)) {
	case SQLITE_ROW:
		head->number = (uint64_t)sqlite3_column_int64(q, 0);
		if (!sotto_statement_hash(q, 1, head->hash))
			st = sotto_store_damage(s, err);
		break;
	case SQLITE_DONE:
		st = sotto_store_damage(s, err);
		break;
	default:
		st = sotto_store_failure(s, err);
	}
	(void)sotto_statement_end(q);
	return st;
}

static enum sotto_status insert_row(struct sotto_store *s, const struct sotto_chain_row *row,
				    const uint8_t hash[SOTTO_HASH_BYTES],
				    struct sotto_error *err)
{
	sqlite3_stmt *q;
	int failed;

	SOTTO_TRY(sotto_statement_prepare(
		s,
		"INSERT INTO entry(number, time, analyst, query, key, bounded, epsilon, "
		"delta, rho, hash, format, kind, data, parts) "
		"VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		&q, err));
	failed = sqlite3_bind_int64(q, 1, (int64_t)row->number) |
		 sqlite3_bind_int64(q, 2, row->time) |
		 sotto_statement_bind_text(q, 3, row->analyst) |
		 sotto_statement_bind_text(q, 4, row->query) |
		 sotto_statement_bind_hash(q, 5, row->key) |
		 sotto_statement_bind_cost(q, 6, &row->cost) |
		 sotto_statement_bind_hash(q, 10, hash) | sqlite3_bind_int(q, 11, row->format) |
		 sqlite3_bind_int(q, 12, row->kind) |
		 sotto_statement_bind_text(q, 13, row->data) |
		 sqlite3_bind_int64(q, 14, (int64_t)row->part_count);
	return sotto_statement_finish(s, q, failed, err);
}

enum sotto_status sotto_store_append(struct sotto_store *s, const struct sotto_chain_row *row,
				     const struct sotto_store_head *new_head,
				     struct sotto_error *err)
{
	sqlite3_stmt *q;
	int failed;

	SOTTO_TRY(insert_row(s, row, new_head->hash, err));
	SOTTO_TRY(sotto_store_insert_parts(s, row, err));
	SOTTO_TRY(sotto_statement_prepare(s, "UPDATE head SET number = ?, hash = ?", &q, err));
	failed = sqlite3_bind_int64(q, 1, (int64_t)new_head->number) |
		 sotto_statement_bind_hash(q, 2, new_head->hash);
	return sotto_statement_finish(s, q, failed, err);
}

/* Of the query in sotto_store_rows; false if a value is not what it should be. */
static bool read_row(sqlite3_stmt *q, struct sotto_chain_row *row,
		     uint8_t key[SOTTO_HASH_BYTES], uint8_t hash[SOTTO_HASH_BYTES])
{
	int64_t parts = sqlite3_column_int64(q, 14);

	*row = (struct sotto_chain_row){
		.number = (uint64_t)sqlite3_column_int64(q, 0),
		.time = sqlite3_column_int64(q, 1),
		.analyst = sotto_statement_text(q, 2),
		.query = sotto_statement_text(q, 3),
		.key = key,
		.format = sqlite3_column_int(q, 11),
		.kind = sqlite3_column_int(q, 12),
		.data = sotto_statement_text(q, 13),
		.part_count = (size_t)parts,
	};
	if (parts < 0 || parts > SOTTO_STORE_PARTS_MAX || !row->analyst || !row->query ||
	    !row->data || !sotto_statement_hash(q, 4, key) ||
	    !sotto_statement_hash(q, 9, hash) || !sotto_statement_cost(q, 5, &row->cost))
		return false;
	/* What the old hash does not cover must be as the old version left it. */
	if (row->format == SOTTO_CHAIN_FORMAT_OLD)
		return row->kind == 0 && row->data[0] == '\0' && parts == 0;
	return row->format == SOTTO_CHAIN_FORMAT;
}

static enum sotto_status visit_row(struct sotto_store *s, sqlite3_stmt *q,
				   sotto_store_row_fn each, void *context,
				   struct sotto_error *err)
{
	uint8_t key[SOTTO_HASH_BYTES], hash[SOTTO_HASH_BYTES];
	struct sotto_store_parts parts = {0};
	struct sotto_chain_row row;
	enum sotto_status st;

	if (!read_row(q, &row, key, hash))
		return sotto_store_damage(s, err);
	st = sotto_store_read_parts(s, row.number, row.part_count, &parts, err);
	row.parts = parts.items;
	if (st == SOTTO_OK)
		st = each(context, &row, hash, sqlite3_column_int(q, 10) != 0, err);
	sotto_store_parts_release(&parts);
	return st;
}

enum sotto_status sotto_store_rows(struct sotto_store *s, struct sotto_store_range range,
				   sotto_store_row_fn each, void *context,
				   struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;
	int step;

	SOTTO_TRY(sotto_statement_prepare(
		s,
		"SELECT number, time, analyst, query, key, bounded, epsilon, delta, rho, "
		"entry.hash, answer.text IS NOT NULL, format, kind, data, parts FROM entry "
		"LEFT JOIN answer USING (number) WHERE number > ?1 AND number <= ?2 AND "
		"time >= ?3 AND (?4 IS NULL OR analyst = ?4) ORDER BY number LIMIT -1 OFFSET "
		"?5",
		&q, err));
	(void)sqlite3_bind_int64(q, 1, (int64_t)range.after);
	(void)sqlite3_bind_int64(q, 2, (int64_t)range.last);
	(void)sqlite3_bind_int64(q, 3, range.from_time);
	(void)sotto_statement_bind_text(q, 4, range.analyst);
	(void)sqlite3_bind_int64(q, 5, (int64_t)range.skip);
	while (st == SOTTO_OK && (step = sqlite3_step(q)) != SQLITE_DONE)
		st = step == SQLITE_ROW ? visit_row(s, q, each, context, err)
					: sotto_store_failure(s, err);
	(void)sotto_statement_end(q);
	return st;
}
