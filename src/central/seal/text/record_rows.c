/*
 * Offers the records to the engine as a table function with one thread; a chunk ends after so
 * many bytes, not only after so many rows.
 */
#include "central/seal/text/record_rows.h"

#include "central/engine/duckdb_callback.h"
#include "core/base/failure.h"

enum { CHUNK_BYTES = 16 << 20 };

static void on_bind(duckdb_bind_info info)
{
	struct sotto_record_rows *r = sotto_callback_of_bind(info);
	duckdb_logical_type text = r->api->duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);

	for (size_t i = 0; i < r->column_count; i++)
		r->api->duckdb_bind_add_result_column(info, r->names[i], text);
	r->api->duckdb_destroy_logical_type(&text);
}

static void on_init(duckdb_init_info info)
{
	struct sotto_record_rows *r = sotto_callback_of_init(info);

	r->api->duckdb_init_set_max_threads(info, 1);
}

/* ---- the next record ----------------------------------------------------------------------- */

static enum sotto_status open_next(struct sotto_record_rows *r, bool *found)
{
	*found = r->is_open || r->next < r->text_count;
	if (r->is_open || !*found)
		return SOTTO_OK;
	SOTTO_TRY(sotto_reader_open(&r->reader, &r->texts[r->next], &r->surveys[r->next]));
	r->is_open = true;
	r->next++;
	return SOTTO_OK;
}

static void close_reader(struct sotto_record_rows *r)
{
	if (r->is_open)
		sotto_reader_close(&r->reader);
	r->is_open = false;
}

static enum sotto_status next_record(struct sotto_record_rows *r, bool *found)
{
	for (;;) {
		struct sotto_raw_record raw;
		bool holds;

		SOTTO_TRY(open_next(r, found));
		if (!*found)
			return SOTTO_OK;
		SOTTO_TRY(sotto_reader_next(&r->reader, &raw));
		if (!raw.bytes) {
			close_reader(r);
			continue;
		}
		if (raw.flaw != SOTTO_FLAW_NONE)
			continue;
		SOTTO_TRY(sotto_values_read(&r->cells, &r->reader.text->dialect, &raw, &holds));
		if (holds)
			return SOTTO_OK;
	}
}

/* ---- a chunk --------------------------------------------------------------------------------- */

static void put_null(struct sotto_record_rows *r, duckdb_vector vector, size_t row)
{
	r->api->duckdb_vector_ensure_validity_writable(vector);
	r->api->duckdb_validity_set_row_invalid(r->api->duckdb_vector_get_validity(vector),
						row);
}

static size_t put_row(struct sotto_record_rows *r, duckdb_data_chunk chunk, size_t row)
{
	size_t bytes = 0;

	for (size_t i = 0; i < r->column_count; i++) {
		duckdb_vector vector = r->api->duckdb_data_chunk_get_vector(chunk, i);
		const struct sotto_record_cell *cell = &r->cells.cells[i];

		if (cell->bytes)
			r->api->duckdb_vector_assign_string_element_len(
				vector, row, cell->bytes, cell->length);
		else
			put_null(r, vector, row);
		bytes += cell->length;
	}
	return bytes;
}

static enum sotto_status
fill(struct sotto_record_rows *r, duckdb_data_chunk chunk, size_t *rows)
{
	size_t most = r->api->duckdb_vector_size(), bytes = 0;

	for (*rows = 0; *rows < most && bytes < CHUNK_BYTES; ++*rows) {
		bool found;

		SOTTO_TRY(next_record(r, &found));
		if (!found)
			break;
		bytes += put_row(r, chunk, *rows);
	}
	r->records += *rows;
	if (r->progress && r->is_open)
		r->progress(r->context, r->reader.window.taken);
	return SOTTO_OK;
}

static void on_read(duckdb_function_info info, duckdb_data_chunk chunk)
{
	struct sotto_record_rows *r = sotto_callback_of_function(info);
	size_t rows = 0;

	r->status = fill(r, chunk, &rows);
	if (r->status != SOTTO_OK) {
		r->api->duckdb_function_set_error(info, "the text could not be read");
		rows = 0;
	}
	r->api->duckdb_data_chunk_set_size(chunk, rows);
}

enum sotto_status sotto_rows_register(struct sotto_record_rows *r, struct sotto_database *d)
{
	duckdb_table_function f;
	duckdb_state state;

	r->api = &d->api;
	if (!sotto_callback_keep(&d->api))
		return SOTTO_EIO;
	SOTTO_TRY(sotto_values_init(&r->cells, r->names, r->column_count));
	f = d->api.duckdb_create_table_function();
	d->api.duckdb_table_function_set_name(f, "sotto_rows");
	d->api.duckdb_table_function_set_extra_info(f, r, NULL);
	d->api.duckdb_table_function_set_bind(f, on_bind);
	d->api.duckdb_table_function_set_init(f, on_init);
	d->api.duckdb_table_function_set_function(f, on_read);
	state = d->api.duckdb_register_table_function(d->connection, f);
	d->api.duckdb_destroy_table_function(&f);
	if (state != DuckDBError)
		return SOTTO_OK;
	sotto_rows_release(r);
	return SOTTO_EIO;
}

void sotto_rows_release(struct sotto_record_rows *r)
{
	close_reader(r);
	sotto_values_release(&r->cells);
}
