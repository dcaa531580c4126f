/*
 * What a unit's rows in a group add up to.  A row's terms are whole numbers below 2^62, and a
 * sum has 128 bits: no order of rows, no number of threads and no number of rows changes it.
 */
#include "central/engine/sum/bounded_sum.h"

#include <stdio.h>
#include <string.h>

#include "central/engine/duckdb_callback.h"
#include "central/engine/sum/most_frequent.h"
#include "central/engine/sum/text_cut.h"
#include "central/engine/sum/whole_number.h"
#include "central/engine/sum/owner_list.h"
#include "central/engine/sum/owner_lookup.h"
#include "central/engine/sum/sum_block.h"
#include "central/engine/sum/sum_input.h"
#include "central/engine/sum/unit_alone.h"
#include "central/engine/sum/unit_loss.h"
#include "core/base/failure.h"

static const char *add_chunk(const struct sotto_sum_function *f, duckdb_data_chunk input,
			     duckdb_aggregate_state *states)
{
	struct sotto_sum_input in;
	struct sotto_sum_block b;
	const char *why = sotto_sum_input_find(f, input, 1, &in);

	for (size_t from = 0; !why && from < in.rows; from += SOTTO_SUM_BLOCK) {
		size_t count = sotto_sum_input_read(&in, from, &b);

		(f->is_pair ? sotto_pair_block_add : sotto_sum_block_add)(in.task, &b,
									  states + from, count);
	}
	return why;
}

/* ---- the engine's calls ----------------------------------------------------------------- */

#define PAIR_SIZE(V) (sizeof(struct sotto_pair_state) + (V) * sizeof(int64_t))
#define ROWS_SIZE(V) (sizeof(struct sotto_sum_state) + (V) * sizeof(struct sotto_wide_sum))

static idx_t size_of(duckdb_function_info info)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);

	return f->is_pair ? PAIR_SIZE(f->values) : ROWS_SIZE(f->values);
}

/* Called for each unit in each group: a size that is known costs a few instructions. */
#define INIT(kind, SIZE, V)                                                                    \
	static void init_##kind##_##V(duckdb_function_info info, duckdb_aggregate_state state) \
	{                                                                                      \
		(void)info;                                                                    \
		memset(state, 0, SIZE(V));                                                     \
	}                                                                                      \
	_Static_assert(SIZE(V) % 8 == 0, "a state is aligned to 8 bytes")

INIT(pair, PAIR_SIZE, 1);
INIT(pair, PAIR_SIZE, 2);
INIT(pair, PAIR_SIZE, 4);
INIT(pair, PAIR_SIZE, 8);
INIT(pair, PAIR_SIZE, 16);
INIT(rows, ROWS_SIZE, 1);
INIT(rows, ROWS_SIZE, 2);
INIT(rows, ROWS_SIZE, 4);
INIT(rows, ROWS_SIZE, 8);
INIT(rows, ROWS_SIZE, 16);

static duckdb_aggregate_init_t init_of(const struct sotto_sum_function *f)
{
	static const struct {
		size_t values;
		duckdb_aggregate_init_t pair, rows;
	} all[SOTTO_SUM_SIZES] = {{1, init_pair_1, init_rows_1},
				  {2, init_pair_2, init_rows_2},
				  {4, init_pair_4, init_rows_4},
				  {8, init_pair_8, init_rows_8},
				  {16, init_pair_16, init_rows_16}};
	size_t i = 0;

	while (all[i].values != f->values)
		i++;
	return f->is_pair ? all[i].pair : all[i].rows;
}

static void
update(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state *states)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);
	const char *why = add_chunk(f, input, states);

	if (why)
		f->api->duckdb_aggregate_function_set_error(info, why);
}

static void combine(duckdb_function_info info, duckdb_aggregate_state *sources,
		    duckdb_aggregate_state *targets, idx_t count)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);

	if (f->is_pair)
		for (size_t j = 0; j < count; j++)
			sotto_pair_add((struct sotto_pair_state *)targets[j],
				       (const struct sotto_pair_state *)sources[j], f->values);
	else
		for (size_t j = 0; j < count; j++)
			sotto_sum_add((struct sotto_sum_state *)targets[j],
				      (const struct sotto_sum_state *)sources[j], f->values);
}

