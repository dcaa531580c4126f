/*
 * Limits are set before the first statement, and the configuration can be locked for good;
 * tables of a server are counted in the engine's plan, so that each scan has its connection in
 * time.
 */
#include "central/engine/duckdb_embedded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/adbc/adbc_scan.h"
#include "central/engine/duckdb_library.h"
#include "central/engine/duckdb_result.h"
#include "central/engine/duckdb_statement.h"
#include "central/engine/postgres/postgres_scan.h"
#include "central/engine/sum/bounded_sum.h"
#include "central/engine/worker/process_limits.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

enum { DETAIL_MAX = 2000, ALONE_SECONDS = 3600 };

struct sotto_embedded {
	struct sotto_duckdb api;
	duckdb_database database;
	duckdb_connection connection;
	struct sotto_postgres *postgres; /* at most one of these; both NULL: all are files */
	struct sotto_adbc *adbc;
	struct sotto_sum_functions sums;
	unsigned threads;
	char detail[DETAIL_MAX];
};

/* ---- starting and stopping ------------------------------------------------- */

/*
 * Nothing is fetched from the network, nothing is spilled to a disk (exact
 * values would lie in the spilled files).
 */
static const char *const settings[][2] = {
	{"autoinstall_known_extensions", "false"}, {"autoload_known_extensions", "false"},
	{"allow_community_extensions", "false"},   {"temp_directory", ""},
	{"preserve_insertion_order", "false"},     {"access_mode", "AUTOMATIC"},
};

/*
 * Groups by whole numbers of at most 14 bits lie in an array, which takes half the time of a hash
 * table; 12 bits are the engine's own.  Bounds stand for at most 10 000 values of a key, which
 * fit; the array of one thread has at most 5 MB.
 */
static const char in_arrays[] = "SET perfect_ht_threshold = 14";

static enum sotto_status
set(struct sotto_embedded *e, duckdb_config config, const char *name, const char *value)
{
	return e->api.duckdb_set_config(config, name, value) == DuckDBError ? SOTTO_EIO
									    : SOTTO_OK;
}

static enum sotto_status configure(struct sotto_embedded *e,
				   const struct sotto_engine_limits *limits,
				   duckdb_config config)
{
	char value[32];

	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
		SOTTO_TRY(set(e, config, settings[i][0], settings[i][1]));
	if (limits->memory) {
		(void)snprintf(value, sizeof value, "%" PRIu64 "B", limits->memory);
		SOTTO_TRY(set(e, config, "memory_limit", value));
	}
	if (limits->threads == 0)
		return SOTTO_OK;
	(void)snprintf(value, sizeof value, "%u", limits->threads);
	return set(e, config, "threads", value);
}

static enum sotto_status
start(struct sotto_embedded *e, const struct sotto_engine_limits *limits)
{
	duckdb_config config;
	char *message = NULL;
	enum sotto_status st;

	if (e->api.duckdb_create_config(&config) == DuckDBError)
		return SOTTO_ENOMEM;
	st = configure(e, limits, config);
	if (st == SOTTO_OK &&
	    e->api.duckdb_open_ext(NULL, &e->database, config, &message) == DuckDBError)
		st = SOTTO_EIO;
	e->api.duckdb_destroy_config(&config);
	if (message)
		e->api.duckdb_free(message);
	if (st == SOTTO_OK && e->api.duckdb_connect(e->database, &e->connection) == DuckDBError)
		st = SOTTO_EIO;
	if (st == SOTTO_OK)
		st = sotto_sums_register(&e->api, e->connection, &e->sums);
	if (st == SOTTO_OK)
		st = sotto_embedded_execute(e, in_arrays);
	return st;
}

enum sotto_status sotto_embedded_open(const struct sotto_engine_limits *limits,
				      struct sotto_embedded **out, struct sotto_error *err)
{
	struct sotto_embedded *e = calloc(1, sizeof *e);
	enum sotto_status st;

