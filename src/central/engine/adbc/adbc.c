#include "central/engine/adbc/adbc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "central/engine/postgres/postgres_lookup.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

enum { LINES_MAX = 64, LOCK_SECONDS = 5, LOOK_SECONDS = 60, SNAPSHOT_MAX = 64 };
enum { TABLES_MEMORY = 64 << 20, ASK_MEMORY = 1 << 20 };

struct known_table {
	const char *name;
	struct sotto_adbc_table table;
	size_t reads; /* of the statement that is being planned */
	size_t scans; /* of the statement that runs */
};

struct sotto_adbc {
	struct sotto_adbc_driver driver;
	struct sotto_adbc_dialect dialect;
	struct AdbcConnection keeper; /* of the snapshot; also answers questions about tables */
	bool has_keeper;

	/* the moment */
	bool has_begun;
	unsigned seconds;
	char snapshot[SNAPSHOT_MAX];
	struct sotto_arena arena; /* of tables */
	struct known_table *tables;
	size_t table_count;
	enum sotto_status trouble; /* of the last description */

	pthread_mutex_t lock;
	struct AdbcConnection idle[LINES_MAX];
	size_t idle_count;
};

bool sotto_adbc_shares_moment(const struct sotto_adbc *a)
{
	return a->dialect.is_postgres;
}

struct sotto_adbc_driver *sotto_adbc_driver(struct sotto_adbc *a)
{
	return &a->driver;
}

bool sotto_adbc_has_begun(const struct sotto_adbc *a)
{
	return a->has_begun;
}

/* ---- transactions ----------------------------------------------------------------- */

static enum sotto_status
set_local(struct sotto_adbc *a, struct AdbcConnection *c, const char *setting)
{
	char sql[160];

	(void)snprintf(sql, sizeof sql, "SET LOCAL %s", setting);
	return sotto_adbc_execute(&a->driver, c, sql);
}

/* As the reader by libpq sets them (postgres.c). */
static enum sotto_status
set_postgres(struct sotto_adbc *a, struct AdbcConnection *c, unsigned seconds)
{
	static const char *const times[] = {"statement_timeout",
					    "idle_in_transaction_session_timeout"};
	char setting[80];

	for (const char *const *s = sotto_postgres_settings; *s; s++)
		SOTTO_TRY(set_local(a, c, *s));
	SOTTO_TRY(set_local(a, c, "client_encoding = 'UTF8'"));
	(void)snprintf(setting, sizeof setting, "lock_timeout = '%us'", (unsigned)LOCK_SECONDS);
	SOTTO_TRY(set_local(a, c, setting));
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		(void)snprintf(setting, sizeof setting, "%s = '%us'", times[i], seconds);
		SOTTO_TRY(set_local(a, c, setting));
	}
	return set_local(a, c, "search_path = pg_catalog");
}

