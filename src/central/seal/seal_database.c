/*
 * DuckDB in this process with the network and temporary files switched off; errors are a status
 * without the engine's words, which may quote values.
 */
#include "central/seal/seal_database.h"

#include <sys/stat.h>
#include <unistd.h>

#include "central/engine/duckdb_result.h"
#include "central/engine/engine_result.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

/* Nothing from the network, nothing spilled; rows need not keep their order. */
static const char *const settings[][2] = {
	{"autoinstall_known_extensions", "false"}, {"autoload_known_extensions", "false"},
	{"allow_community_extensions", "false"},   {"temp_directory", ""},
	{"preserve_insertion_order", "false"},
};

static enum sotto_status
submit(struct sotto_database *d, const char *sql, duckdb_result *result)
{
	if (d->api.duckdb_query(d->connection, sql, result) != DuckDBError)
		return SOTTO_OK;
	d->api.duckdb_destroy_result(result);
	return SOTTO_EIO;
}

enum sotto_status sotto_database_execute(struct sotto_database *d, const char *sql)
{
	duckdb_result result;

	SOTTO_TRY(submit(d, sql, &result));
	d->api.duckdb_destroy_result(&result);
	return SOTTO_OK;
}

static enum sotto_status start(struct sotto_database *d)
{
	enum sotto_status st = SOTTO_OK;
	duckdb_config config;
	char *message = NULL;

	if (d->api.duckdb_create_config(&config) == DuckDBError)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
		if (d->api.duckdb_set_config(config, settings[i][0], settings[i][1]) ==
		    DuckDBError)
			st = SOTTO_EIO;
	if (st == SOTTO_OK &&
	    d->api.duckdb_open_ext(NULL, &d->database, config, &message) == DuckDBError)
		st = SOTTO_EIO;
	d->api.duckdb_destroy_config(&config);
	if (message)
		d->api.duckdb_free(message);
	if (st == SOTTO_OK && d->api.duckdb_connect(d->database, &d->connection) == DuckDBError)
		st = SOTTO_EIO;
	/* A view may ask for the day of a moment: in UTC, as questions do, whatever zone the machine is in. */
	return st == SOTTO_OK ? sotto_database_execute(d, "SET TimeZone = 'UTC'") : st;
}

enum sotto_status sotto_database_open(struct sotto_database *d, struct sotto_error *err)
{
	*d = (struct sotto_database){0};
	SOTTO_TRY(sotto_duckdb_load(&d->api, err));
	if (start(d) == SOTTO_OK)
		return SOTTO_OK;
	sotto_database_close(d);
	return sotto_fail(err, SOTTO_EIO, "the engine could not be started");
}

void sotto_database_close(struct sotto_database *d)
{
	if (d->connection)
		d->api.duckdb_disconnect(&d->connection);
	if (d->database)
		d->api.duckdb_close(&d->database);
}

enum sotto_status
sotto_database_run(struct sotto_database *d, const char *sql, struct sotto_engine_result **out)
{
	duckdb_result result;
	enum sotto_status st;

	SOTTO_TRY(submit(d, sql, &result));
	st = sotto_result_read(&d->api, &result, false, out);
	d->api.duckdb_destroy_result(&result);
	return st;
}

/* The engine reads what it wrote itself or an older one did, unless somebody writes at this moment. */
static const char *advise(struct sotto_database *d, struct sotto_arena *a, const char *path)
{
	if (access(path, R_OK) != 0)
		return "check that it exists and that you may read it";
	return sotto_arena_textf(
		a,
		"check that it is a DuckDB file and that no program is writing to "
		"it; if a DuckDB newer than the engine's %s wrote it, let that one "
		"export the tables as Parquet files",
		d->api.duckdb_library_version());
}

enum sotto_status sotto_database_attach(struct sotto_database *d, struct sotto_arena *a,
					const char *path, const char **advice)
{
	const char *file = sotto_sql_quote_text(a, path), *sql;
	struct stat found;
	enum sotto_status st;

	sql = file ? sotto_arena_textf(a, "ATTACH %s AS sealed_source (READ_ONLY)", file)
		   : NULL;
	if (!sql)
		return SOTTO_ENOMEM;
	/* The engine would wait for somebody who writes into a pipe. */
	st = stat(path, &found) == 0 && !S_ISREG(found.st_mode)
		     ? SOTTO_EIO
		     : sotto_database_execute(d, sql);
	if (st == SOTTO_EIO && advice && !(*advice = advise(d, a, path)))
		return SOTTO_ENOMEM;
	return st;
}

enum sotto_status sotto_database_push_conditions(struct sotto_database *d, bool push)
{
	return sotto_database_execute(
		d, push ? "SET disabled_optimizers = 'statistics_propagation'"
			: "SET disabled_optimizers = 'statistics_propagation,filter_pushdown'");
}