	if (!e)
		return SOTTO_ENOMEM;
	e->threads = limits->threads;
	st = sotto_duckdb_load(&e->api, err);
	if (st == SOTTO_OK && (st = start(e, limits)) != SOTTO_OK)
		st = sotto_fail(err, st, "the engine could not be started");
	if (st != SOTTO_OK) {
		sotto_embedded_close(e);
		return st;
	}
	*out = e;
	return SOTTO_OK;
}

/* The library stays loaded: its threads may still be on their way out. */
void sotto_embedded_close(struct sotto_embedded *e)
{
	if (!e)
		return;
	if (e->connection)
		e->api.duckdb_disconnect(&e->connection);
	if (e->database)
		e->api.duckdb_close(&e->database);
	sotto_postgres_close(e->postgres);
	sotto_adbc_close(e->adbc);
	sotto_sums_release(&e->sums);
	sotto_wipe(e, sizeof *e);
	free(e);
}

enum sotto_status
sotto_embedded_use_postgres(struct sotto_embedded *e, const char *dsn, struct sotto_error *err)
{
	unsigned threads = e->threads ? e->threads : sotto_machine_cores();

	SOTTO_TRY(sotto_postgres_open(dsn, threads, &e->postgres, err));
	if (sotto_postgres_register(&e->api, e->connection, e->postgres) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EIO, "the engine could not be given PostgreSQL");
	return SOTTO_OK;
}

enum sotto_status sotto_embedded_use_adbc(struct sotto_embedded *e, const char *driver,
					  const char *uri, bool *shares_moment,
					  struct sotto_error *err)
{
	SOTTO_TRY(sotto_adbc_open(driver, uri, &e->adbc, err));
	if (sotto_adbc_register(&e->api, e->connection, e->adbc) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EIO, "the engine could not be given the driver");
	*shares_moment = sotto_adbc_shares_moment(e->adbc);
	return SOTTO_OK;
}

const char *sotto_embedded_detail(const struct sotto_embedded *e)
{
	return e->detail;
}

/*
 * A result is whole when the engine gives it: no aggregate of an earlier statement runs any
 * more, and its tasks can be forgotten.  Their number is limited.
 */
enum sotto_status sotto_embedded_execute(struct sotto_embedded *e, const char *sql)
{
	duckdb_result result;
	const char *words;
	enum sotto_status st = SOTTO_OK;

	sotto_sums_forget(&e->sums);
	if (e->api.duckdb_query(e->connection, sql, &result) == DuckDBError) {
		words = e->api.duckdb_result_error(&result);
		(void)snprintf(e->detail, sizeof e->detail, "%s",
			       words ? words : "unknown error");
		st = SOTTO_EIO;
	}
	e->api.duckdb_destroy_result(&result);
	return st;
}

static enum sotto_status
append_list(struct sotto_buffer *b, const char *setting, const char *const *items, size_t count)
{
	SOTTO_TRY(sotto_buffer_appendf(b, "SET %s = [", setting));
	for (size_t i = 0; i < count; i++) {
		SOTTO_TRY(sotto_buffer_append_text(b, i ? ", '" : "'"));
		for (const char *s = items[i]; *s; s++)
			SOTTO_TRY(sotto_buffer_append(b, *s == '\'' ? "''" : s,
						      *s == '\'' ? 2 : 1));
		SOTTO_TRY(sotto_buffer_append_text(b, "'"));
	}
	return sotto_buffer_append_text(b, "]; ");
}

enum sotto_status sotto_embedded_lock(struct sotto_embedded *e, const char *const *paths,
				      size_t path_count, const char *const *folders,
				      size_t folder_count)
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, 1 << 20);
	st = append_list(&b, "allowed_paths", paths, path_count);
	if (st == SOTTO_OK)
		st = append_list(&b, "allowed_directories", folders, folder_count);
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(&b, "SET enable_external_access = false; "
						  "SET lock_configuration = true");
	if (st == SOTTO_OK)
		st = sotto_embedded_execute(e, sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return st;
}

/* ---- what a statement needs --------------------------------------------------- */