/* snapshot: of PostgreSQL, to take over; NULL: a new one. */
static enum sotto_status begin_postgres(struct sotto_adbc *a, struct AdbcConnection *c,
					unsigned seconds, const char *snapshot)
{
	char sql[SNAPSHOT_MAX + 64];

	if (!sotto_adbc_set(&a->driver, c, "adbc.connection.autocommit", "false"))
		return SOTTO_EIO;
	SOTTO_TRY(sotto_adbc_execute(
		&a->driver, c, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"));
	if (snapshot) {
		(void)snprintf(sql, sizeof sql, "SET TRANSACTION SNAPSHOT '%s'", snapshot);
		SOTTO_TRY(sotto_adbc_execute(&a->driver, c, sql));
	}
	return set_postgres(a, c, seconds);
}

/* What a driver cannot do is left: then a scan is one statement, and that is all. */
static void begin_anywhere(struct sotto_adbc *a, struct AdbcConnection *c)
{
	static const char isolation[] = "adbc.connection.transaction.isolation_level";

	(void)sotto_adbc_set(&a->driver, c, "adbc.connection.readonly", "true");
	if (!sotto_adbc_set(&a->driver, c, isolation,
			    "adbc.connection.transaction.isolation.snapshot"))
		(void)sotto_adbc_set(&a->driver, c, isolation,
				     "adbc.connection.transaction.isolation.repeatable_read");
	(void)sotto_adbc_set(&a->driver, c, "adbc.connection.autocommit", "false");
}

static enum sotto_status
begin_on(struct sotto_adbc *a, struct AdbcConnection *c, unsigned seconds, const char *snapshot)
{
	if (a->dialect.is_postgres)
		return begin_postgres(a, c, seconds, snapshot);
	begin_anywhere(a, c);
	return SOTTO_OK;
}

static void end_on(struct sotto_adbc *a, struct AdbcConnection *c)
{
	sotto_adbc_rollback(&a->driver, c);
	(void)sotto_adbc_set(&a->driver, c, "adbc.connection.autocommit", "true");
}

/* ---- opening ----------------------------------------------------------------------- */

/* In MySQL "a" is a text, in BigQuery nothing; both have ` instead. */
static char find_quote(struct sotto_adbc *a)
{
	struct sotto_arrow_column c;
	struct sotto_adbc_rows r;
	char quote = '`';

	if (sotto_adbc_rows_open(&a->driver, &a->keeper,
				 "SELECT \"a\" FROM (SELECT 1 AS \"a\") AS t",
				 &r) == SOTTO_OK &&
	    r.schema.n_children == 1 && sotto_arrow_column_read(r.schema.children[0], &c) &&
	    c.values.meaning != SOTTO_ARROW_TEXT)
		quote = '"';
	sotto_adbc_rows_close(&a->driver, &r);
	return quote;
}

/* What the reader by libpq asks for as well, and for the same reasons (postgres.md). */
static enum sotto_status check_postgres(struct sotto_adbc *a, struct sotto_error *err)
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
	is_ok = sotto_adbc_ask(&a->driver, &a->keeper, is_fit, 1, &arena, &cells, &rows) ==
			SOTTO_OK &&
		rows == 1 && strcmp(cells[0], "true") == 0;
	sotto_arena_release(&arena);
	return is_ok ? SOTTO_OK
		     : sotto_fail(err, SOTTO_EIO,
				  "the PostgreSQL server is older than version 15, or its "
				  "database is not in UTF8, or its max_stack_depth is below "
				  "1MB");
}

/* The keeper says who is behind it.  SQLite's driver looks at rows to say what a column is. */
static enum sotto_status connect_keeper(struct sotto_adbc *a, struct sotto_error *err)
{
	char vendor[SOTTO_ADBC_VENDOR];

	if (a->has_keeper)
		sotto_adbc_disconnect(&a->driver, &a->keeper);
	a->has_keeper = sotto_adbc_connect(&a->driver, &a->keeper) == SOTTO_OK;
	if (!a->has_keeper)
		return sotto_fail(err, SOTTO_EIO,
				  "the ADBC driver could not connect; check uri in the policy, "
				  "and whether the server runs");
	sotto_adbc_vendor(&a->driver, &a->keeper, vendor);
	if (strcasecmp(vendor, "SQLite") == 0)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "the ADBC driver of SQLite takes the types of columns from "
				  "rows, so that a row could make a query fail; export the "
				  "tables to Parquet or CSV and seal those");
	a->dialect.is_postgres = strcasecmp(vendor, "PostgreSQL") == 0;
	a->dialect.quote = a->dialect.is_postgres ? '"' : find_quote(a);
	return a->dialect.is_postgres ? check_postgres(a, err) : SOTTO_OK;
}

enum sotto_status sotto_adbc_open(const char *driver, const char *uri, struct sotto_adbc **out,
				  struct sotto_error *err)
{
	struct sotto_adbc *a = calloc(1, sizeof *a);
	enum sotto_status st;

	if (!a)
		return SOTTO_ENOMEM;
	if (pthread_mutex_init(&a->lock, NULL) != 0) {
		free(a);
		return SOTTO_ENOMEM;
	}
	st = sotto_adbc_driver_open(&a->driver, driver, uri, err);
	if (st == SOTTO_OK)
		st = connect_keeper(a, err);
	if (st != SOTTO_OK) {
		sotto_adbc_close(a);
		return st;
	}
	*out = a;
	return SOTTO_OK;
}

void sotto_adbc_close(struct sotto_adbc *a)
{
	if (!a)
		return;
	sotto_adbc_end(a);
	if (a->has_keeper)
		sotto_adbc_disconnect(&a->driver, &a->keeper);
	sotto_adbc_driver_close(&a->driver);
	(void)pthread_mutex_destroy(&a->lock);
	free(a);
}

/* ---- tables ------------------------------------------------------------------------- */

