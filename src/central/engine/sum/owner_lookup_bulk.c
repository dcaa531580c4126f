/*
 * The calls of the engine for sotto_owners, sotto_stored and sotto_owner; what they are is in
 * owner_lookup.h.
 */
#include "central/engine/duckdb_callback.h"
#include "central/engine/sum/column_block.h"
#include "central/engine/sum/owner_list.h"
#include "central/engine/sum/owner_lookup.h"
#include "central/engine/sum/owner_map.h"
#include "core/base/failure.h"

/* ---- sotto_owners --------------------------------------------------------------------------- */

struct state {
	struct sotto_owner_map *map; /* of the statement; NULL: no key yet */
	uint64_t number;
};

/* False without memory. */
static bool has_map(const struct sotto_sum_function *f, struct state *s)
{
	struct sotto_owner_map *m;

	if (s->map)
		return true;
	m = sotto_owner_map_new(sotto_owners_seed(f->owners));
	s->number = m ? sotto_owners_keep(f->owners, m) : 0;
	if (s->number == 0)
		sotto_owner_map_free(m);
	else
		s->map = m;
	return s->map != NULL;
}

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

/* A block of rows. */
struct pairs {
	struct sotto_column_reader keys, units;
	int64_t key[SOTTO_SUM_BLOCK], unit[SOTTO_SUM_BLOCK];
	uint8_t has_key[SOTTO_SUM_BLOCK], has_unit[SOTTO_SUM_BLOCK];
};

/* Without a key, or without a unit, there is nothing to find.  The number of those left. */
static size_t drop_missing(struct pairs *p, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		p->key[n] = p->key[i];
		p->unit[n] = p->unit[i];
		n += p->has_key[i] & p->has_unit[i];
	}
	return n;
}

static bool read_pairs(struct pairs *p, size_t from, size_t *count)
{
	sotto_column_read_exact(&p->keys, from, *count, p->key, p->has_key);
	sotto_column_read_exact(&p->units, from, *count, p->unit, p->has_unit);
	if (p->keys.validity || p->units.validity)
		*count = drop_missing(p, *count);
	return *count > 0;
}

/* All rows have one state: nothing is grouped by. */
static const char *
add_pairs(const struct sotto_sum_function *f, duckdb_data_chunk chunk, struct state *s)
{
	const struct sotto_duckdb *api = f->api;
	size_t rows = api->duckdb_data_chunk_get_size(chunk);
	struct pairs p;

	if (!sotto_column_open(api, api->duckdb_data_chunk_get_vector(chunk, 0), &p.keys) ||
	    !sotto_column_open(api, api->duckdb_data_chunk_get_vector(chunk, 1), &p.units) ||
	    !sotto_column_is_whole(&p.keys) || !sotto_column_is_whole(&p.units))
		return "keys and units are whole numbers";
	if (!has_map(f, s))
		return "out of memory";
	for (size_t from = 0; from < rows; from += SOTTO_SUM_BLOCK) {
		size_t count = rows - from < SOTTO_SUM_BLOCK ? rows - from : SOTTO_SUM_BLOCK;

		if (read_pairs(&p, from, &count) &&
		    !sotto_owner_map_add(s->map, p.key, p.unit, count))
			return "out of memory";
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

static void
update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state *states)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);
	size_t rows = f->api->duckdb_data_chunk_get_size(chunk);
	const char *why = NULL;

	if (rows > 0)
		why = is_one_state(states, rows)
			      ? add_pairs(f, chunk, (struct state *)states[0])
			      : "a map is of all rows";
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

		if (!from->map)
			continue;
		if (!to->map) {
			*to = *from;
			*from = (struct state){0};
		} else if (!sotto_owner_map_merge(to->map, from->map)) {
			f->api->duckdb_aggregate_function_set_error(info, "out of memory");
			return;
		}
	}
}

/* Nobody has a key of an empty map. */
static const char *
finish_one(const struct sotto_sum_function *f, struct state *s, uint64_t *number)
{
	if (!has_map(f, s))
		return "out of memory";
	if (sotto_owner_map_is_broken(s->map))
		return "a key is there twice";
	*number = s->number;
	return NULL;
}

static void finish(duckdb_function_info info, duckdb_aggregate_state *states,
		   duckdb_vector result, idx_t count, idx_t offset)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);
	uint64_t *numbers = f->api->duckdb_vector_get_data(result);

	for (size_t i = 0; i < count; i++) {
		const char *why =
			finish_one(f, (struct state *)states[i], &numbers[offset + i]);

		if (why) {
			f->api->duckdb_aggregate_function_set_error(info, why);
			return;
		}
	}
}

static enum sotto_status
register_owners(struct sotto_sum_function *f, duckdb_connection connection)
{
	const struct sotto_duckdb *api = f->api;
	duckdb_aggregate_function a = sotto_aggregate_new(api, "sotto_owners", f);
	duckdb_logical_type type = api->duckdb_create_logical_type(DUCKDB_TYPE_UBIGINT);
	duckdb_state state;

	sotto_aggregate_parameter(api, a, DUCKDB_TYPE_ANY);
	sotto_aggregate_parameter(api, a, DUCKDB_TYPE_ANY);
	api->duckdb_aggregate_function_set_return_type(a, type);
	api->duckdb_destroy_logical_type(&type);
	api->duckdb_aggregate_function_set_special_handling(a);
	api->duckdb_aggregate_function_set_functions(a, size_of, init, update, combine, finish);
	state = api->duckdb_register_aggregate_function(connection, a);
	api->duckdb_destroy_aggregate_function(&a);
	return state == DuckDBError ? SOTTO_EIO : SOTTO_OK;
}