/* The engine's plan, in which each scan of a table of a server is named. */
static size_t count_scans(const struct sotto_engine_result *plan, const char *scan)
{
	size_t n = 0;

	for (size_t i = 0; i < sotto_engine_rows(plan); i++)
		for (const char *text = sotto_engine_cell(plan, i, 1).text;
		     text && (text = strstr(text, scan)); text += strlen(scan))
			n++;
	return n;
}

static enum sotto_status read_result(struct sotto_embedded *e, const char *sql, bool is_partial,
				     struct sotto_engine_result **out)
{
	duckdb_result result;
	enum sotto_status st;

	sotto_sums_forget(&e->sums);
	SOTTO_TRY(sotto_duckdb_run(&e->api, e->connection, sql, &result, e->detail,
				   sizeof e->detail));
	st = sotto_result_read(&e->api, &result, is_partial, out);
	e->api.duckdb_destroy_result(&result);
	return st;
}

static enum sotto_status
plan_scans(struct sotto_embedded *e, const char *sql, size_t *scans, struct sotto_error *err)
{
	struct sotto_engine_result *plan;
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, 64 << 20);
	st = sotto_buffer_appendf(&b, "EXPLAIN (FORMAT json) %s", sql);
	if (st == SOTTO_OK)
		st = read_result(e, sotto_buffer_text(&b), false, &plan);
	sotto_buffer_release(&b);
	if (st != SOTTO_OK)
		return e->adbc ? sotto_adbc_refuse(e->adbc, err)
			       : sotto_postgres_refuse(e->postgres, err);
	*scans = count_scans(plan, e->adbc ? "\"name\": \"ADBC" : "\"name\": \"POSTGRES");
	sotto_engine_result_free(plan);
	return SOTTO_OK;
}

enum sotto_status sotto_embedded_prepare(struct sotto_embedded *e, const char *sql,
					 unsigned seconds, struct sotto_error *err)
{
	enum sotto_status st;
	size_t scans = 0;

	if (!e->postgres && !e->adbc)
		return SOTTO_OK;
	st = e->adbc ? sotto_adbc_begin(e->adbc, seconds, err)
		     : sotto_postgres_begin(e->postgres, seconds, err);
	if (st == SOTTO_OK)
		st = plan_scans(e, sql, &scans, err);
	if (st == SOTTO_OK)
		st = e->adbc ? sotto_adbc_reserve(e->adbc, scans, err)
			     : sotto_postgres_reserve(e->postgres, scans, err);
	if (st != SOTTO_OK)
		sotto_embedded_finish(e);
	return st;
}

void sotto_embedded_finish(struct sotto_embedded *e)
{
	if (e->postgres)
		sotto_postgres_end(e->postgres);
	if (e->adbc)
		sotto_adbc_end(e->adbc);
}

/* ---- results --------------------------------------------------------------- */

static enum sotto_status run(struct sotto_embedded *e, const char *sql, bool is_partial,
			     struct sotto_engine_result **out)
{
	bool is_alone = (e->postgres && !sotto_postgres_has_begun(e->postgres)) ||
			(e->adbc && !sotto_adbc_has_begun(e->adbc));
	enum sotto_status st;

	if (is_alone)
		SOTTO_TRY(sotto_embedded_prepare(e, sql, ALONE_SECONDS, NULL));
	if (e->postgres)
		sotto_postgres_start(e->postgres);
	if (e->adbc)
		sotto_adbc_start(e->adbc);
	st = read_result(e, sql, is_partial, out);
	if (is_alone)
		sotto_embedded_finish(e);
	return st;
}

enum sotto_status
sotto_embedded_run(struct sotto_embedded *e, const char *sql, struct sotto_engine_result **out)
{
	return run(e, sql, false, out);
}

enum sotto_status sotto_embedded_run_partial(struct sotto_embedded *e, const char *sql,
					     struct sotto_engine_result **out)
{
	return run(e, sql, true, out);
}

const char *sotto_embedded_version(const struct sotto_embedded *e)
{
	return e->api.duckdb_library_version();
}