/* A keeper that the server has closed since (a restart, a time limit) is replaced. */
static enum sotto_status
begin_keeper(struct sotto_adbc *a, unsigned seconds, struct sotto_error *err)
{
	if (a->has_keeper && begin_on(a, &a->keeper, seconds, NULL) == SOTTO_OK)
		return SOTTO_OK;
	SOTTO_TRY(connect_keeper(a, err));
	if (begin_on(a, &a->keeper, seconds, NULL) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EIO, "the server gave no transaction");
	return SOTTO_OK;
}

static struct known_table *find_known(struct sotto_adbc *a, const char *name)
{
	for (size_t i = 0; i < a->table_count; i++)
		if (strcmp(a->tables[i].name, name) == 0)
			return &a->tables[i];
	return NULL;
}

static enum sotto_status look_and_keep(struct sotto_adbc *a, const char *name)
{
	struct sotto_adbc_table table;
	struct known_table *k;

	SOTTO_TRY(
		sotto_adbc_look(&a->driver, &a->keeper, &a->dialect, name, &a->arena, &table));
	k = SOTTO_PUSH(&a->arena, a->tables, a->table_count);
	if (!k)
		return SOTTO_ENOMEM;
	*k = (struct known_table){sotto_arena_text(&a->arena, name), table, 0, 0};
	return k->name ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
describe_in_moment(struct sotto_adbc *a, const char *name, struct sotto_adbc_table *out)
{
	struct known_table *k = find_known(a, name);

	if (!k) {
		SOTTO_TRY(look_and_keep(a, name));
		k = find_known(a, name);
	}
	k->reads++;
	*out = k->table;
	return SOTTO_OK;
}

enum sotto_status sotto_adbc_describe(struct sotto_adbc *a, const char *name,
				      struct sotto_arena *arena, struct sotto_adbc_table *out)
{
	if (a->has_begun) {
		a->trouble = describe_in_moment(a, name, out);
		return a->trouble;
	}
	a->trouble = begin_keeper(a, LOOK_SECONDS, NULL);
	if (a->trouble == SOTTO_OK)
		a->trouble =
			sotto_adbc_look(&a->driver, &a->keeper, &a->dialect, name, arena, out);
	if (a->has_keeper)
		end_on(a, &a->keeper);
	return a->trouble;
}

enum sotto_status sotto_adbc_refuse(const struct sotto_adbc *a, struct sotto_error *err)
{
	if (a->trouble == SOTTO_ESTATE)
		return sotto_fail(err, SOTTO_EIO,
				  "a change of a table is under way on the server; ask again "
				  "when it is done");
	return sotto_fail(
		err, SOTTO_EIO,
		"a table on the server is gone, has other columns than before, or may "
		"no longer be read");
}

/* ---- the moment ---------------------------------------------------------------------- */

static enum sotto_status take_snapshot(struct sotto_adbc *a)
{
	struct sotto_arena arena;
	const char **cells;
	size_t rows;
	bool is_ok;

	sotto_arena_init(&arena, ASK_MEMORY);
	is_ok = sotto_adbc_ask(&a->driver, &a->keeper, "SELECT pg_catalog.pg_export_snapshot()",
			       1, &arena, &cells, &rows) == SOTTO_OK &&
		rows == 1 && *cells[0] && strlen(cells[0]) < sizeof a->snapshot &&
		!strchr(cells[0], '\'');
	if (is_ok)
		(void)snprintf(a->snapshot, sizeof a->snapshot, "%s", cells[0]);
	sotto_arena_release(&arena);
	return is_ok ? SOTTO_OK : SOTTO_EIO;
}

enum sotto_status
sotto_adbc_begin(struct sotto_adbc *a, unsigned seconds, struct sotto_error *err)
{
	for (size_t i = 0; a->has_begun && i < a->table_count; i++)
		a->tables[i].reads = 0;
	if (a->has_begun)
		return SOTTO_OK;
	SOTTO_TRY(begin_keeper(a, seconds, err));
	if (a->dialect.is_postgres && take_snapshot(a) != SOTTO_OK) {
		end_on(a, &a->keeper);
		return sotto_fail(err, SOTTO_EIO, "PostgreSQL gave no snapshot");
	}
	sotto_arena_init(&a->arena, TABLES_MEMORY);
	a->seconds = seconds;
	a->trouble = SOTTO_OK;
	a->has_begun = true;
	return SOTTO_OK;
}

void sotto_adbc_end(struct sotto_adbc *a)
{
	if (!a->has_begun)
		return;
	for (size_t i = 0; i < a->idle_count; i++)
		sotto_adbc_disconnect(&a->driver, &a->idle[i]);
	end_on(a, &a->keeper);
	sotto_arena_release(&a->arena);
	a->tables = NULL;
	a->table_count = a->idle_count = 0;
	a->has_begun = false;
}

static enum sotto_status try_out_tables(struct sotto_adbc *a, struct AdbcConnection *c)
{
	for (size_t i = 0; i < a->table_count; i++)
		SOTTO_TRY(sotto_adbc_try_out(&a->driver, c, &a->tables[i].table));
	return SOTTO_OK;
}

static enum sotto_status open_line(struct sotto_adbc *a, struct AdbcConnection *out)
{
	struct AdbcConnection c;
	enum sotto_status st = sotto_adbc_connect(&a->driver, &c);