/* ---- sotto_stored --------------------------------------------------------------------------- */

/* The name is a literal: this runs once, when the query is planned. */
static void stored(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	const struct sotto_sum_function *f = sotto_callback_of_scalar(info);
	const struct sotto_duckdb *api = f->api;
	duckdb_string_t *names =
		api->duckdb_vector_get_data(api->duckdb_data_chunk_get_vector(input, 0));
	uint64_t *numbers = api->duckdb_vector_get_data(output);

	for (size_t i = 0; i < api->duckdb_data_chunk_get_size(input); i++)
		if (sotto_owners_load(f->owners, api->duckdb_string_t_data(&names[i]),
				      api->duckdb_string_t_length(names[i]),
				      &numbers[i]) != SOTTO_OK) {
			api->duckdb_scalar_function_set_error(info, "this is not a map");
			return;
		}
}

/* ---- sotto_owner ---------------------------------------------------------------------------- */

/* Looks up the keys of a vector; present[i] is 0 where nobody has it. */
static bool look_up(const struct sotto_owner_map *m, const struct sotto_column_reader *keys,
		    size_t from, size_t count, int64_t *units, uint8_t *present)
{
	const struct sotto_owner_block *hint = NULL;
	bool all = true;

	sotto_column_read_exact(keys, from, count, units, present);
	sotto_owner_map_fetch(m, units, count);
	for (size_t i = 0; i < count; i++) {
		int64_t unit = 0;

		present[i] = present[i] && sotto_owner_map_find(m, units[i], &hint, &unit);
		units[i] = unit;
		all = all && present[i];
	}
	return all;
}

static void write_units(void *out, bool is_wide, const int64_t *units, size_t count)
{
	if (is_wide)
		for (size_t i = 0; i < count; i++)
			((int64_t *)out)[i] = units[i];
	else
		for (size_t i = 0; i < count; i++)
			((int32_t *)out)[i] = (int32_t)units[i];
}

static void mark_missing(const struct sotto_duckdb *api, duckdb_vector output, size_t from,
			 const uint8_t *present, size_t count)
{
	uint64_t *validity;

	api->duckdb_vector_ensure_validity_writable(output);
	validity = api->duckdb_vector_get_validity(output);
	for (size_t i = 0; i < count; i++)
		if (!present[i])
			api->duckdb_validity_set_row_invalid(validity, from + i);
}

static const char *owner(const struct sotto_sum_function *f, duckdb_data_chunk input,
			 duckdb_vector output, bool is_wide)
{
	const struct sotto_duckdb *api = f->api;
	const uint64_t *numbers =
		api->duckdb_vector_get_data(api->duckdb_data_chunk_get_vector(input, 1));
	size_t rows = api->duckdb_data_chunk_get_size(input);
	size_t width = is_wide ? sizeof(int64_t) : sizeof(int32_t);
	char *out = api->duckdb_vector_get_data(output);
	const struct sotto_owner_map *m =
		rows ? sotto_owners_find(f->owners, numbers[0]) : NULL;
	int64_t units[SOTTO_SUM_BLOCK];
	uint8_t present[SOTTO_SUM_BLOCK];
	struct sotto_column_reader keys;

	if (rows == 0)
		return NULL;
	if (!m || !sotto_column_open(api, api->duckdb_data_chunk_get_vector(input, 0), &keys) ||
	    !sotto_column_is_whole(&keys))
		return "there is no such map";
	for (size_t from = 0; from < rows; from += SOTTO_SUM_BLOCK) {
		size_t count = rows - from < SOTTO_SUM_BLOCK ? rows - from : SOTTO_SUM_BLOCK;

		if (!look_up(m, &keys, from, count, units, present))
			mark_missing(api, output, from, present, count);
		write_units(out + from * width, is_wide, units, count);
	}
	return NULL;
}

#define OWNER(name, is_wide)                                                                   \
	static void name(duckdb_function_info info, duckdb_data_chunk input,                   \
			 duckdb_vector output)                                                 \
	{                                                                                      \
		const struct sotto_sum_function *f = sotto_callback_of_scalar(info);           \
		const char *why = owner(f, input, output, is_wide);                            \
                                                                                               \
		if (why)                                                                       \
			f->api->duckdb_scalar_function_set_error(info, why);                   \
	}

OWNER(owner_4, false)
OWNER(owner_8, true)

/* As one that could change from row to row it is computed once: the engine moves no condition on
 * it to where it would have to be computed again. */
enum sotto_status
sotto_owners_register(struct sotto_sum_function *f, duckdb_connection connection)
{
	static const struct sotto_scalar scalars[] = {
		{.name = "sotto_stored",
		 .parameters = {DUCKDB_TYPE_VARCHAR},
		 .result = DUCKDB_TYPE_UBIGINT,
		 .count = 1,
		 .function = stored},
		{.name = "sotto_owner_4",
		 .parameters = {DUCKDB_TYPE_ANY, DUCKDB_TYPE_UBIGINT},
		 .result = DUCKDB_TYPE_INTEGER,
		 .count = 2,
		 .function = owner_4,
		 .takes_null = true,
		 .is_volatile = true},
		{.name = "sotto_owner_8",
		 .parameters = {DUCKDB_TYPE_ANY, DUCKDB_TYPE_UBIGINT},
		 .result = DUCKDB_TYPE_BIGINT,
		 .count = 2,
		 .function = owner_8,
		 .takes_null = true,
		 .is_volatile = true},
	};

	SOTTO_TRY(register_owners(f, connection));
	for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
		SOTTO_TRY(sotto_scalar_register(&scalars[i], f, connection));
	return SOTTO_OK;
}
