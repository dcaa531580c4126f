/*
 * The engine asks for the columns that a query uses.  One thread reads them, on a
 * connection that was reserved before the charge; rows are never stored.
 */
#include "central/engine/adbc/adbc_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/duckdb_callback.h"
#include "central/engine/table_function.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"

enum { TROUBLE_MAX = 80 };

/* One scan of a table. */
struct scan {
	struct sotto_adbc *adbc;
	const struct sotto_adbc_table *table;
	struct sotto_arena arena;
	struct sotto_table_target *targets;
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

static enum sotto_status
describe(void *source, const char *name, struct sotto_arena *arena, void *table)
{
	return sotto_adbc_describe(source, name, arena, table);
}

static void
add_columns(const struct sotto_duckdb *api, duckdb_bind_info info, const void *table)
{
	const struct sotto_adbc_table *t = table;

	for (size_t i = 0; i < t->column_count; i++) {
		duckdb_logical_type type = sotto_arrow_logical(api, &t->columns[i].becomes);

		api->duckdb_bind_add_result_column(info, t->columns[i].name, type);
		api->duckdb_destroy_logical_type(&type);
	}
}

/* ---- a scan -------------------------------------------------------------------- */

static void scan_free(void *context)
{
	struct scan *s = context;

	sotto_adbc_rows_close(sotto_adbc_driver(s->adbc), &s->rows);
	if (s->has_connection)
		sotto_adbc_give_back(s->adbc, &s->connection, !s->has_begun || s->has_ended);
	sotto_arena_release(&s->arena);
	free(s);
}

static void on_begin(duckdb_init_info info)
{
	const struct sotto_table_source *from = sotto_callback_of_init(info);
	const struct sotto_duckdb *api = from->api;
	const struct sotto_table_bound *bound = api->duckdb_init_get_bind_data(info);
	struct scan *s = calloc(1, sizeof *s);

	if (!s) {
		api->duckdb_init_set_error(info, "out of memory");
		return;
	}
	s->adbc = from->source;
	s->table = bound->table;
	sotto_arena_init(&s->arena, SOTTO_TABLE_MEMORY);
	(void)snprintf(s->trouble, sizeof s->trouble,
		       "rows of the ADBC driver could not be read");
	if (sotto_table_targets(api, info, s->table->column_count, &s->arena, &s->targets,
				&s->target_count) != SOTTO_OK)
		api->duckdb_init_set_error(info, "out of memory");
	s->has_connection = sotto_adbc_borrow(s->adbc, s->table, &s->connection);
	if (!s->has_connection)
		api->duckdb_init_set_error(info, "there is no connection for the scan");
	api->duckdb_init_set_max_threads(info, 1);
	api->duckdb_init_set_init_data(info, s, scan_free);
}

/* What the i-th target is filled from. */
static const struct sotto_adbc_column *column(const struct scan *s, size_t i)
{
	return &s->table->columns[s->targets[i].column];
}

/* ---- rows ------------------------------------------------------------------------ */

static enum sotto_status write_query(const struct scan *s, struct sotto_buffer *b)
{
	SOTTO_TRY(sotto_buffer_append_text(b, "SELECT "));
	for (size_t i = 0; i < s->target_count; i++)
		SOTTO_TRY(sotto_buffer_appendf(b, "%s%s", i ? ", " : "",
					       column(s, i)->expression));
	return sotto_buffer_appendf(b, "%s FROM %s", s->target_count ? "" : "1",
				    s->table->relation);
}

/* The columns arrive as they did when the table was looked at. */
static bool has_columns(const struct scan *s)
{
	if (s->target_count == 0)
		return true;
	if (s->rows.schema.n_children != (int64_t)s->target_count)
		return false;
	for (size_t i = 0; i < s->target_count; i++)
		if (!sotto_adbc_arrives(column(s, i), s->rows.schema.children[i]))
			return false;
	return true;
}

static enum sotto_status begin(struct scan *s)
{
	struct sotto_adbc_driver *d = sotto_adbc_driver(s->adbc);
	struct sotto_buffer b;
	enum sotto_status st;

	s->has_begun = true;
	sotto_buffer_init(&b, SOTTO_TABLE_MEMORY);
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
		if (!sotto_arrow_array_fits(&column(s, i)->becomes, b->children[i],
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

/* A row that the batch itself says is NULL is one of NULLs: it still is a row. */
static bool is_row(const struct ArrowArray *batch, int64_t row)
{
	int64_t at = batch->offset + row;

	return batch->null_count == 0 || !batch->buffers[0] ||
	       (((const uint8_t *)batch->buffers[0])[at / 8] >> (at % 8) & 1);
}

static size_t put_row(const struct sotto_duckdb *api, struct scan *s, size_t to)
{
	const struct ArrowArray *batch = &s->rows.batch;
	bool is_there = is_row(batch, s->row);
	size_t bytes = 0;

	for (size_t i = 0; i < s->target_count; i++) {
		struct sotto_table_target *t = &s->targets[i];
		const struct sotto_arrow_column *becomes = &column(s, i)->becomes;
		struct sotto_arrow_value v = {.is_null = true};

		if (is_there)
			v = sotto_arrow_value(becomes, batch->children[i],
					      batch->offset + s->row, &s->scratch);
		if (v.is_null)
			sotto_table_target_null(api, t, to);
		else
			sotto_arrow_put(api, becomes, t->vector, t->data, to, &v);
		bytes += v.length;
	}
	s->row++;
	return bytes;
}

static enum sotto_status
fill(const struct sotto_duckdb *api, struct scan *s, duckdb_data_chunk chunk, size_t *rows)
{
	size_t most = api->duckdb_vector_size(), bytes = 0;
	bool found;

	sotto_table_targets_aim(api, chunk, s->targets, s->target_count);
	for (*rows = 0; *rows < most && bytes < SOTTO_CHUNK_BYTES; ++*rows) {
		SOTTO_TRY(next_batch(s, &found));
		if (!found)
			break;
		bytes += put_row(api, s, *rows);
	}
	return SOTTO_OK;
}

static void on_read(duckdb_function_info info, duckdb_data_chunk chunk)
{
	const struct sotto_table_source *from = sotto_callback_of_function(info);
	const struct sotto_duckdb *api = from->api;
	struct scan *s = api->duckdb_function_get_init_data(info);
	size_t rows = 0;

	if (fill(api, s, chunk, &rows) != SOTTO_OK) {
		api->duckdb_function_set_error(info, s->trouble);
		rows = 0;
	}
	api->duckdb_data_chunk_set_size(chunk, rows);
}

enum sotto_status sotto_adbc_register(const struct sotto_duckdb *api,
				      duckdb_connection connection, struct sotto_adbc *a)
{
	static const struct sotto_table_function function = {
		.name = "adbc",
		.table_size = sizeof(struct sotto_adbc_table),
		.describe = describe,
		.add_columns = add_columns,
		.begin = on_begin,
		.read = on_read,
	};

	return sotto_table_function_register(api, connection, &function, a);
}
