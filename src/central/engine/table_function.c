/*
 * Registers callbacks with the engine; the columns that a scan wants are mapped to places in
 * its chunk, and NULL masks are made writable when the first NULL comes.
 */
#include "central/engine/table_function.h"

#include <stdlib.h>

#include "central/engine/duckdb_callback.h"

static void bound_free(void *context)
{
	struct sotto_table_bound *b = context;

	sotto_arena_release(&b->arena);
	free(b);
}

/* The table that the one argument of the function names. */
static enum sotto_status describe(duckdb_bind_info info, struct sotto_table_bound *b)
{
	const struct sotto_duckdb *api = b->from->api;
	const struct sotto_table_function *f = b->from->function;
	duckdb_value value = api->duckdb_bind_get_parameter(info, 0);
	char *name = api->duckdb_get_varchar(value);
	enum sotto_status st = SOTTO_ENOMEM;

	b->table = sotto_arena_alloc(&b->arena, f->table_size);
	if (name && b->table)
		st = f->describe(b->from->source, name, &b->arena, b->table);
	api->duckdb_free(name);
	api->duckdb_destroy_value(&value);
	return st;
}

static const char *complaint(enum sotto_status st)
{
	if (st == SOTTO_EMISSING)
		return "no such table, or none of its columns may be read";
	if (st == SOTTO_ESTATE)
		return "the table is being changed";
	return "the table could not be looked at";
}

static void on_bind(duckdb_bind_info info)
{
	const struct sotto_table_source *from = sotto_callback_of_bind(info);
	struct sotto_table_bound *b = calloc(1, sizeof *b);
	enum sotto_status st = SOTTO_ENOMEM;

	if (b) {
		b->from = from;
		sotto_arena_init(&b->arena, SOTTO_TABLE_MEMORY);
		st = describe(info, b);
	}
	if (st == SOTTO_OK) {
		from->function->add_columns(from->api, info, b->table);
		from->api->duckdb_bind_set_bind_data(info, b, bound_free);
		return;
	}
	from->api->duckdb_bind_set_error(info, complaint(st));
	if (b)
		bound_free(b);
}

enum sotto_status
sotto_table_function_register(const struct sotto_duckdb *api, duckdb_connection connection,
			      const struct sotto_table_function *function, void *source)
{
	struct sotto_table_source *from;
	duckdb_table_function f;
	duckdb_logical_type text;
	duckdb_state state;

	if (!sotto_callback_keep(api))
		return SOTTO_ESTATE;
	from = calloc(1, sizeof *from);
	if (!from)
		return SOTTO_ENOMEM;
	*from = (struct sotto_table_source){api, function, source};
	f = api->duckdb_create_table_function();
	text = api->duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
	api->duckdb_table_function_set_name(f, function->name);
	api->duckdb_table_function_add_parameter(f, text);
	api->duckdb_table_function_set_extra_info(f, from, free);
	api->duckdb_table_function_set_bind(f, on_bind);
	api->duckdb_table_function_set_init(f, function->begin);
	if (function->begin_thread)
		api->duckdb_table_function_set_local_init(f, function->begin_thread);
	api->duckdb_table_function_set_function(f, function->read);
	api->duckdb_table_function_supports_projection_pushdown(f, true);
	state = api->duckdb_register_table_function(connection, f);
	api->duckdb_destroy_table_function(&f);
	api->duckdb_destroy_logical_type(&text);
	return state == DuckDBError ? SOTTO_EIO : SOTTO_OK;
}

enum sotto_status sotto_table_targets(const struct sotto_duckdb *api, duckdb_init_info info,
				      size_t column_count, struct sotto_arena *arena,
				      struct sotto_table_target **targets, size_t *target_count)
{
	size_t wanted = api->duckdb_init_get_column_count(info), count = 0;
	struct sotto_table_target *t = sotto_arena_alloc(arena, (wanted + 1) * sizeof *t);

	if (!t)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < wanted; i++) {
		uint64_t index = api->duckdb_init_get_column_index(info, i);

		if (index < column_count)
			t[count++] = (struct sotto_table_target){.place = i, .column = index};
	}
	*targets = t;
	*target_count = count;
	return SOTTO_OK;
}

void sotto_table_targets_aim(const struct sotto_duckdb *api, duckdb_data_chunk chunk,
			     struct sotto_table_target *targets, size_t target_count)
{
	for (size_t i = 0; i < target_count; i++) {
		struct sotto_table_target *t = &targets[i];

		t->vector = api->duckdb_data_chunk_get_vector(chunk, t->place);
		t->data = api->duckdb_vector_get_data(t->vector);
		t->validity = NULL;
	}
}

void sotto_table_target_null(const struct sotto_duckdb *api, struct sotto_table_target *target,
			     size_t row)
{
	if (!target->validity) {
		api->duckdb_vector_ensure_validity_writable(target->vector);
		target->validity = api->duckdb_vector_get_validity(target->vector);
	}
	api->duckdb_validity_set_row_invalid(target->validity, row);
}
