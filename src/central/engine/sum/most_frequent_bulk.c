/*
 * How often numbers occur (most_frequent.h).  Of 64 whole numbers that follow each other each is a
 * bit, set when it is seen; only what is seen again is counted in a table of its own.
 */
#include "central/engine/sum/most_frequent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/duckdb_callback.h"
#include "central/engine/sum/unit_table.h"

enum { BLOCK = 64, FIRST_SLOTS = 64 };

struct slot {
	uint64_t key;
	uint64_t value; /* 0: the slot is empty */
};

/* There are a power of two of slots; at most half of them are used. */
struct table {
	struct slot *slots;
	size_t size, used;
};

struct numbers {
	struct table seen; /* blocks, and which of their numbers there are */
	struct table again; /* numbers, and how often they came after the first time */
};

struct state {
	struct numbers *numbers; /* NULL: none yet */
};

/* ---- tables --------------------------------------------------------------------------------- */

static struct slot *find(const struct table *t, uint64_t key)
{
	size_t mask = t->size - 1, i = sotto_unit_mixed(key) & mask;

	while (t->slots[i].value != 0 && t->slots[i].key != key)
		i = (i + 1) & mask;
	return &t->slots[i];
}

static bool grow(struct table *t)
{
	struct table larger = {.size = t->size ? 2 * t->size : FIRST_SLOTS, .used = t->used};

	larger.slots = calloc(larger.size, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < t->size; i++)
		if (t->slots[i].value != 0)
			*find(&larger, t->slots[i].key) = t->slots[i];
	free(t->slots);
	*t = larger;
	return true;
}

/* The slot of a key, whose value the caller sets if it is 0.  NULL without memory. */
static struct slot *take(struct table *t, uint64_t key)
{
	struct slot *s;

	if (2 * (t->used + 1) > t->size && !grow(t))
		return NULL;
	s = find(t, key);
	t->used += s->value == 0;
	s->key = key;
	return s;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static bool count_again(struct numbers *n, uint64_t key, uint64_t times)
{
	struct slot *s = take(&n->again, key);

	if (s)
		s->value += times;
	return s != NULL;
}

/* The numbers of a block whose bits are set, each once more. */
static bool see(struct numbers *n, uint64_t block, uint64_t bits)
{
	struct slot *s = take(&n->seen, block);
	uint64_t twice;

	if (!s)
		return false;
	twice = s->value & bits;
	s->value |= bits;
	for (; twice; twice &= twice - 1)
		if (!count_again(n, block * BLOCK + (uint64_t)__builtin_ctzll(twice), 1))
			return false;
	return true;
}

/*
 * Whole numbers are their own keys.  Others have their bits, which could be those of a whole
 * number only where they are next to 0: the two then count together, so that the answer is never
 * too small.
 */
static uint64_t key_of(double x)
{
	uint64_t bits;

	if (x >= -0x1p53 && x <= 0x1p53 && x == (double)(int64_t)x)
		return (uint64_t)(int64_t)x;
	if (isnan(x))
		x = (double)NAN;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static bool merge(struct numbers *to, const struct numbers *from)
{
	for (size_t i = 0; i < from->seen.size; i++) {
		const struct slot *s = &from->seen.slots[i];

		if (s->value != 0 && !see(to, s->key, s->value))
			return false;
	}
	for (size_t i = 0; i < from->again.size; i++) {
		const struct slot *s = &from->again.slots[i];

		if (s->value != 0 && !count_again(to, s->key, s->value))
			return false;
	}
	return true;
}

static int64_t most_of(const struct numbers *n)
{
	uint64_t most = 0;

	for (size_t i = 0; i < n->again.size; i++)
		if (n->again.slots[i].value > most)
			most = n->again.slots[i].value;
	return (int64_t)most + (n->seen.used > 0);
}

static void drop(struct numbers *n)
{
	if (!n)
		return;
	free(n->seen.slots);
	free(n->again.slots);
	free(n);
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

		drop(s->numbers);
		s->numbers = NULL;
	}
}

static bool add(struct state *s, double x)
{
	uint64_t key = key_of(x);

	if (!s->numbers && !(s->numbers = calloc(1, sizeof *s->numbers)))
		return false;
	return see(s->numbers, key / BLOCK, (uint64_t)1 << key % BLOCK);
}

static void
update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state *states)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);
	duckdb_vector vector = f->api->duckdb_data_chunk_get_vector(chunk, 0);
	const double *values = f->api->duckdb_vector_get_data(vector);
	const uint64_t *validity = f->api->duckdb_vector_get_validity(vector);
	size_t rows = f->api->duckdb_data_chunk_get_size(chunk);

	for (size_t i = 0; i < rows; i++) {
		if (validity && !(validity[i / 64] >> i % 64 & 1))
			continue;
		if (!add((struct state *)states[i], values[i])) {
			f->api->duckdb_aggregate_function_set_error(info, "out of memory");
			return;
		}
	}
}

static void combine(duckdb_function_info info, duckdb_aggregate_state *sources,
		    duckdb_aggregate_state *targets, idx_t count)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);

	for (size_t i = 0; i < count; i++) {
		struct state *from = (struct state *)sources[i],
			     *to = (struct state *)targets[i];

		if (!from->numbers)
			continue;
		if (!to->numbers) {
			*to = *from;
			*from = (struct state){0};
		} else if (!merge(to->numbers, from->numbers)) {
			f->api->duckdb_aggregate_function_set_error(info, "out of memory");
			return;
		}
	}
}

static void finish(duckdb_function_info info, duckdb_aggregate_state *states,
		   duckdb_vector result, idx_t count, idx_t offset)
{
	const struct sotto_sum_function *f = sotto_callback_of_aggregate(info);
	int64_t *out = f->api->duckdb_vector_get_data(result);

	for (size_t i = 0; i < count; i++) {
		const struct numbers *n = ((const struct state *)states[i])->numbers;

		out[offset + i] = n ? most_of(n) : 0;
	}
}

enum sotto_status
sotto_most_register(struct sotto_sum_function *f, duckdb_connection connection)
{
	const struct sotto_duckdb *api = f->api;
	duckdb_aggregate_function a = sotto_aggregate_new(api, "sotto_most", f);
	duckdb_logical_type type = api->duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
	duckdb_state state;

	sotto_aggregate_parameter(api, a, DUCKDB_TYPE_DOUBLE);
	api->duckdb_aggregate_function_set_return_type(a, type);
	api->duckdb_destroy_logical_type(&type);
	api->duckdb_aggregate_function_set_special_handling(a);
	api->duckdb_aggregate_function_set_functions(a, size_of, init, update, combine, finish);
	api->duckdb_aggregate_function_set_destructor(a, destroy);
	state = api->duckdb_register_aggregate_function(connection, a);
	api->duckdb_destroy_aggregate_function(&a);
	return state == DuckDBError ? SOTTO_EIO : SOTTO_OK;
}
