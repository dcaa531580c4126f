/*
 * The engine asks for the columns that a query uses, and from several threads.
 * Each thread has a connection of its own and copies one range of blocks after
 * another, until none is left.  Rows are never stored.
 */
#include "central/engine/postgres/postgres_scan.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/duckdb_callback.h"
#include "central/engine/postgres/postgres_copy.h"
#include "central/engine/table_function.h"
#include "core/base/failure.h"

enum { TROUBLE_MAX = 80 };

/* One scan of a table. */
struct scan {
	struct sotto_postgres *postgres;
	const struct sotto_postgres_table *table;
	const char *columns; /* as SQL */
	struct sotto_table_target *targets; /* of each column sent; readers have copies */
	size_t target_count;
	uint64_t ranges;
	atomic_uint_fast64_t next; /* range that nobody has begun */
	_Atomic(PGconn *) first; /* for whoever comes first; had before the scan began */
	struct sotto_arena arena;
};

/* One thread of it. */
struct reader {
	struct sotto_postgres *postgres;
	bool has_begun;
	PGconn *connection; /* NULL: the server gave no more, the others read */
	bool is_copying;
	char *piece; /* what libpq gave last */
	struct sotto_copy copy;
	struct sotto_copy_field *fields;
	struct sotto_table_target *targets;
	char trouble[TROUBLE_MAX]; /* for the owner's log: a code, never the server's words */
};

/* ---- a table ------------------------------------------------------------------ */

static enum sotto_status
describe(void *source, const char *name, struct sotto_arena *arena, void *table)
{
	return sotto_postgres_describe(source, name, arena, table);
}

static void
add_columns(const struct sotto_duckdb *api, duckdb_bind_info info, const void *table)
{
	const struct sotto_postgres_table *t = table;

	for (size_t i = 0; i < t->column_count; i++) {
		duckdb_logical_type type = sotto_postgres_logical(api, t->columns[i].type);

		api->duckdb_bind_add_result_column(info, t->columns[i].name, type);
		api->duckdb_destroy_logical_type(&type);
	}
	api->duckdb_bind_set_cardinality(info, t->rows, false);
}

/* ---- a scan -------------------------------------------------------------------- */

static void scan_free(void *context)
{
	struct scan *s = context;

	sotto_postgres_give_back(s->postgres, atomic_load(&s->first), true);
	sotto_arena_release(&s->arena);
	free(s);
}

static enum sotto_status
choose_columns(const struct sotto_duckdb *api, duckdb_init_info info, struct scan *s)
{
	const char *sql = "";

	SOTTO_TRY(sotto_table_targets(api, info, s->table->column_count, &s->arena, &s->targets,
				      &s->target_count));
	for (size_t i = 0; i < s->target_count; i++) {
		sql = sotto_arena_textf(&s->arena, "%s%s%s", sql, i ? ", " : "",
					s->table->columns[s->targets[i].column].expression);
		if (!sql)
			return SOTTO_ENOMEM;
	}
	s->columns = sql;
	return SOTTO_OK;
}

static void on_begin(duckdb_init_info info)
{
	const struct sotto_table_source *from = sotto_callback_of_init(info);
	const struct sotto_duckdb *api = from->api;
	const struct sotto_table_bound *bound = api->duckdb_init_get_bind_data(info);
	struct scan *s = calloc(1, sizeof *s);
	uint64_t threads;

	if (!s) {
		api->duckdb_init_set_error(info, "out of memory");
		return;
	}
	s->postgres = from->source;
	s->table = bound->table;
	sotto_arena_init(&s->arena, SOTTO_TABLE_MEMORY);
	s->ranges = s->table->blocks / SOTTO_POSTGRES_RANGE + 1;
	if (choose_columns(api, info, s) != SOTTO_OK)
		api->duckdb_init_set_error(info, "out of memory");
	atomic_init(&s->first, sotto_postgres_borrow(s->postgres));
	if (!atomic_load(&s->first))
		api->duckdb_init_set_error(info, "PostgreSQL gave no connection");
	threads = s->ranges < SOTTO_POSTGRES_THREADS ? s->ranges : SOTTO_POSTGRES_THREADS;
	api->duckdb_init_set_max_threads(info, threads);
	api->duckdb_init_set_init_data(info, s, scan_free);
}

