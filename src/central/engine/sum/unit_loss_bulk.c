/*
 * What the limits lost, over all units (src/central/plan/price/loss_vector.md):
 *
 *	sotto_units(hash, place, read, clipped, G, M)
 *
 * is given a row for each unit and group: a hash of the unit, the group's place among its
 * unit's from 1 on, or 0 where no unit is in more than G, how many rows are read and whether
 * one is clipped.  It tells units apart in tables of its own: 8 bytes for each unit, unless
 * places say how many units there are, and 24 for those that lost something.  That spares the
 * engine a second table of all pairs.
 *
 * Units are told apart by a hash of 64 bits.  Two with one hash would be taken for one: every
 * number then still is a sum over hashes of a function between 0 and the same bound, so taking
 * one unit away moves it by no more than that.  Nothing here depends on the order of rows.
 */
#include <stdlib.h>
#include <string.h>

#include "central/engine/duckdb_callback.h"
#include "central/engine/sum/sum_function.h"
#include "central/engine/sum/unit_loss.h"
#include "core/base/failure.h"

enum { FIRST_SLOTS = 64, AHEAD = 64 };

enum { LOST_ROWS = 1, WAS_CLIPPED = 2 };

/* One that lost something.  Numbers of rows stop at 2^62. */
struct loser {
	uint64_t hash; /* 0: the slot is empty */
	uint64_t lost, flags;
};

/* There are a power of two of slots; at most half of them are used. */
struct seen {
	uint64_t *slots;
	size_t size, used;
};

struct losers {
	struct loser *slots;
	size_t size, used;
};

struct table {
	uint64_t groups, rows; /* G and M */
	struct seen seen;
	struct losers losers;
	uint64_t units, of_groups, pairs, pairs_kept; /* by places */
	uint64_t rows_kept;
};

struct state {
	struct table *table; /* NULL: no row yet */
};

/* ---- units ---------------------------------------------------------------------------------- */

static uint64_t *find_seen(const struct seen *t, uint64_t hash)
{
	size_t mask = t->size - 1, i = hash & mask;

	while (t->slots[i] != hash && t->slots[i] != 0)
		i = (i + 1) & mask;
	return &t->slots[i];
}

static bool grow_seen(struct seen *t)
{
	struct seen larger = {.size = t->size ? 2 * t->size : FIRST_SLOTS, .used = t->used};

	larger.slots = calloc(larger.size, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < t->size; i++)
		if (t->slots[i] != 0)
			*find_seen(&larger, t->slots[i]) = t->slots[i];
	free(t->slots);
	*t = larger;
	return true;
}

/* False without memory. */
static bool see(struct seen *t, uint64_t hash)
{
	uint64_t *slot;

	if (2 * (t->used + 1) > t->size && !grow_seen(t))
		return false;
	slot = find_seen(t, hash);
	t->used += *slot == 0;
	*slot = hash;
	return true;
}

/* ---- those that lost something ---------------------------------------------------------- */

static struct loser *find_loser(const struct losers *t, uint64_t hash)
{
	size_t mask = t->size - 1, i = hash & mask;

	while (t->slots[i].hash != hash && t->slots[i].hash != 0)
		i = (i + 1) & mask;
	return &t->slots[i];
}

static bool grow_losers(struct losers *t)
{
	struct losers larger = {.size = t->size ? 2 * t->size : FIRST_SLOTS, .used = t->used};

	larger.slots = calloc(larger.size, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < t->size; i++)
		if (t->slots[i].hash != 0)
			*find_loser(&larger, t->slots[i].hash) = t->slots[i];
	free(t->slots);
	*t = larger;
	return true;
}

static uint64_t added(uint64_t x, uint64_t y)
{
	const uint64_t most = UINT64_C(1) << 61;

	return (x > most ? most : x) + (y > most ? most : y);
}

/* False without memory. */
static bool lose(struct losers *t, uint64_t hash, uint64_t lost, uint64_t flags)
{
	struct loser *u;

	if (2 * (t->used + 1) > t->size && !grow_losers(t))
		return false;
	u = find_loser(t, hash);
	t->used += u->hash == 0;
	u->hash = hash;
	u->lost = added(u->lost, lost);
	u->flags |= flags;
	return true;
}

