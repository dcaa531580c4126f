/* The calls of the engine for sotto_alone_V; what it is is in unit_alone.h. */
#include "central/engine/sum/unit_alone.h"

#include <stdio.h>

#include "central/engine/duckdb_callback.h"
#include "central/engine/sum/pair_array.h"
#include "central/engine/sum/sum_input.h"

enum { IN_TASK, IN_NUMBER, IN_VALUES };

struct state {
	struct sotto_pair_array *units; /* NULL: no row yet */
	uint64_t task; /* its number */
};

/* ---- rows ----------------------------------------------------------------------------------- */

/* What rows without a unit are added to: a state that nobody reads. */
struct nobody {
	uint64_t state[1 + SOTTO_SUM_VALUES];
};

/* Numbers that are there, to the front; at[i] is the row of the i-th. */
static size_t gather(const uint8_t *present, int64_t *numbers, uint16_t *at, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		numbers[n] = numbers[i];
		at[n] = (uint16_t)i;
		n += present[i];
	}
	return n;
}

/* The state of each row of a block.  False without memory, or if a number is none. */
static bool find_states(struct sotto_pair_array *units, const struct sotto_column_reader *in,
			size_t from, size_t count, struct nobody *nobody,
			duckdb_aggregate_state *out)
{
	int64_t numbers[SOTTO_SUM_BLOCK];
	uint8_t present[SOTTO_SUM_BLOCK];
	uint16_t at[SOTTO_SUM_BLOCK];
	duckdb_aggregate_state found[SOTTO_SUM_BLOCK];
	size_t n;

	sotto_column_read_exact(in, from, count, numbers, present);
	if (!in->validity)
		return sotto_pair_array_find(units, numbers, count, out);
	n = gather(present, numbers, at, count);
	if (!sotto_pair_array_find(units, numbers, n, found))
		return false;
	for (size_t i = 0; i < count; i++)
		out[i] = (duckdb_aggregate_state)nobody->state;
	for (size_t i = 0; i < n; i++)
		out[at[i]] = found[i];
	return true;
}

static const char *add_rows(const struct sotto_sum_function *f, struct state *s,
			    const struct sotto_sum_input *in,
			    const struct sotto_column_reader *numbers)
{
	duckdb_aggregate_state states[SOTTO_SUM_BLOCK];
	struct nobody nobody = {0};
	struct sotto_sum_block b;

	if (!s->units)
		s->units = sotto_pair_array_new(f->values);
	if (!s->units)
		return "out of memory";
	s->task = in->task->number;
	for (size_t from = 0; from < in->rows; from += SOTTO_SUM_BLOCK) {
		size_t count = sotto_sum_input_read(in, from, &b);

		if (!find_states(s->units, numbers, from, count, &nobody, states))
			return "out of memory";
		sotto_pair_block_add(in->task, &b, states, count);
	}
	return NULL;
}

/* False if the rows are of several groups: the planner writes no such query. */
static bool is_one_state(duckdb_aggregate_state *states, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (states[i] != states[0])
			return false;
	return true;
}

static const char *add_chunk(const struct sotto_sum_function *f, duckdb_data_chunk chunk,
			     duckdb_aggregate_state *states)
{
	struct sotto_column_reader numbers;
	struct sotto_sum_input in;
	const char *why = sotto_sum_input_find(f, chunk, IN_VALUES, &in);

	if (why || in.rows == 0)
		return why;
	if (!is_one_state(states, in.rows))
		return "there is one group";
	if (!sotto_column_open(f->api, f->api->duckdb_data_chunk_get_vector(chunk, IN_NUMBER),
			       &numbers) ||
	    !sotto_column_is_whole(&numbers))
		return "numbers are whole";
	return add_rows(f, (struct state *)states[0], &in, &numbers);
}

/* ---- the engine's calls --------------------------------------------------------------------- */

static idx_t size_of(duckdb_function_info info)
{
	(void)info;
	return sizeof(struct state);
}

static void init(duckdb_function_info info, duckdb_aggregate_state state)
{
	(void)info;
	*(struct state *)state = (struct state){0};
}

static void destroy(duckdb_aggregate_state *states, idx_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct state *s = (struct state *)states[i];

		sotto_pair_array_free(s->units);
		s->units = NULL;
	}
}

static void
update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state *states)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);
	const char *why = add_chunk(f, chunk, states);

	if (why)
		f->api->duckdb_aggregate_function_set_error(info, why);
}

static void combine(duckdb_function_info info, duckdb_aggregate_state *sources,
		    duckdb_aggregate_state *targets, idx_t count)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);

	for (size_t i = 0; i < count; i++) {
		struct state *from = (struct state *)sources[i],
			     *to = (struct state *)targets[i];

		if (!from->units)
			continue;
		if (!to->units) {
			*to = *from;
		} else if (!sotto_pair_array_take(to->units, from->units)) {
			f->api->duckdb_aggregate_function_set_error(info, "out of memory");
			return;
		}
		*from = (struct state){0};
	}
}

/* ---- results -------------------------------------------------------------------------------- */

static const char *const names[] = {"n", "units", "of_rows", "clipped", "rows", "rows_kept"};

enum { HEAD = sizeof names / sizeof names[0], NAME = 8 };

static void
put(const struct sotto_duckdb *api, duckdb_vector result, size_t field, size_t at, int64_t x)
{
	((int64_t *)api->duckdb_vector_get_data(
		api->duckdb_struct_vector_get_child(result, field)))[at] = x;
}