/* ---- a thread ------------------------------------------------------------------- */

static void reader_free(void *context)
{
	struct reader *r = context;

	if (r->piece)
		sotto_postgres_api(r->postgres)->PQfreemem(r->piece);
	sotto_postgres_give_back(r->postgres, r->connection, !r->is_copying);
	sotto_copy_release(&r->copy);
	free(r->fields);
	free(r->targets);
	free(r);
}

static void on_thread(duckdb_init_info info)
{
	const struct sotto_table_source *from = sotto_callback_of_init(info);
	struct reader *r = calloc(1, sizeof *r);

	if (!r) {
		from->api->duckdb_init_set_error(info, "out of memory");
		return;
	}
	(void)snprintf(r->trouble, sizeof r->trouble, "rows of PostgreSQL could not be read");
	r->postgres = from->source;
	sotto_copy_init(&r->copy, 0);
	from->api->duckdb_init_set_init_data(info, r, reader_free);
}

/* Only the code of the error: its words may hold values of rows, and of the dsn. */
static void note_trouble(struct reader *r, const PGresult *result)
{
	const char *code =
		sotto_postgres_api(r->postgres)->PQresultErrorField(result, PG_DIAG_SQLSTATE);

	(void)snprintf(r->trouble, sizeof r->trouble, "PostgreSQL stopped with error %s",
		       code ? code : "08006 (the connection was lost)");
}

/* The last range has no end: the table is as it was, whatever its size is now. */
static enum sotto_status start_range(struct reader *r, struct scan *s, uint64_t range)
{
	const struct sotto_libpq *pq = sotto_postgres_api(r->postgres);
	struct sotto_buffer b;
	enum sotto_status st;
	PGresult *result;

	sotto_buffer_init(&b, SOTTO_TABLE_MEMORY);
	st = sotto_buffer_appendf(&b, "COPY (SELECT %s FROM %s", s->columns,
				  s->table->relation);
	if (st == SOTTO_OK && s->ranges > 1)
		st = sotto_buffer_appendf(&b, " WHERE ctid >= '(%llu,0)'::tid",
					  (unsigned long long)range * SOTTO_POSTGRES_RANGE);
	if (st == SOTTO_OK && range + 1 < s->ranges)
		st = sotto_buffer_appendf(&b, " AND ctid < '(%llu,0)'::tid",
					  (unsigned long long)(range + 1) *
						  SOTTO_POSTGRES_RANGE);
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(&b, ") TO STDOUT (FORMAT binary)");
	if (st == SOTTO_OK) {
		r->is_copying = true;
		result = pq->PQexec(r->connection, sotto_buffer_text(&b));
		st = pq->PQresultStatus(result) == PGRES_COPY_OUT ? SOTTO_OK : SOTTO_EIO;
		if (st != SOTTO_OK)
			note_trouble(r, result);
		pq->PQclear(result);
	}
	sotto_buffer_release(&b);
	sotto_copy_release(&r->copy);
	sotto_copy_init(&r->copy, s->target_count);
	return st;
}

/* The stream has said that it is over; so must the server. */
static enum sotto_status end_range(struct reader *r)
{
	const struct sotto_libpq *pq = sotto_postgres_api(r->postgres);
	enum sotto_status st = r->copy.has_ended ? SOTTO_OK : SOTTO_EIO;
	PGresult *result;

	while ((result = pq->PQgetResult(r->connection))) {
		if (pq->PQresultStatus(result) != PGRES_COMMAND_OK) {
			note_trouble(r, result);
			st = SOTTO_EIO;
		}
		pq->PQclear(result);
	}
	r->is_copying = st != SOTTO_OK;
	return st;
}

static enum sotto_status next_piece(struct reader *r)
{
	const struct sotto_libpq *pq = sotto_postgres_api(r->postgres);
	int n;