/* ---- one unit in one group ------------------------------------------------------------------ */

/* A unit has more than G groups if one is at place G + 1; lost ones count up to 2 G. */
static void count_place(struct table *t, uint64_t place)
{
	t->units += place == 1;
	t->of_groups += place == t->groups + 1;
	t->pairs += place > t->groups && place - t->groups <= 2 * t->groups;
	t->pairs_kept += place <= t->groups;
}

/* A kept group has at most M rows and a unit keeps at most G, so what is kept needs no cap. */
static bool add_pair(struct table *t, uint64_t hash, uint64_t place, int64_t read, bool clipped)
{
	uint64_t n = read > 0 ? (uint64_t)read : 0;
	uint64_t lost = n > t->rows ? n - t->rows : 0;

	if (place > 0)
		count_place(t, place);
	else if (!see(&t->seen, hash))
		return false;
	if (place > t->groups)
		return lose(&t->losers, hash, n, 0);
	t->rows_kept += n - lost;
	if (lost == 0 && !clipped)
		return true;
	return lose(&t->losers, hash, lost,
		    (lost ? LOST_ROWS : 0) | (clipped ? WAS_CLIPPED : 0));
}

static bool merge(struct table *to, const struct table *from)
{
	for (size_t i = 0; i < from->seen.size; i++)
		if (from->seen.slots[i] != 0 && !see(&to->seen, from->seen.slots[i]))
			return false;
	for (size_t i = 0; i < from->losers.size; i++) {
		const struct loser *x = &from->losers.slots[i];

		if (x->hash != 0 && !lose(&to->losers, x->hash, x->lost, x->flags))
			return false;
	}
	to->units += from->units;
	to->of_groups += from->of_groups;
	to->pairs += from->pairs;
	to->pairs_kept += from->pairs_kept;
	to->rows_kept += from->rows_kept;
	return true;
}

/* ---- the engine's calls ----------------------------------------------------------------- */

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

		if (s->table) {
			free(s->table->seen.slots);
			free(s->table->losers.slots);
		}
		free(s->table);
		s->table = NULL;
	}
}

static struct table *table_of(struct state *s, uint64_t groups, uint64_t rows)
{
	if (!s->table && (s->table = calloc(1, sizeof *s->table))) {
		s->table->groups = groups;
		s->table->rows = rows;
	}
	return s->table;
}

enum { IN_HASH, IN_PLACE, IN_READ, IN_CLIPPED, IN_GROUPS, IN_ROWS, IN_COUNT };

/* Slots are fetched ahead: they lie anywhere. */
static void fetch(const struct seen *t, const uint64_t *hashes, size_t count)
{
	for (size_t i = 0; t->size && i < count; i++)
		__builtin_prefetch(&t->slots[sotto_unit_mixed(hashes[i]) & (t->size - 1)], 1);
}

static bool add_row(struct state *s, const int64_t *const in[IN_COUNT], size_t i, size_t count)
{
	const uint64_t *hashes = (const uint64_t *)in[IN_HASH];
	struct table *t = table_of(s, (uint64_t)in[IN_GROUPS][i], (uint64_t)in[IN_ROWS][i]);
	uint64_t hash = sotto_unit_mixed(hashes[i]);

	if (!t)
		return false;
	if (i % AHEAD == 0)
		fetch(&t->seen, hashes + i, count - i < AHEAD ? count - i : AHEAD);
	return add_pair(t, hash ? hash : 1, (uint64_t)in[IN_PLACE][i], in[IN_READ][i],
			in[IN_CLIPPED][i] > 0);
}

