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
#include "core/base/failure.h"

/* A chunk of rows is ended when its texts have so many bytes. */
enum { TABLE_MEMORY = 16 << 20, CHUNK_BYTES = 8 << 20, TROUBLE_MAX = 80 };

/* What the function is registered with. */
struct server {
	const struct sotto_duckdb *api;
	struct sotto_postgres *postgres;
};

/* A table that a query names. */
struct bound {
	const struct server *server;
	struct sotto_arena arena;
	struct sotto_postgres_table table;
};

/* One scan of it. */
struct scan {
	const struct bound *bound;
	const char *columns; /* as SQL */
	size_t *places; /* of each column sent: which vector of the engine's */
	struct sotto_postgres_type *types;
	size_t column_count;
	uint64_t ranges;
	atomic_uint_fast64_t next; /* range that nobody has begun */
	_Atomic(PGconn *) first; /* for whoever comes first; had before the scan began */
	struct sotto_arena arena;
};

/* One thread of it. */
struct reader {
	const struct bound *bound;
	bool has_begun;
	PGconn *connection; /* NULL: the server gave no more, the others read */
	bool is_copying;
	char *piece; /* what libpq gave last */
	struct sotto_copy copy;
	struct sotto_copy_field *fields;
	struct target *targets;
	char trouble[TROUBLE_MAX]; /* for the owner's log: a code, never the server's words */
};

/* A column of the chunk that is being filled. */
struct target {
	duckdb_vector vector;
	void *data;
	uint64_t *validity; /* NULL until a NULL is met */
};

/* ---- a table ------------------------------------------------------------------ */

static void bound_free(void *context)
{
	struct bound *b = context;

	sotto_arena_release(&b->arena);
	free(b);
}

static enum sotto_status
describe(const struct sotto_duckdb *api, duckdb_bind_info info, struct bound *b)
{
	duckdb_value value = api->duckdb_bind_get_parameter(info, 0);
	char *name = api->duckdb_get_varchar(value);
	enum sotto_status st = SOTTO_ENOMEM;

	if (name)
		st = sotto_postgres_describe(b->server->postgres, name, &b->arena, &b->table);
	api->duckdb_free(name);
	api->duckdb_destroy_value(&value);
	return st;
}

static void add_columns(const struct sotto_duckdb *api, duckdb_bind_info info,
			const struct sotto_postgres_table *t)
{
	for (size_t i = 0; i < t->column_count; i++) {
		duckdb_logical_type type = sotto_postgres_logical(api, t->columns[i].type);

		api->duckdb_bind_add_result_column(info, t->columns[i].name, type);
		api->duckdb_destroy_logical_type(&type);
	}
	api->duckdb_bind_set_cardinality(info, t->rows, false);
}

static void on_bind(duckdb_bind_info info)
{
	const struct server *server = sotto_callback_of_bind(info);
	const struct sotto_duckdb *api = server->api;
	struct bound *b = calloc(1, sizeof *b);
	enum sotto_status st = SOTTO_ENOMEM;

	if (b) {
		b->server = server;
		sotto_arena_init(&b->arena, TABLE_MEMORY);
		st = describe(api, info, b);
	}
	if (st == SOTTO_OK) {
		add_columns(api, info, &b->table);
		api->duckdb_bind_set_bind_data(info, b, bound_free);
		return;
	}
	api->duckdb_bind_set_error(info, st == SOTTO_EMISSING ? "no such table, or none of its "
								"columns may be read"
					 : st == SOTTO_ESTATE ? "the table is being changed"
							      : "the table could not be "
								"looked at");
	if (b)
		bound_free(b);
}

/* ---- a scan -------------------------------------------------------------------- */

static void scan_free(void *context)
{
	struct scan *s = context;

	sotto_postgres_give_back(s->bound->server->postgres, atomic_load(&s->first), true);
	sotto_arena_release(&s->arena);
	free(s);
}