/* ---- results -------------------------------------------------------------------------------- */

enum { RESULT_ROWS, RESULT_READ, RESULT_CLIPPED, RESULT_VALUES };

struct result {
	int64_t *head[RESULT_VALUES];
	void *values[SOTTO_SUM_VALUES];
};

static void write_rows(const struct sotto_sum_task *task, const struct sotto_sum_state *s,
		       const struct result *r, size_t at)
{
	r->head[RESULT_ROWS][at] = r->head[RESULT_READ][at] = (int64_t)sotto_sum_rows(s);
	r->head[RESULT_CLIPPED][at] = (int64_t)s->clipped;
	for (size_t i = 0; i < task->value_count; i++)
		((duckdb_hugeint *)r->values[i])[at] = sotto_sum_of(task, s, i);
}

static void write_pair(const struct sotto_sum_task *task, const struct sotto_pair_state *s,
		       const struct result *r, size_t at)
{
	int64_t n = (int64_t)sotto_pair_rows(s);

	r->head[RESULT_ROWS][at] = n > task->keep ? task->keep : n;
	r->head[RESULT_READ][at] = sotto_pair_read(task, s);
	r->head[RESULT_CLIPPED][at] = (s->head & SOTTO_PAIR_CLIPPED) != 0;
	for (size_t i = 0; i < task->value_count; i++)
		((int64_t *)r->values[i])[at] = sotto_pair_kept(task, s, i);
}

/* A state without rows has no task: everything in it is 0. */
static void write_states(const struct sotto_sum_function *f, duckdb_aggregate_state *states,
			 const struct result *r, size_t count, size_t offset)
{
	static const struct sotto_sum_task none;
	const struct sotto_sum_task *task = &none;
	size_t size = f->is_pair ? sizeof(int64_t) : sizeof(duckdb_hugeint);

	for (size_t i = 0; i < f->values; i++)
		memset((char *)r->values[i] + offset * size, 0, count * size);
	for (size_t j = 0; j < count; j++) {
		uint16_t number = (uint16_t) * (const uint64_t *)(const void *)states[j];

		if (number != task->number)
			task = number ? sotto_sum_tasks_find(f->tasks, number) : &none;
		if (f->is_pair)
			write_pair(task, (const struct sotto_pair_state *)states[j], r,
				   offset + j);
		else
			write_rows(task, (const struct sotto_sum_state *)states[j], r,
				   offset + j);
	}
}

static void finish(duckdb_function_info info, duckdb_aggregate_state *states,
		   duckdb_vector result, idx_t count, idx_t offset)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);
	const struct sotto_duckdb *api = f->api;
	struct result r;

	for (size_t i = 0; i < RESULT_VALUES; i++)
		r.head[i] = api->duckdb_vector_get_data(
			api->duckdb_struct_vector_get_child(result, i));
	for (size_t i = 0; i < f->values; i++)
		r.values[i] = api->duckdb_vector_get_data(
			api->duckdb_struct_vector_get_child(result, RESULT_VALUES + i));
	write_states(f, states, &r, count, offset);
}

/* ---- registering ---------------------------------------------------------------------------- */

/* {n, read, clipped, v0, ...} */
static duckdb_logical_type result_type(const struct sotto_sum_function *f)
{
	static const char *const names[RESULT_VALUES + SOTTO_SUM_VALUES] = {
		"n",  "read", "clipped", "v0",  "v1",  "v2",  "v3",  "v4",  "v5", "v6",
		"v7", "v8",   "v9",      "v10", "v11", "v12", "v13", "v14", "v15"};
	const struct sotto_duckdb *api = f->api;
	duckdb_logical_type types[RESULT_VALUES + SOTTO_SUM_VALUES], made;
	size_t count = RESULT_VALUES + f->values;

	for (size_t i = 0; i < count; i++)
		types[i] = api->duckdb_create_logical_type(i < RESULT_VALUES || f->is_pair
								   ? DUCKDB_TYPE_BIGINT
								   : DUCKDB_TYPE_HUGEINT);
	made = api->duckdb_create_struct_type(types, (const char **)(uintptr_t)names, count);
	for (size_t i = 0; i < count; i++)
		api->duckdb_destroy_logical_type(&types[i]);
	return made;
}