static void put_wide(const struct sotto_duckdb *api, duckdb_vector result, size_t field,
		     size_t at, sotto_pair_sum x)
{
	((duckdb_hugeint *)api->duckdb_vector_get_data(api->duckdb_struct_vector_get_child(
		result, field)))[at] = (duckdb_hugeint){(uint64_t)x, (int64_t)(x >> 64)};
}

static void write_totals(const struct sotto_sum_function *f, const struct sotto_pair_totals *t,
			 duckdb_vector result, size_t at)
{
	const int64_t counts[] = {t->units, t->of_rows, t->clipped, t->lost, t->kept};

	put_wide(f->api, result, 0, at, t->rows);
	for (size_t i = 1; i < HEAD; i++)
		put(f->api, result, i, at, counts[i - 1]);
	for (size_t i = 0; i < f->values; i++) {
		put_wide(f->api, result, HEAD + i, at, t->values[i]);
		put(f->api, result, HEAD + f->values + i, at, t->with[i]);
	}
}

/* Without rows everything is 0. */
static const char *finish_one(const struct sotto_sum_function *f, const struct state *s,
			      struct sotto_pair_totals *out)
{
	const struct sotto_sum_task *task =
		s->units ? sotto_sum_tasks_find(f->tasks, (uint16_t)s->task) : NULL;

	*out = (struct sotto_pair_totals){0};
	if (s->units && !task)
		return "there is no such task";
	if (task)
		sotto_pair_array_totals(s->units, task, out);
	return NULL;
}

static void finish(duckdb_function_info info, duckdb_aggregate_state *states,
		   duckdb_vector result, idx_t count, idx_t offset)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);

	for (size_t i = 0; i < count; i++) {
		struct sotto_pair_totals totals;
		const char *why = finish_one(f, (const struct state *)states[i], &totals);

		if (why) {
			f->api->duckdb_aggregate_function_set_error(info, why);
			return;
		}
		write_totals(f, &totals, result, offset + i);
	}
}

/* ---- registering ---------------------------------------------------------------------------- */

static duckdb_logical_type result_type(const struct sotto_sum_function *f)
{
	const struct sotto_duckdb *api = f->api;
	size_t count = HEAD + 2 * f->values;
	duckdb_logical_type types[HEAD + 2 * SOTTO_SUM_VALUES], made;
	char made_names[2 * SOTTO_SUM_VALUES][NAME];
	const char *all[HEAD + 2 * SOTTO_SUM_VALUES];

	for (size_t i = 0; i < count; i++) {
		bool is_wide = i == 0 || (i >= HEAD && i < HEAD + f->values);

		types[i] = api->duckdb_create_logical_type(is_wide ? DUCKDB_TYPE_HUGEINT
								   : DUCKDB_TYPE_BIGINT);
		all[i] = i < HEAD ? names[i] : made_names[i - HEAD];
		if (i >= HEAD)
			(void)snprintf(made_names[i - HEAD], NAME, "%c%zu", is_wide ? 'v' : 'w',
				       (i - HEAD) % f->values);
	}
	made = api->duckdb_create_struct_type(types, all, count);
	for (size_t i = 0; i < count; i++)
		api->duckdb_destroy_logical_type(&types[i]);
	return made;
}

static duckdb_state add_to_set(struct sotto_sum_function *f, const char *name,
			       duckdb_aggregate_function_set set, duckdb_logical_type result,
			       size_t columns)
{
	const struct sotto_duckdb *api = f->api;
	duckdb_aggregate_function a = sotto_aggregate_new(api, name, f);
	duckdb_state state;

	sotto_aggregate_parameter(api, a, DUCKDB_TYPE_USMALLINT);
	sotto_aggregate_parameter(api, a, DUCKDB_TYPE_INTEGER);
	for (size_t i = 0; i < columns; i++)
		sotto_aggregate_parameter(api, a, DUCKDB_TYPE_ANY);
	api->duckdb_aggregate_function_set_return_type(a, result);
	api->duckdb_aggregate_function_set_special_handling(a);
	api->duckdb_aggregate_function_set_functions(a, size_of, init, update, combine, finish);
	api->duckdb_aggregate_function_set_destructor(a, destroy);
	state = api->duckdb_add_aggregate_function_to_set(set, a);
	api->duckdb_destroy_aggregate_function(&a);
	return state;
}

enum sotto_status
sotto_alone_register(struct sotto_sum_function *f, duckdb_connection connection)
{
	const struct sotto_duckdb *api = f->api;
	duckdb_logical_type result = result_type(f);
	duckdb_aggregate_function_set set;
	duckdb_state state = DuckDBSuccess;
	char name[32];

	(void)snprintf(name, sizeof name, "sotto_alone_%zu", f->values);
	set = api->duckdb_create_aggregate_function_set(name);
	for (size_t columns = 0; state != DuckDBError && columns <= SOTTO_SUM_COLUMNS;
	     columns++)
		state = add_to_set(f, name, set, result, columns);
	if (state != DuckDBError)
		state = api->duckdb_register_aggregate_function_set(connection, set);
	api->duckdb_destroy_aggregate_function_set(&set);
	api->duckdb_destroy_logical_type(&result);
	return state == DuckDBError ? SOTTO_EIO : SOTTO_OK;
}