/* The engine asks for a column past the last when rows are only counted. */
static enum sotto_status
choose_columns(const struct sotto_duckdb *api, duckdb_init_info info, struct scan *s)
{
	size_t wanted = api->duckdb_init_get_column_count(info);
	const char *sql = "";

	s->places = sotto_arena_alloc(&s->arena, (wanted + 1) * sizeof *s->places);
	s->types = sotto_arena_alloc(&s->arena, (wanted + 1) * sizeof *s->types);
	if (!s->places || !s->types)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < wanted; i++) {
		uint64_t index = api->duckdb_init_get_column_index(info, i);
		const struct sotto_postgres_column *c;

		if (index >= s->bound->table.column_count)
			continue;
		c = &s->bound->table.columns[index];
		sql = sotto_arena_textf(&s->arena, "%s%s%s", sql, *sql ? ", " : "",
					c->expression);
		if (!sql)
			return SOTTO_ENOMEM;
		s->places[s->column_count] = i;
		s->types[s->column_count++] = c->type;
	}
	s->columns = sql;
	return SOTTO_OK;
}

static void on_init(duckdb_init_info info)
{
	const struct server *server = sotto_callback_of_init(info);
	const struct sotto_duckdb *api = server->api;
	struct scan *s = calloc(1, sizeof *s);
	uint64_t threads;

	if (!s) {
		api->duckdb_init_set_error(info, "out of memory");
		return;
	}
	sotto_arena_init(&s->arena, TABLE_MEMORY);
	s->bound = api->duckdb_init_get_bind_data(info);
	s->ranges = s->bound->table.blocks / SOTTO_POSTGRES_RANGE + 1;
	if (choose_columns(api, info, s) != SOTTO_OK)
		api->duckdb_init_set_error(info, "out of memory");
	atomic_init(&s->first, sotto_postgres_borrow(server->postgres));
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
	const struct server *server = r->bound->server;

	if (r->piece)
		sotto_postgres_api(server->postgres)->PQfreemem(r->piece);
	sotto_postgres_give_back(server->postgres, r->connection, !r->is_copying);
	sotto_copy_release(&r->copy);
	free(r->fields);
	free(r->targets);
	free(r);
}

static void on_thread(duckdb_init_info info)
{
	const struct server *server = sotto_callback_of_init(info);
	struct reader *r = calloc(1, sizeof *r);

	if (!r) {
		server->api->duckdb_init_set_error(info, "out of memory");
		return;
	}
	(void)snprintf(r->trouble, sizeof r->trouble, "rows of PostgreSQL could not be read");
	r->bound = server->api->duckdb_init_get_bind_data(info);
	sotto_copy_init(&r->copy, 0);
	server->api->duckdb_init_set_init_data(info, r, reader_free);
}

/* Only the code of the error: its words may hold values of rows, and of the dsn. */
static void note_trouble(struct reader *r, const PGresult *result)
{
	const char *code = sotto_postgres_api(r->bound->server->postgres)
				   ->PQresultErrorField(result, PG_DIAG_SQLSTATE);

	(void)snprintf(r->trouble, sizeof r->trouble, "PostgreSQL stopped with error %s",
		       code ? code : "08006 (the connection was lost)");
}

/* The last range has no end: the table is as it was, whatever its size is now. */
static enum sotto_status start_range(struct reader *r, struct scan *s, uint64_t range)
{
	const struct sotto_libpq *pq = sotto_postgres_api(r->bound->server->postgres);
	struct sotto_buffer b;
	enum sotto_status st;
	PGresult *result;

	sotto_buffer_init(&b, TABLE_MEMORY);
	st = sotto_buffer_appendf(&b, "COPY (SELECT %s FROM %s", s->columns,
				  r->bound->table.relation);
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
	sotto_copy_init(&r->copy, s->column_count);
	return st;
}

