/*
 * Reads back exactly as many parts as the entry says, numbered from 1; anything else is damage.
 */
#include "core/ledger/store/ledger_store_part.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/ledger/store/ledger_statement.h"
#include "core/ledger/store/ledger_store_error.h"
#include "core/ledger/store/statement_reuse.h"

void sotto_store_parts_release(struct sotto_store_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		struct sotto_chain_part *p = &parts->items[i];

		free((char *)p->what);
		free((char *)p->cost.epsilon);
		free((char *)p->cost.delta);
		free((char *)p->cost.rho);
	}
	free(parts->items);
	*parts = (struct sotto_store_parts){0};
}

enum sotto_status sotto_store_insert_parts(struct sotto_store *s,
					   const struct sotto_chain_row *row,
					   struct sotto_error *err)
{
	for (size_t i = 0; i < row->part_count; i++) {
		const struct sotto_chain_part *p = &row->parts[i];
		sqlite3_stmt *q;
		int failed;

		SOTTO_TRY(sotto_statement_prepare(
			s,
			"INSERT INTO part(number, place, what, bounded, epsilon, delta, rho) "
			"VALUES(?, ?, ?, ?, ?, ?, ?)",
			&q, err));
		failed = sqlite3_bind_int64(q, 1, (int64_t)row->number) |
			 sqlite3_bind_int64(q, 2, (int64_t)i + 1) |
			 sotto_statement_bind_text(q, 3, p->what) |
			 sotto_statement_bind_cost(q, 4, &p->cost);
		SOTTO_TRY(sotto_statement_finish(s, q, failed, err));
	}
	return SOTTO_OK;
}

/* The next step of the statement makes its texts invalid: they are copied. */
static enum sotto_status copy_part(sqlite3_stmt *q, struct sotto_chain_part *out)
{
	struct sotto_chain_cost cost;
	const char *what = sotto_statement_text(q, 1);

	if (!what || !sotto_statement_cost(q, 2, &cost))
		return SOTTO_ECORRUPT;
	out->what = strdup(what);
	out->cost.bounded = cost.bounded;
	out->cost.epsilon = strdup(cost.epsilon);
	out->cost.delta = strdup(cost.delta);
	out->cost.rho = strdup(cost.rho);
	return out->what && out->cost.epsilon && out->cost.delta && out->cost.rho
		       ? SOTTO_OK
		       : SOTTO_ENOMEM;
}

static enum sotto_status read_all(struct sotto_store *s, sqlite3_stmt *q, size_t count,
				  struct sotto_store_parts *out, struct sotto_error *err)
{
	enum sotto_status st;
	int step;

	while ((step = sqlite3_step(q)) == SQLITE_ROW) {
		if (out->count == count ||
		    sqlite3_column_int64(q, 0) != (int64_t)out->count + 1)
			return sotto_store_damage(s, err);
		st = copy_part(q, &out->items[out->count++]);
		if (st == SOTTO_ECORRUPT)
			return sotto_store_damage(s, err);
		if (st != SOTTO_OK)
			return sotto_fail(err, st, "out of memory");
	}
	if (step != SQLITE_DONE)
		return sotto_store_failure(s, err);
	return out->count == count ? SOTTO_OK : sotto_store_damage(s, err);
}

enum sotto_status sotto_store_read_parts(struct sotto_store *s, uint64_t number, size_t count,
					 struct sotto_store_parts *out, struct sotto_error *err)
{
	enum sotto_status st;
	sqlite3_stmt *q;

	if (count == 0)
		return SOTTO_OK;
	out->items = calloc(count, sizeof *out->items);
	if (!out->items)
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	SOTTO_TRY(sotto_statement_prepare(
		s,
		"SELECT place, what, bounded, epsilon, delta, rho FROM part WHERE number = ? "
		"ORDER BY place",
		&q, err));
	(void)sqlite3_bind_int64(q, 1, (int64_t)number);
	st = read_all(s, q, count, out, err);
	(void)sotto_statement_end(q);
	return st;
}

enum sotto_status sotto_store_check_parts(struct sotto_store *s, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	sqlite3_stmt *q;

	SOTTO_TRY(sotto_statement_prepare(s,
					  "SELECT (SELECT count(*) FROM part) = (SELECT "
					  "coalesce(sum(parts), 0) FROM entry)",
					  &q, err));
	if (sqlite3_step(q) != SQLITE_ROW)
		st = sotto_store_failure(s, err);
	else if (!sqlite3_column_int(q, 0))
		st = sotto_store_damage(s, err);
	(void)sotto_statement_end(q);
	return st;
}
