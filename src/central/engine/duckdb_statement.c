/*
 * One statement, task by task: while the engine's threads have all that there is to do, this one
 * sleeps for as long as a few vectors take.
 */
#include "central/engine/duckdb_statement.h"

#include <stdio.h>
#include <time.h>

enum { NAP = 50000 }; /* nanoseconds */

static enum sotto_status fail(const char *words, char *detail, size_t size)
{
	(void)snprintf(detail, size, "%s", words ? words : "unknown error");
	return SOTTO_EIO;
}

static bool finish_tasks(const struct sotto_duckdb *api, duckdb_pending_result pending)
{
	const struct timespec nap = {.tv_nsec = NAP};
	duckdb_pending_state state;

	do {
		state = api->duckdb_pending_execute_task(pending);
		if (state == DUCKDB_PENDING_NO_TASKS_AVAILABLE)
			(void)nanosleep(&nap, NULL);
	} while (state == DUCKDB_PENDING_NO_TASKS_AVAILABLE ||
		 state == DUCKDB_PENDING_RESULT_NOT_READY);
	return state == DUCKDB_PENDING_RESULT_READY;
}

static enum sotto_status run_prepared(const struct sotto_duckdb *api,
				      duckdb_prepared_statement prepared, duckdb_result *result,
				      char *detail, size_t size)
{
	duckdb_pending_result pending = NULL;
	enum sotto_status st = SOTTO_OK;

	if (api->duckdb_pending_prepared(prepared, &pending) == DuckDBError ||
	    !finish_tasks(api, pending)) {
		st = fail(api->duckdb_pending_error(pending), detail, size);
	} else if (api->duckdb_execute_pending(pending, result) == DuckDBError) {
		st = fail(api->duckdb_result_error(result), detail, size);
		api->duckdb_destroy_result(result);
	}
	api->duckdb_destroy_pending(&pending);
	return st;
}

enum sotto_status sotto_duckdb_run(const struct sotto_duckdb *api, duckdb_connection connection,
				   const char *sql, duckdb_result *result, char *detail,
				   size_t size)
{
	duckdb_prepared_statement prepared = NULL;
	enum sotto_status st;

	if (api->duckdb_prepare(connection, sql, &prepared) == DuckDBError)
		st = fail(api->duckdb_prepare_error(prepared), detail, size);
	else
		st = run_prepared(api, prepared, result, detail, size);
	api->duckdb_destroy_prepare(&prepared);
	return st;
}