/* The stream has said that it is over; so must the server. */
static enum sotto_status end_range(struct reader *r)
{
	const struct sotto_libpq *pq = sotto_postgres_api(r->bound->server->postgres);
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
	const struct sotto_libpq *pq = sotto_postgres_api(r->bound->server->postgres);
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
		r->connection = sotto_postgres_borrow_spare(r->bound->server->postgres);
	r->fields = calloc(s->column_count + 1, sizeof *r->fields);
	r->targets = calloc(s->column_count + 1, sizeof *r->targets);
	return r->fields && r->targets ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- filling a chunk of the engine's ---------------------------------------------- */

static void set_null(const struct sotto_duckdb *api, struct target *t, size_t row)
{
	if (!t->validity) {
		api->duckdb_vector_ensure_validity_writable(t->vector);
		t->validity = api->duckdb_vector_get_validity(t->vector);
	}
	api->duckdb_validity_set_row_invalid(t->validity, row);
}

static enum sotto_status
put_row(struct reader *r, const struct scan *s, size_t row, size_t *bytes)
{
	const struct sotto_duckdb *api = r->bound->server->api;

	for (size_t i = 0; i < s->column_count; i++) {
		struct target *t = &r->targets[i];

		*bytes += r->fields[i].length;
		if (!sotto_postgres_is_value(s->types[i], &r->fields[i]))
			set_null(api, t, row);
		else if (!sotto_postgres_put(api, s->types[i], t->vector, t->data, row,
					     &r->fields[i]))
			return SOTTO_EPARSE;
	}
	return SOTTO_OK;
}

static enum sotto_status
fill(struct reader *r, struct scan *s, duckdb_data_chunk chunk, size_t *rows)
{
	const struct sotto_duckdb *api = r->bound->server->api;
	size_t most = api->duckdb_vector_size(), bytes = 0;
	bool found = true;

	SOTTO_TRY(begin(r, s));
	for (size_t i = 0; i < s->column_count; i++) {
		r->targets[i].vector = api->duckdb_data_chunk_get_vector(chunk, s->places[i]);
		r->targets[i].data = api->duckdb_vector_get_data(r->targets[i].vector);
		r->targets[i].validity = NULL;
	}
	for (*rows = 0; r->connection && *rows < most && bytes < CHUNK_BYTES; ++*rows) {
		SOTTO_TRY(next_row(r, s, &found));
		if (!found)
			break;
		SOTTO_TRY(put_row(r, s, *rows, &bytes));
	}
	return SOTTO_OK;
}

static void on_read(duckdb_function_info info, duckdb_data_chunk chunk)
{
	const struct server *server = sotto_callback_of_function(info);
	struct scan *s = server->api->duckdb_function_get_init_data(info);
	struct reader *r = server->api->duckdb_function_get_local_init_data(info);
	size_t rows = 0;

	if (fill(r, s, chunk, &rows) != SOTTO_OK) {
		server->api->duckdb_function_set_error(info, r->trouble);
		rows = 0;
	}
	server->api->duckdb_data_chunk_set_size(chunk, rows);
}

enum sotto_status sotto_postgres_register(const struct sotto_duckdb *api,
					  duckdb_connection connection,
					  struct sotto_postgres *p)
{
	duckdb_table_function f;
	duckdb_logical_type text;
	struct server *server;
	duckdb_state state;

	if (!sotto_callback_keep(api))
		return SOTTO_ESTATE;
	server = calloc(1, sizeof *server);
	if (!server)
		return SOTTO_ENOMEM;
	*server = (struct server){api, p};
	f = api->duckdb_create_table_function();
	text = api->duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
	api->duckdb_table_function_set_name(f, "postgres");
	api->duckdb_table_function_add_parameter(f, text);
	api->duckdb_table_function_set_extra_info(f, server, free);
	api->duckdb_table_function_set_bind(f, on_bind);
	api->duckdb_table_function_set_init(f, on_init);
	api->duckdb_table_function_set_local_init(f, on_thread);
	api->duckdb_table_function_set_function(f, on_read);
	api->duckdb_table_function_supports_projection_pushdown(f, true);
	state = api->duckdb_register_table_function(connection, f);
	api->duckdb_destroy_table_function(&f);
	api->duckdb_destroy_logical_type(&text);
	return state == DuckDBError ? SOTTO_EIO : SOTTO_OK;
}
