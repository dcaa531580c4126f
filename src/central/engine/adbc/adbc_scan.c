/*
 * The engine asks for the columns that a query uses.  One thread reads them, on a
 * connection that was reserved before the charge; rows are never stored.
 */
#include "central/engine/adbc/adbc_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/duckdb_callback.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"

/* A chunk of rows is ended when its texts have so many bytes. */
enum { TABLE_MEMORY = 16 << 20, CHUNK_BYTES = 8 << 20, TROUBLE_MAX = 80 };

/* What the function is registered with. */
struct server {
	const struct sotto_duckdb *api;
	struct sotto_adbc *adbc;
};

/* A table that a query names. */
struct bound {
	const struct server *server;
	struct sotto_arena arena;
	const char *name; /* as the query names it */
	struct sotto_adbc_table table;
};

/* A column of the chunk that is being filled. */
struct target {
	size_t place; /* which vector of the engine's */
	const struct sotto_adbc_column *column;
	duckdb_vector vector;
	void *data;
	uint64_t *validity; /* NULL until a NULL is met */
};

/* One scan of it. */
struct scan {
	const struct bound *bound;
	struct sotto_arena arena;
	struct target *targets;
	size_t target_count;
	struct AdbcConnection connection;
	bool has_connection;
	bool has_begun, has_ended;
	struct sotto_adbc_rows rows;
	int64_t row; /* of the batch, the next */
	struct sotto_arrow_scratch scratch;
	char trouble[TROUBLE_MAX]; /* for the owner's log: a code, never the driver's words */
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

	b->name = name ? sotto_arena_text(&b->arena, name) : NULL;
	if (b->name)
		st = sotto_adbc_describe(b->server->adbc, name, &b->arena, &b->table);
	api->duckdb_free(name);
	api->duckdb_destroy_value(&value);
	return st;
}

static void add_columns(const struct sotto_duckdb *api, duckdb_bind_info info,
			const struct sotto_adbc_table *t)
{
	for (size_t i = 0; i < t->column_count; i++) {
		duckdb_logical_type type = sotto_arrow_logical(api, &t->columns[i].becomes);

		api->duckdb_bind_add_result_column(info, t->columns[i].name, type);
		api->duckdb_destroy_logical_type(&type);
	}
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
	api->duckdb_bind_set_error(info, "the table could not be looked at");
	if (b)
		bound_free(b);
}

/* ---- a scan -------------------------------------------------------------------- */

static void scan_free(void *context)
{
	struct scan *s = context;
	struct sotto_adbc *a = s->bound->server->adbc;

	sotto_adbc_rows_close(sotto_adbc_driver(a), &s->rows);
	if (s->has_connection)
		sotto_adbc_give_back(a, &s->connection, !s->has_begun || s->has_ended);
	sotto_arena_release(&s->arena);
	free(s);
}

/* The engine asks for a column past the last when rows are only counted. */
static enum sotto_status
choose_columns(const struct sotto_duckdb *api, duckdb_init_info info, struct scan *s)
{
	size_t wanted = api->duckdb_init_get_column_count(info);

	for (size_t i = 0; i < wanted; i++) {
		uint64_t index = api->duckdb_init_get_column_index(info, i);
		struct target *t;

		if (index >= s->bound->table.column_count)
			continue;
		t = SOTTO_PUSH(&s->arena, s->targets, s->target_count);
		if (!t)
			return SOTTO_ENOMEM;
		*t = (struct target){.place = i, .column = &s->bound->table.columns[index]};
	}
	return SOTTO_OK;
}

static void on_init(duckdb_init_info info)
{
	const struct server *server = sotto_callback_of_init(info);
	const struct sotto_duckdb *api = server->api;
	struct scan *s = calloc(1, sizeof *s);

	if (!s) {
		api->duckdb_init_set_error(info, "out of memory");
		return;
	}
	sotto_arena_init(&s->arena, TABLE_MEMORY);
	s->bound = api->duckdb_init_get_bind_data(info);
	(void)snprintf(s->trouble, sizeof s->trouble,
		       "rows of the ADBC driver could not be read");
	if (choose_columns(api, info, s) != SOTTO_OK)
		api->duckdb_init_set_error(info, "out of memory");
	s->has_connection = sotto_adbc_borrow(server->adbc, s->bound->name, &s->connection);
	if (!s->has_connection)
		api->duckdb_init_set_error(info, "there is no connection for the scan");
	api->duckdb_init_set_max_threads(info, 1);
	api->duckdb_init_set_init_data(info, s, scan_free);
}

/* ---- rows ------------------------------------------------------------------------ */

static enum sotto_status write_query(const struct scan *s, struct sotto_buffer *b)
{
	SOTTO_TRY(sotto_buffer_append_text(b, "SELECT "));
	for (size_t i = 0; i < s->target_count; i++)
		SOTTO_TRY(sotto_buffer_appendf(b, "%s%s", i ? ", " : "",
					       s->targets[i].column->expression));
	return sotto_buffer_appendf(b, "%s FROM %s", s->target_count ? "" : "1",
				    s->bound->table.relation);
}

/* The columns arrive as they did when the table was looked at. */
static bool has_columns(const struct scan *s)
{
	if (s->target_count == 0)
		return true;
	if (s->rows.schema.n_children != (int64_t)s->target_count)
		return false;
	for (size_t i = 0; i < s->target_count; i++)
		if (!sotto_adbc_arrives(s->targets[i].column, s->rows.schema.children[i]))
			return false;
	return true;
}

