/*
 * Creates every table of the list in one SQLite transaction and fills them; the first failure
 * is kept, and what comes after it does nothing.
 */
#include "server/catalog/catalog_fill.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/session/session.h"

bool sotto_catalog_has(const char *schema, const char *name)
{
	for (const struct sotto_catalog_table *t = sotto_catalog_tables; t->name; t++)
		if (strcmp(t->schema, *schema ? schema : "pg_catalog") == 0 &&
		    strcmp(t->name, name) == 0)
			return true;
	return false;
}

void sotto_catalog_insert(struct sotto_catalog_filler *f, const char *sql, const char *kinds,
			  ...)
{
	sqlite3_stmt *q = NULL;
	va_list args;

	if (f->status != SOTTO_OK)
		return;
	if (sqlite3_prepare_v2(f->db, sql, -1, &q, NULL) != SQLITE_OK) {
		f->status = SOTTO_ENOMEM;
		return;
	}
	va_start(args, kinds);
	for (int i = 0; kinds[i]; i++) {
		if (kinds[i] == 'i')
			(void)sqlite3_bind_int64(q, i + 1, va_arg(args, int64_t));
		else
			(void)sqlite3_bind_text(q, i + 1, va_arg(args, const char *), -1,
						SQLITE_TRANSIENT);
	}
	va_end(args);
	if (sqlite3_step(q) != SQLITE_DONE)
		f->status = SOTTO_ENOMEM;
	sqlite3_finalize(q);
}

void sotto_catalog_fill_class(struct sotto_catalog_filler *f, int64_t oid, const char *name,
			      int64_t space, int64_t columns, const char *kind)
{
	sotto_catalog_insert(
		f,
		"INSERT INTO \"pg_catalog pg_class\" (oid, relname, relnamespace, reltype, "
		"reloftype, relowner, relam, relfilenode, reltablespace, relpages, reltuples, "
		"relallvisible, reltoastrelid, relhasindex, relisshared, relpersistence, "
		"relkind, "
		"relnatts, relchecks, relhasrules, relhastriggers, relhassubclass, "
		"relrowsecurity, relforcerowsecurity, relispopulated, relreplident, "
		"relispartition, relrewrite, relacl) VALUES (?1, ?2, ?3, 0, 0, ?4, ?5, 0, 0, "
		"0, "
		"-1, 0, "
		"0, "
		"0, 0, 'p', ?7, ?6, 0, 0, 0, 0, 0, 0, 1, 'd', 0, 0, '{=r/owner}')",
		"itiiiit", oid, name, space, (int64_t)SOTTO_OID_OWNER, (int64_t)SOTTO_OID_HEAP,
		columns, kind);
}

static void make_tables(struct sotto_catalog_filler *f)
{
	for (const struct sotto_catalog_table *t = sotto_catalog_tables; t->name; t++) {
		char *sql = NULL;

		if (asprintf(&sql, "CREATE TABLE \"%s %s\" (%s)", t->schema, t->name,
			     t->columns) < 0 ||
		    sqlite3_exec(f->db, sql, NULL, NULL, NULL) != SQLITE_OK)
			f->status = SOTTO_ENOMEM;
		free(sql);
	}
	if (sqlite3_exec(f->db, "CREATE TABLE types (oid oid, short text, name text)", NULL,
			 NULL, NULL) != SQLITE_OK)
		f->status = SOTTO_ENOMEM;
}

enum sotto_status sotto_catalog_fill(sqlite3 *db, struct sotto_session *s,
				     const struct sotto_catalog_who *who,
				     struct sotto_error *err)
{
	struct sotto_catalog_filler f = {.db = db, .who = who, .status = SOTTO_OK};
	enum sotto_status st;

	if (sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		return SOTTO_ENOMEM;
	make_tables(&f);
	sotto_catalog_fill_system(&f);
	st = sotto_session_enter(s, err);
	if (st == SOTTO_OK) {
		sotto_session_begin(s);
		st = sotto_catalog_fill_tables(&f, s, err);
		sotto_session_leave(s);
	}
	if (st == SOTTO_OK && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		st = SOTTO_ENOMEM;
	return st;
}
