/* The calls of the engine for sotto_units and sotto_all_units; what they are is in unit_loss.h. */
#include "central/engine/sum/unit_loss.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/duckdb_callback.h"
#include "central/engine/sum/unit_table.h"
#include "core/base/failure.h"

enum { AHEAD = 64 };

struct state {
	struct sotto_unit_table *table; /* NULL: no row yet, or the pool's */
};

/* ---- columns -------------------------------------------------------------------------------- */

enum { IN_UNIT, IN_PLACE, IN_READ, IN_CLIPPED, IN_GROUPS, IN_ROWS, IN_COUNT };

struct input {
	struct sotto_unit_pairs pairs;
	const uint64_t *groups, *rows;
	size_t count;
};

static struct input read_input(const struct sotto_duckdb *api, duckdb_data_chunk chunk)
{
	void *in[IN_COUNT];

	for (size_t i = 0; i < IN_COUNT; i++)
		in[i] = api->duckdb_vector_get_data(
			api->duckdb_data_chunk_get_vector(chunk, i));
	return (struct input){.pairs = {in[IN_UNIT], in[IN_PLACE], in[IN_READ], in[IN_CLIPPED]},
			      .groups = in[IN_GROUPS],
			      .rows = in[IN_ROWS],
			      .count = api->duckdb_data_chunk_get_size(chunk)};
}

static const char *const names[SOTTO_UNIT_SUMS] = {
	"units", "of_rows", "of_groups", "clipped", "rows", "rows_kept", "pairs", "pairs_kept"};

static void write_sums(const struct sotto_duckdb *api, duckdb_vector result, size_t at,
		       const int64_t sums[SOTTO_UNIT_SUMS])
{
	for (size_t j = 0; j < SOTTO_UNIT_SUMS; j++)
		((int64_t *)api->duckdb_vector_get_data(
			api->duckdb_struct_vector_get_child(result, j)))[at] = sums[j];
}

/* ---- sotto_units ---------------------------------------------------------------------------- */

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

		sotto_unit_table_free(s->table);
		s->table = NULL;
	}
}

static bool add_row(struct state *s, const struct input *in, size_t i)
{
	if (!s->table && !(s->table = sotto_unit_table_new(in->groups[i], in->rows[i])))
		return false;
	if (i % AHEAD == 0)
		sotto_unit_table_fetch(s->table, in->pairs.units + i,
				       in->count - i < AHEAD ? in->count - i : AHEAD);
	return sotto_unit_table_add(s->table, &in->pairs, i);
}

static void
update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state *states)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);
	struct input in = read_input(f->api, chunk);

	for (size_t i = 0; i < in.count; i++)
		if (!add_row((struct state *)states[i], &in, i)) {
			f->api->duckdb_aggregate_function_set_error(info, "out of memory");
			return;
		}
}

static void combine(duckdb_function_info info, duckdb_aggregate_state *sources,
		    duckdb_aggregate_state *targets, idx_t count)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);

	for (size_t i = 0; i < count; i++) {
		struct state *from = (struct state *)sources[i],
			     *to = (struct state *)targets[i];

		if (!from->table)
			continue;
		if (!to->table) {
			*to = *from;
			*from = (struct state){0};
		} else if (!sotto_unit_table_merge(to->table, from->table)) {
			f->api->duckdb_aggregate_function_set_error(info, "out of memory");
			return;
		}
	}
}

static void finish(duckdb_function_info info, duckdb_aggregate_state *states,
		   duckdb_vector result, idx_t count, idx_t offset)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);

	for (size_t i = 0; i < count; i++) {
		const struct sotto_unit_table *t = ((const struct state *)states[i])->table;
		int64_t sums[SOTTO_UNIT_SUMS] = {0};

		if (t)
			sotto_unit_table_sums(t, sums);
		write_sums(f->api, result, offset + i, sums);
	}
}

/* ---- sotto_all_units ------------------------------------------------------------------------ */

/*
 * As many tables as threads have added rows at the same time.  The engine finishes no group
 * before all rows are added: then they are put together, once.
 */
struct sotto_unit_pool {
	pthread_mutex_t lock;
	struct idle {
		struct sotto_unit_table *table;
		struct idle *next;
	} * idle; /* those that no thread adds to */
	bool is_finished;
	int64_t sums[SOTTO_UNIT_SUMS];
};

struct sotto_unit_pool *sotto_unit_pool_new(void)
{
	struct sotto_unit_pool *p = calloc(1, sizeof *p);

	if (p && pthread_mutex_init(&p->lock, NULL) != 0) {
		free(p);
		return NULL;
	}
	return p;
}

static void drop_tables(struct sotto_unit_pool *p)
{
	while (p->idle) {
		struct idle *first = p->idle;

		p->idle = first->next;
		sotto_unit_table_free(first->table);
		free(first);
	}
}

void sotto_unit_pool_clear(struct sotto_unit_pool *p)
{
	drop_tables(p);
	p->is_finished = false;
	memset(p->sums, 0, sizeof p->sums);
}

void sotto_unit_pool_free(struct sotto_unit_pool *p)
{
	if (!p)
		return;
	drop_tables(p);
	(void)pthread_mutex_destroy(&p->lock);
	free(p);
}

/* One for this thread alone; NULL without memory. */
static struct idle *take_table(struct sotto_unit_pool *p, const struct input *in)
{
	struct idle *taken;