	if (r->piece)
		pq->PQfreemem(r->piece);
	r->piece = NULL;
	n = pq->PQgetCopyData(r->connection, &r->piece, 0);
	if (n > 0)
		return sotto_copy_feed(&r->copy, r->piece, (size_t)n);
	return end_range(r);
}

/* The next row of this thread; not *found if nothing is left to it. */
static enum sotto_status next_row(struct reader *r, struct scan *s, bool *found)
{
	for (;;) {
		if (!r->is_copying) {
			uint64_t range = atomic_fetch_add(&s->next, 1);

			*found = false;
			if (range >= s->ranges)
				return SOTTO_OK;
			SOTTO_TRY(start_range(r, s, range));
		}
		SOTTO_TRY(sotto_copy_row(&r->copy, r->fields, found));
		if (*found)
			return SOTTO_OK;
		SOTTO_TRY(next_piece(r));
	}
}

static enum sotto_status begin(struct reader *r, struct scan *s)
{
	if (r->has_begun)
		return SOTTO_OK;
	r->has_begun = true;
	r->connection = atomic_exchange(&s->first, NULL);
	if (!r->connection)
		r->connection = sotto_postgres_borrow_spare(r->postgres);
	r->fields = calloc(s->target_count + 1, sizeof *r->fields);
	r->targets = calloc(s->target_count + 1, sizeof *r->targets);
	if (!r->fields || !r->targets)
		return SOTTO_ENOMEM;
	memcpy(r->targets, s->targets, s->target_count * sizeof *r->targets);
	return SOTTO_OK;
}

/* ---- filling a chunk of the engine's ---------------------------------------------- */

static enum sotto_status put_row(const struct sotto_duckdb *api, struct reader *r,
				 const struct scan *s, size_t row, size_t *bytes)
{
	for (size_t i = 0; i < s->target_count; i++) {
		struct sotto_table_target *t = &r->targets[i];
		struct sotto_postgres_type type = s->table->columns[t->column].type;

		*bytes += r->fields[i].length;
		if (!sotto_postgres_is_value(type, &r->fields[i]))
			sotto_table_target_null(api, t, row);
		else if (!sotto_postgres_put(api, type, t->vector, t->data, row, &r->fields[i]))
			return SOTTO_EPARSE;
	}
	return SOTTO_OK;
}

static enum sotto_status fill(const struct sotto_duckdb *api, struct reader *r, struct scan *s,
			      duckdb_data_chunk chunk, size_t *rows)
{
	size_t most = api->duckdb_vector_size(), bytes = 0;
	bool found = true;

	SOTTO_TRY(begin(r, s));
	sotto_table_targets_aim(api, chunk, r->targets, s->target_count);
	for (*rows = 0; r->connection && *rows < most && bytes < SOTTO_CHUNK_BYTES; ++*rows) {
		SOTTO_TRY(next_row(r, s, &found));
		if (!found)
			break;
		SOTTO_TRY(put_row(api, r, s, *rows, &bytes));
	}
	return SOTTO_OK;
}

static void on_read(duckdb_function_info info, duckdb_data_chunk chunk)
{
	const struct sotto_table_source *from = sotto_callback_of_function(info);
	const struct sotto_duckdb *api = from->api;
	struct scan *s = api->duckdb_function_get_init_data(info);
	struct reader *r = api->duckdb_function_get_local_init_data(info);
	size_t rows = 0;

	if (fill(api, r, s, chunk, &rows) != SOTTO_OK) {
		api->duckdb_function_set_error(info, r->trouble);
		rows = 0;
	}
	api->duckdb_data_chunk_set_size(chunk, rows);
}

enum sotto_status sotto_postgres_register(const struct sotto_duckdb *api,
					  duckdb_connection connection,
					  struct sotto_postgres *p)
{
	static const struct sotto_table_function function = {
		.name = "postgres",
		.table_size = sizeof(struct sotto_postgres_table),
		.describe = describe,
		.add_columns = add_columns,
		.begin = on_begin,
		.begin_thread = on_thread,
		.read = on_read,
	};

	return sotto_table_function_register(api, connection, &function, p);
}