static void
update(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state *states)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);
	const struct sotto_duckdb *api = f->api;
	size_t count = api->duckdb_data_chunk_get_size(input);
	const int64_t *in[IN_COUNT];

	for (size_t i = 0; i < IN_COUNT; i++)
		in[i] = api->duckdb_vector_get_data(
			api->duckdb_data_chunk_get_vector(input, i));
	for (size_t i = 0; i < count; i++)
		if (!add_row((struct state *)states[i], in, i, count)) {
			api->duckdb_aggregate_function_set_error(info, "out of memory");
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
		} else if (!merge(to->table, from->table)) {
			f->api->duckdb_aggregate_function_set_error(info, "out of memory");
			return;
		}
	}
}

/* ---- results -------------------------------------------------------------------------------- */

/* In the order of enum sotto_loss_kind. */
enum {
	OUT_UNITS,
	OUT_OF_ROWS,
	OUT_OF_GROUPS,
	OUT_CLIPPED,
	OUT_ROWS,
	OUT_ROWS_KEPT,
	OUT_PAIRS,
	OUT_PAIRS_KEPT,
	OUT_COUNT
};

static const char *const names[OUT_COUNT] = {"units", "of_rows",   "of_groups", "clipped",
					     "rows",  "rows_kept", "pairs",     "pairs_kept"};

static void add_up(const struct table *t, int64_t sums[OUT_COUNT])
{
	uint64_t most = 2 * t->groups * t->rows;

	sums[OUT_UNITS] = (int64_t)(t->units + t->seen.used);
	sums[OUT_OF_GROUPS] = (int64_t)t->of_groups;
	sums[OUT_PAIRS] = (int64_t)t->pairs;
	sums[OUT_PAIRS_KEPT] = (int64_t)t->pairs_kept;
	sums[OUT_ROWS_KEPT] = (int64_t)t->rows_kept;
	for (size_t i = 0; i < t->losers.size; i++) {
		const struct loser *u = &t->losers.slots[i];

		if (u->hash == 0)
			continue;
		sums[OUT_OF_ROWS] += (u->flags & LOST_ROWS) != 0;
		sums[OUT_CLIPPED] += (u->flags & WAS_CLIPPED) != 0;
		sums[OUT_ROWS] += (int64_t)(u->lost < most ? u->lost : most);
	}
}

static void finish(duckdb_function_info info, duckdb_aggregate_state *states,
		   duckdb_vector result, idx_t count, idx_t offset)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);
	const struct sotto_duckdb *api = f->api;

	for (size_t i = 0; i < count; i++) {
		const struct table *t = ((const struct state *)states[i])->table;
		int64_t sums[OUT_COUNT] = {0};

		if (t)
			add_up(t, sums);
		for (size_t j = 0; j < OUT_COUNT; j++)
			((int64_t *)api->duckdb_vector_get_data(
				api->duckdb_struct_vector_get_child(result, j)))[offset + i] =
				sums[j];
	}
}

enum sotto_status
sotto_units_register(struct sotto_sum_function *f, duckdb_connection connection)
{
	const struct sotto_duckdb *api = f->api;
	duckdb_aggregate_function a = sotto_aggregate_new(api, "sotto_units", f);
	duckdb_logical_type type, types[OUT_COUNT];
	duckdb_state state;

	sotto_aggregate_parameter(api, a, DUCKDB_TYPE_UBIGINT);
	for (size_t i = 1; i < IN_COUNT; i++)
		sotto_aggregate_parameter(api, a, DUCKDB_TYPE_BIGINT);
	for (size_t i = 0; i < OUT_COUNT; i++)
		types[i] = api->duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
	type = api->duckdb_create_struct_type(types, (const char **)(uintptr_t)names,
					      OUT_COUNT);
	for (size_t i = 0; i < OUT_COUNT; i++)
		api->duckdb_destroy_logical_type(&types[i]);
	api->duckdb_aggregate_function_set_return_type(a, type);
	api->duckdb_destroy_logical_type(&type);
	api->duckdb_aggregate_function_set_functions(a, size_of, init, update, combine, finish);
	api->duckdb_aggregate_function_set_destructor(a, destroy);
	api->duckdb_aggregate_function_set_special_handling(a);
	state = api->duckdb_register_aggregate_function(connection, a);
	api->duckdb_destroy_aggregate_function(&a);
	return state == DuckDBError ? SOTTO_EIO : SOTTO_OK;
}