static enum sotto_status begin(struct scan *s)
{
	struct sotto_adbc_driver *d = sotto_adbc_driver(s->bound->server->adbc);
	struct sotto_buffer b;
	enum sotto_status st;

	s->has_begun = true;
	sotto_buffer_init(&b, TABLE_MEMORY);
	st = write_query(s, &b);
	if (st == SOTTO_OK)
		st = sotto_adbc_rows_open(d, &s->connection, sotto_buffer_text(&b), &s->rows);
	sotto_buffer_release(&b);
	if (s->rows.code[0])
		(void)snprintf(s->trouble, sizeof s->trouble,
			       "the ADBC driver stopped with error %s", s->rows.code);
	return st == SOTTO_OK && !has_columns(s) ? SOTTO_EPARSE : st;
}

/* Looked at once for each batch: what the rows of it will be read from. */
static bool batch_fits(const struct scan *s)
{
	const struct ArrowArray *b = &s->rows.batch;

	for (size_t i = 0; i < s->target_count; i++)
		if (!sotto_arrow_array_fits(&s->targets[i].column->becomes, b->children[i],
					    b->offset + b->length))
			return false;
	return true;
}

/* Until a batch has a row that was not yet read; not *found at the end. */
static enum sotto_status next_batch(struct scan *s, bool *found)
{
	*found = !s->has_ended;
	if (!s->has_begun)
		SOTTO_TRY(begin(s));
	while (*found && s->row >= s->rows.batch.length) {
		SOTTO_TRY(sotto_adbc_rows_next(&s->rows, found));
		s->has_ended = !*found;
		s->row = 0;
		if (*found && !batch_fits(s))
			return SOTTO_EPARSE;
	}
	return SOTTO_OK;
}

static void set_null(const struct sotto_duckdb *api, struct target *t, size_t row)
{
	if (!t->validity) {
		api->duckdb_vector_ensure_validity_writable(t->vector);
		t->validity = api->duckdb_vector_get_validity(t->vector);
	}
	api->duckdb_validity_set_row_invalid(t->validity, row);
}

/* A row that the batch itself says is NULL is one of NULLs: it still is a row. */
static bool is_row(const struct ArrowArray *batch, int64_t row)
{
	int64_t at = batch->offset + row;

	return batch->null_count == 0 || !batch->buffers[0] ||
	       (((const uint8_t *)batch->buffers[0])[at / 8] >> (at % 8) & 1);
}

static size_t put_row(struct scan *s, size_t to)
{
	const struct sotto_duckdb *api = s->bound->server->api;
	const struct ArrowArray *batch = &s->rows.batch;
	bool is_there = is_row(batch, s->row);
	size_t bytes = 0;

	for (size_t i = 0; i < s->target_count; i++) {
		struct target *t = &s->targets[i];
		struct sotto_arrow_value v = {.is_null = true};

		if (is_there)
			v = sotto_arrow_value(&t->column->becomes, batch->children[i],
					      batch->offset + s->row, &s->scratch);
		if (v.is_null)
			set_null(api, t, to);
		else
			sotto_arrow_put(api, &t->column->becomes, t->vector, t->data, to, &v);
		bytes += v.length;
	}
	s->row++;
	return bytes;
}

static enum sotto_status fill(struct scan *s, duckdb_data_chunk chunk, size_t *rows)
{
	const struct sotto_duckdb *api = s->bound->server->api;
	size_t most = api->duckdb_vector_size(), bytes = 0;
	bool found;

	for (size_t i = 0; i < s->target_count; i++) {
		struct target *t = &s->targets[i];

		t->vector = api->duckdb_data_chunk_get_vector(chunk, t->place);
		t->data = api->duckdb_vector_get_data(t->vector);
		t->validity = NULL;
	}
	for (*rows = 0; *rows < most && bytes < CHUNK_BYTES; ++*rows) {
		SOTTO_TRY(next_batch(s, &found));
		if (!found)
			break;
		bytes += put_row(s, *rows);
	}
	return SOTTO_OK;
}

static void on_read(duckdb_function_info info, duckdb_data_chunk chunk)
{
	const struct server *server = sotto_callback_of_function(info);
	struct scan *s = server->api->duckdb_function_get_init_data(info);
	size_t rows = 0;

	if (fill(s, chunk, &rows) != SOTTO_OK) {
		server->api->duckdb_function_set_error(info, s->trouble);
		rows = 0;
	}
	server->api->duckdb_data_chunk_set_size(chunk, rows);
}

enum sotto_status sotto_adbc_register(const struct sotto_duckdb *api,
				      duckdb_connection connection, struct sotto_adbc *a)
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
	*server = (struct server){api, a};
	f = api->duckdb_create_table_function();
	text = api->duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
	api->duckdb_table_function_set_name(f, "adbc");
	api->duckdb_table_function_add_parameter(f, text);
	api->duckdb_table_function_set_extra_info(f, server, free);
	api->duckdb_table_function_set_bind(f, on_bind);
	api->duckdb_table_function_set_init(f, on_init);
	api->duckdb_table_function_set_function(f, on_read);
	api->duckdb_table_function_supports_projection_pushdown(f, true);
	state = api->duckdb_register_table_function(connection, f);
	api->duckdb_destroy_table_function(&f);
	api->duckdb_destroy_logical_type(&text);
	return state == DuckDBError ? SOTTO_EIO : SOTTO_OK;
}
