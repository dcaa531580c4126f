/*
 * Finds out what a server is by its vendor's name and by how it takes a quoted name; PostgreSQL
 * gets the settings of the reader by libpq, other servers whatever options their driver has.
 */
#include "central/engine/adbc/adbc_transaction.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "central/engine/postgres/postgres_lookup.h"
#include "core/base/failure.h"

enum { LOCK_SECONDS = 5, ASK_MEMORY = 1 << 20 };

/* ---- who is there ------------------------------------------------------------------- */

/* In MySQL "a" is a text, and BigQuery does not take it at all; both quote names with `. */
static char find_quote(struct sotto_adbc_driver *d, struct AdbcConnection *c)
{
	struct sotto_arrow_column column;
	struct sotto_adbc_rows r;
	char quote = '`';

	if (sotto_adbc_rows_open(d, c, "SELECT \"a\" FROM (SELECT 1 AS \"a\") AS t", &r) ==
		    SOTTO_OK &&
	    r.schema.n_children == 1 &&
	    sotto_arrow_column_read(r.schema.children[0], &column) &&
	    column.values.meaning != SOTTO_ARROW_TEXT)
		quote = '"';
	sotto_adbc_rows_close(d, &r);
	return quote;
}

/* The reader by libpq makes the same demands, for the same reasons (postgres.md). */
static enum sotto_status
check_postgres(struct sotto_adbc_driver *d, struct AdbcConnection *c, struct sotto_error *err)
{
	static const char is_fit[] =
		"SELECT (pg_catalog.current_setting('server_version_num')::int >= 150000 AND "
		"pg_catalog.getdatabaseencoding() = 'UTF8' AND pg_catalog.pg_size_bytes("
		"pg_catalog.current_setting('max_stack_depth')) >= 1048576)::text";
	struct sotto_arena arena;
	const char **cells;
	size_t rows;
	bool is_ok;

	sotto_arena_init(&arena, ASK_MEMORY);
	is_ok = sotto_adbc_ask(d, c, is_fit, 1, &arena, &cells, &rows) == SOTTO_OK &&
		rows == 1 && strcmp(cells[0], "true") == 0;
	sotto_arena_release(&arena);
	return is_ok ? SOTTO_OK
		     : sotto_fail(err, SOTTO_EIO,
				  "the PostgreSQL server is older than version 15, or its "
				  "database is not in UTF8, or its max_stack_depth is below "
				  "1MB");
}

/* SQLite's driver looks at rows to say what a column is. */
enum sotto_status sotto_adbc_know(struct sotto_adbc_driver *d, struct AdbcConnection *c,
				  struct sotto_adbc_dialect *out, struct sotto_error *err)
{
	char vendor[SOTTO_ADBC_VENDOR];

	sotto_adbc_vendor(d, c, vendor);
	if (strcasecmp(vendor, "SQLite") == 0)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "the ADBC driver of SQLite takes the types of columns from "
				  "rows, so that a row could make a query fail; export the "
				  "tables to Parquet or CSV and seal those");
	out->is_postgres = strcasecmp(vendor, "PostgreSQL") == 0;
	out->quote = out->is_postgres ? '"' : find_quote(d, c);
	return out->is_postgres ? check_postgres(d, c, err) : SOTTO_OK;
}

/* ---- transactions ----------------------------------------------------------------- */

static enum sotto_status
set_local(struct sotto_adbc_driver *d, struct AdbcConnection *c, const char *setting)
{
	char sql[160];

	(void)snprintf(sql, sizeof sql, "SET LOCAL %s", setting);
	return sotto_adbc_execute(d, c, sql);
}

/* The same settings as those of the reader by libpq (postgres_transaction.c). */
static enum sotto_status
set_postgres(struct sotto_adbc_driver *d, struct AdbcConnection *c, unsigned seconds)
{
	static const char *const times[] = {"statement_timeout",
					    "idle_in_transaction_session_timeout"};
	char setting[80];

	for (const char *const *s = sotto_postgres_settings; *s; s++)
		SOTTO_TRY(set_local(d, c, *s));
	SOTTO_TRY(set_local(d, c, "client_encoding = 'UTF8'"));
	(void)snprintf(setting, sizeof setting, "lock_timeout = '%us'", (unsigned)LOCK_SECONDS);
	SOTTO_TRY(set_local(d, c, setting));
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		(void)snprintf(setting, sizeof setting, "%s = '%us'", times[i], seconds);
		SOTTO_TRY(set_local(d, c, setting));
	}
	return set_local(d, c, "search_path = pg_catalog");
}

static enum sotto_status begin_postgres(struct sotto_adbc_driver *d, struct AdbcConnection *c,
					unsigned seconds, const char *snapshot)
{
	char sql[SOTTO_ADBC_SNAPSHOT + 64];

	if (!sotto_adbc_set(d, c, "adbc.connection.autocommit", "false"))
		return SOTTO_EIO;
	SOTTO_TRY(sotto_adbc_execute(
		d, c, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"));
	if (snapshot) {
		(void)snprintf(sql, sizeof sql, "SET TRANSACTION SNAPSHOT '%s'", snapshot);
		SOTTO_TRY(sotto_adbc_execute(d, c, sql));
	}
	return set_postgres(d, c, seconds);
}

/* Options that a driver does not have are left out: each scan is one statement anyway. */
static void begin_anywhere(struct sotto_adbc_driver *d, struct AdbcConnection *c)
{
	static const char isolation[] = "adbc.connection.transaction.isolation_level";

	(void)sotto_adbc_set(d, c, "adbc.connection.readonly", "true");
	if (!sotto_adbc_set(d, c, isolation, "adbc.connection.transaction.isolation.snapshot"))
		(void)sotto_adbc_set(d, c, isolation,
				     "adbc.connection.transaction.isolation.repeatable_read");
	(void)sotto_adbc_set(d, c, "adbc.connection.autocommit", "false");
}

enum sotto_status sotto_adbc_begin_on(struct sotto_adbc_driver *d, struct AdbcConnection *c,
				      const struct sotto_adbc_dialect *dialect,
				      unsigned seconds, const char *snapshot)
{
	if (dialect->is_postgres)
		return begin_postgres(d, c, seconds, snapshot);
	begin_anywhere(d, c);
	return SOTTO_OK;
}

void sotto_adbc_end_on(struct sotto_adbc_driver *d, struct AdbcConnection *c)
{
	sotto_adbc_rollback(d, c);
	(void)sotto_adbc_set(d, c, "adbc.connection.autocommit", "true");
}

enum sotto_status sotto_adbc_take_snapshot(struct sotto_adbc_driver *d,
					   struct AdbcConnection *c,
					   char out[SOTTO_ADBC_SNAPSHOT])
{
	struct sotto_arena arena;
	const char **cells;
	size_t rows;
	bool is_ok;

	sotto_arena_init(&arena, ASK_MEMORY);
	is_ok = sotto_adbc_ask(d, c, "SELECT pg_catalog.pg_export_snapshot()", 1, &arena,
			       &cells, &rows) == SOTTO_OK &&
		rows == 1 && *cells[0] && strlen(cells[0]) < SOTTO_ADBC_SNAPSHOT &&
		!strchr(cells[0], '\'');
	if (is_ok)
		(void)snprintf(out, SOTTO_ADBC_SNAPSHOT, "%s", cells[0]);
	sotto_arena_release(&arena);
	return is_ok ? SOTTO_OK : SOTTO_EIO;
}