	if (st != SOTTO_OK)
		return st;
	st = begin_on(a, &c, a->seconds, a->snapshot);
	if (st == SOTTO_OK)
		st = try_out_tables(a, &c);
	if (st != SOTTO_OK)
		sotto_adbc_disconnect(&a->driver, &c);
	else
		*out = c;
	return st;
}

/* A table read at two moments may have the rows of a person at both: then no bound holds. */
static enum sotto_status
check_reads(const struct sotto_adbc *a, size_t scans, struct sotto_error *err)
{
	size_t reads = 0;

	for (size_t i = 0; i < a->table_count; i++) {
		if (a->tables[i].reads > 1)
			return sotto_fail(
				err, SOTTO_EREFUSED,
				"the question reads table %.100s more than once, and this ADBC "
				"driver has no snapshot that two reads can share; ask in a way "
				"that names the table once, or keep the table in PostgreSQL "
				"or in files",
				a->tables[i].name);
		reads += a->tables[i].reads;
	}
	if (scans > reads)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "the engine would read a table more than once, and this ADBC "
				  "driver has no snapshot that two reads can share");
	return SOTTO_OK;
}

enum sotto_status
sotto_adbc_reserve(struct sotto_adbc *a, size_t scans, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;

	if (!a->dialect.is_postgres)
		SOTTO_TRY(check_reads(a, scans, err));
	if (scans > LINES_MAX)
		return sotto_fail(err, SOTTO_EIO,
				  "the query reads tables of the server %zu times; %d times "
				  "is the most",
				  scans, LINES_MAX);
	for (size_t i = 0; st == SOTTO_OK && i < a->idle_count; i++)
		st = try_out_tables(a, &a->idle[i]);
	while (st == SOTTO_OK && a->idle_count < scans) {
		st = open_line(a, &a->idle[a->idle_count]);
		a->idle_count += st == SOTTO_OK;
	}
	if (st == SOTTO_ESTATE)
		return sotto_fail(err, SOTTO_EIO,
				  "a change of a table is under way on the server; ask again "
				  "when it is done");
	if (st != SOTTO_OK)
		return sotto_fail(
			err, SOTTO_EIO,
			"the query needs %zu connections at once and got %zu; let the "
			"server give more, or ask about fewer tables at once",
			scans + 1, a->idle_count + 1);
	return SOTTO_OK;
}

void sotto_adbc_start(struct sotto_adbc *a)
{
	for (size_t i = 0; a->has_begun && i < a->table_count; i++)
		a->tables[i].scans = 0;
}

/* A plan is counted as a whole, so that of two tables one might be read twice and one never. */
static bool may_scan(struct sotto_adbc *a, const struct sotto_adbc_table *table)
{
	for (size_t i = 0; !a->dialect.is_postgres && i < a->table_count; i++)
		if (strcmp(a->tables[i].table.relation, table->relation) == 0 &&
		    ++a->tables[i].scans > 1)
			return false;
	return true;
}

bool sotto_adbc_borrow(struct sotto_adbc *a, const struct sotto_adbc_table *table,
		       struct AdbcConnection *out)
{
	bool found;

	(void)pthread_mutex_lock(&a->lock);
	found = a->idle_count > 0 && may_scan(a, table);
	if (found)
		*out = a->idle[--a->idle_count];
	(void)pthread_mutex_unlock(&a->lock);
	return found;
}

void sotto_adbc_give_back(struct sotto_adbc *a, struct AdbcConnection *c, bool is_idle)
{
	bool is_kept;

	(void)pthread_mutex_lock(&a->lock);
	is_kept = is_idle && a->has_begun && a->idle_count < LINES_MAX;
	if (is_kept)
		a->idle[a->idle_count++] = *c;
	(void)pthread_mutex_unlock(&a->lock);
	if (!is_kept)
		sotto_adbc_disconnect(&a->driver, c);
}