	(void)pthread_mutex_lock(&p->lock);
	taken = p->idle;
	if (taken)
		p->idle = taken->next;
	(void)pthread_mutex_unlock(&p->lock);
	if (taken || !(taken = calloc(1, sizeof *taken)))
		return taken;
	taken->table = sotto_unit_table_new(in->groups[0], in->rows[0]);
	if (!taken->table) {
		free(taken);
		return NULL;
	}
	return taken;
}

static void give_back(struct sotto_unit_pool *p, struct idle *taken)
{
	(void)pthread_mutex_lock(&p->lock);
	taken->next = p->idle;
	p->idle = taken;
	(void)pthread_mutex_unlock(&p->lock);
}

static void
update_all(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state *states)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);
	struct input in = read_input(f->api, chunk);
	struct idle *taken;
	bool done;

	(void)states;
	if (in.count == 0)
		return;
	taken = take_table(f->pool, &in);
	done = taken && sotto_unit_table_add_all(taken->table, &in.pairs, in.count);
	if (taken)
		give_back(f->pool, taken);
	if (!done)
		f->api->duckdb_aggregate_function_set_error(info, "out of memory");
}

/* The tables have it all. */
static void combine_all(duckdb_function_info info, duckdb_aggregate_state *sources,
			duckdb_aggregate_state *targets, idx_t count)
{
	(void)info;
	(void)sources;
	(void)targets;
	(void)count;
}

/* False without memory. */
static bool put_together(struct sotto_unit_pool *p)
{
	for (struct idle *i = p->idle ? p->idle->next : NULL; i; i = i->next)
		if (!sotto_unit_table_merge(p->idle->table, i->table))
			return false;
	if (p->idle)
		sotto_unit_table_sums(p->idle->table, p->sums);
	drop_tables(p);
	p->is_finished = true;
	return true;
}

static void finish_all(duckdb_function_info info, duckdb_aggregate_state *states,
		       duckdb_vector result, idx_t count, idx_t offset)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);
	struct sotto_unit_pool *p = f->pool;
	bool done;

	(void)states;
	(void)pthread_mutex_lock(&p->lock);
	done = p->is_finished || put_together(p);
	(void)pthread_mutex_unlock(&p->lock);
	if (!done)
		f->api->duckdb_aggregate_function_set_error(info, "out of memory");
	for (size_t i = 0; done && i < count; i++)
		write_sums(f->api, result, offset + i, p->sums);
}

/* ---- registering ---------------------------------------------------------------------------- */

static duckdb_logical_type result_type(const struct sotto_duckdb *api)
{
	duckdb_logical_type made, types[SOTTO_UNIT_SUMS];

	for (size_t i = 0; i < SOTTO_UNIT_SUMS; i++)
		types[i] = api->duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
	made = api->duckdb_create_struct_type(types, (const char **)(uintptr_t)names,
					      SOTTO_UNIT_SUMS);
	for (size_t i = 0; i < SOTTO_UNIT_SUMS; i++)
		api->duckdb_destroy_logical_type(&types[i]);
	return made;
}

/* How the engine calls one of them. */
struct calls {
	const char *name;
	duckdb_aggregate_update_t update;
	duckdb_aggregate_combine_t combine;
	duckdb_aggregate_finalize_t finish;
	bool has_tables; /* in its states */
};

/* Of units that are numbers, or hashes: both have 64 bits. */
static duckdb_state add_to_set(struct sotto_sum_function *f, const struct calls *c,
			       duckdb_aggregate_function_set set, duckdb_type unit)
{
	const struct sotto_duckdb *api = f->api;
	duckdb_aggregate_function a = sotto_aggregate_new(api, c->name, f);
	duckdb_logical_type type = result_type(api);
	duckdb_state state;

	sotto_aggregate_parameter(api, a, unit);
	for (size_t i = 1; i < IN_COUNT; i++)
		sotto_aggregate_parameter(api, a, DUCKDB_TYPE_BIGINT);
	api->duckdb_aggregate_function_set_return_type(a, type);
	api->duckdb_destroy_logical_type(&type);
	api->duckdb_aggregate_function_set_special_handling(a);
	api->duckdb_aggregate_function_set_functions(a, size_of, init, c->update, c->combine,
						     c->finish);
	if (c->has_tables)
		api->duckdb_aggregate_function_set_destructor(a, destroy);
	state = api->duckdb_add_aggregate_function_to_set(set, a);
	api->duckdb_destroy_aggregate_function(&a);
	return state;
}

static duckdb_state register_calls(struct sotto_sum_function *f, const struct calls *c,
				   duckdb_connection connection)
{
	const struct sotto_duckdb *api = f->api;
	duckdb_aggregate_function_set set = api->duckdb_create_aggregate_function_set(c->name);
	duckdb_state state = add_to_set(f, c, set, DUCKDB_TYPE_UBIGINT);

	if (state != DuckDBError)
		state = add_to_set(f, c, set, DUCKDB_TYPE_BIGINT);
	if (state != DuckDBError)
		state = api->duckdb_register_aggregate_function_set(connection, set);
	api->duckdb_destroy_aggregate_function_set(&set);
	return state;
}

enum sotto_status
sotto_units_register(struct sotto_sum_function *f, duckdb_connection connection)
{
	static const struct calls all[] = {
		{"sotto_units", update, combine, finish, true},
		{"sotto_all_units", update_all, combine_all, finish_all, false},
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (register_calls(f, &all[i], connection) == DuckDBError)
			return SOTTO_EIO;
	return SOTTO_OK;
}