/* The same with each number of columns. */
static enum sotto_status
register_sizes(struct sotto_sum_function *f, duckdb_connection connection)
{
	const struct sotto_duckdb *api = f->api;
	duckdb_logical_type result = result_type(f);
	duckdb_aggregate_function_set set;
	enum sotto_status st = SOTTO_OK;
	char name[32];

	(void)snprintf(name, sizeof name, "sotto_%s_%zu", f->is_pair ? "pairs" : "rows",
		       f->values);
	set = api->duckdb_create_aggregate_function_set(name);
	for (size_t columns = 0; st == SOTTO_OK && columns <= SOTTO_SUM_COLUMNS; columns++) {
		duckdb_aggregate_function a = sotto_aggregate_new(api, name, f);

		sotto_aggregate_parameter(api, a, DUCKDB_TYPE_USMALLINT);
		for (size_t i = 0; i < columns; i++)
			sotto_aggregate_parameter(api, a, DUCKDB_TYPE_ANY);
		api->duckdb_aggregate_function_set_return_type(a, result);
		api->duckdb_aggregate_function_set_functions(a, size_of, init_of(f), update,
							     combine, finish);
		api->duckdb_aggregate_function_set_special_handling(a);
		if (api->duckdb_add_aggregate_function_to_set(set, a) == DuckDBError)
			st = SOTTO_EIO;
		api->duckdb_destroy_aggregate_function(&a);
	}
	if (st == SOTTO_OK &&
	    api->duckdb_register_aggregate_function_set(connection, set) == DuckDBError)
		st = SOTTO_EIO;
	api->duckdb_destroy_aggregate_function_set(&set);
	api->duckdb_destroy_logical_type(&result);
	return st;
}

enum sotto_status sotto_sums_register(const struct sotto_duckdb *api,
				      duckdb_connection connection,
				      struct sotto_sum_functions *functions)
{
	*functions = (struct sotto_sum_functions){0};
	if (!sotto_callback_keep(api))
		return SOTTO_ESTATE;
	functions->tasks = sotto_sum_tasks_new();
	functions->pool = sotto_unit_pool_new();
	functions->owners = sotto_owners_new();
	if (!functions->tasks || !functions->pool || !functions->owners)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < 2 * SOTTO_SUM_SIZES; i++) {
		struct sotto_sum_function *f = &functions->all[i];

		*f = (struct sotto_sum_function){.api = api,
						 .tasks = functions->tasks,
						 .pool = functions->pool,
						 .owners = functions->owners,
						 .values = (size_t)1 << i / 2,
						 .is_pair = i % 2 == 0};
		SOTTO_TRY(register_sizes(f, connection));
	}
	for (size_t i = 0; i < 2 * SOTTO_SUM_SIZES; i += 2)
		SOTTO_TRY(sotto_alone_register(&functions->all[i], connection));
	SOTTO_TRY(sotto_scalars_register(&functions->all[0], connection));
	SOTTO_TRY(sotto_owners_register(&functions->all[0], connection));
	SOTTO_TRY(sotto_most_register(&functions->all[0], connection));
	SOTTO_TRY(sotto_whole_register(&functions->all[0], connection));
	SOTTO_TRY(sotto_cut_register(&functions->all[0], connection));
	return sotto_units_register(&functions->all[0], connection);
}

void sotto_sums_forget(struct sotto_sum_functions *functions)
{
	if (functions->tasks)
		sotto_sum_tasks_clear(functions->tasks);
	if (functions->pool)
		sotto_unit_pool_clear(functions->pool);
	if (functions->owners)
		sotto_owners_clear(functions->owners);
}

void sotto_sums_release(struct sotto_sum_functions *functions)
{
	sotto_sum_tasks_free(functions->tasks);
	sotto_unit_pool_free(functions->pool);
	sotto_owners_free(functions->owners);
	functions->tasks = NULL;
	functions->pool = NULL;
	functions->owners = NULL;
}
