/* Which unit a key belongs to (owner_map.h): a table of blocks, each with the units of its keys. */
#include "central/engine/sum/owner_map.h"

#include <stdlib.h>

#include "central/engine/sum/owner_block.h"
#include "central/engine/sum/unit_table.h"

enum { BLOCK = SOTTO_OWNER_BLOCK, FIRST_SLOTS = 64 };
enum { NEIGHBOURS = 8 }; /* blocks that follow each other and have slots beside each other */

/* There are a power of two of slots; at most half of them are used. */
struct sotto_owner_map {
	struct sotto_owner_block **slots; /* NULL: empty */
	size_t size, used;
	struct sotto_owner_memory memory;
	struct sotto_owner_block **last; /* that a key was added to */
	uint64_t seed; /* nobody can choose keys that are hard to tell apart */
	bool is_broken;
};

struct sotto_owner_map *sotto_owner_map_new(uint64_t seed)
{
	struct sotto_owner_map *m = calloc(1, sizeof *m);

	if (m)
		m->seed = seed;
	return m;
}

static void drop(struct sotto_owner_map *m)
{
	sotto_owner_memory_free(&m->memory);
	free(m->slots);
	*m = (struct sotto_owner_map){.seed = m->seed, .is_broken = m->is_broken};
}

void sotto_owner_map_free(struct sotto_owner_map *m)
{
	if (!m)
		return;
	drop(m);
	free(m);
}

/* ---- slots ---------------------------------------------------------------------------------- */

static size_t home_of(const struct sotto_owner_map *m, uint64_t number)
{
	return (sotto_unit_mixed(number / NEIGHBOURS ^ m->seed) * NEIGHBOURS +
		number % NEIGHBOURS) &
	       (m->size - 1);
}

static struct sotto_owner_block **find_slot(const struct sotto_owner_map *m, uint64_t number)
{
	size_t mask = m->size - 1, i = home_of(m, number);

	while (m->slots[i] && m->slots[i]->number != number)
		i = (i + 1) & mask;
	return &m->slots[i];
}

static bool grow(struct sotto_owner_map *m)
{
	struct sotto_owner_map larger = {.size = m->size ? 2 * m->size : FIRST_SLOTS,
					 .seed = m->seed};

	larger.slots = calloc(larger.size, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < m->size; i++)
		if (m->slots[i])
			*find_slot(&larger, m->slots[i]->number) = m->slots[i];
	free(m->slots);
	m->slots = larger.slots;
	m->size = larger.size;
	m->last = NULL;
	return true;
}

/* The slot of a block, which may be empty; NULL without memory. */
static struct sotto_owner_block **slot_of(struct sotto_owner_map *m, uint64_t number)
{
	if (m->last && *m->last && (*m->last)->number == number)
		return m->last;
	if (2 * (m->used + 1) > m->size && !grow(m))
		return NULL;
	m->last = find_slot(m, number);
	return m->last;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Room for so many more keys, of which some may be there, with such units. */
static struct sotto_owner_block *make_room(struct sotto_owner_map *m,
					   struct sotto_owner_block **slot, uint64_t number,
					   uint32_t more, bool is_wide)
{
	struct sotto_owner_block *b = *slot, *larger;
	uint32_t size = sotto_owner_size(more + (b ? b->count : 0));

	if (b && (size <= b->size || sotto_owner_is_whole(b)) && is_wide <= b->is_wide)
		return b;
	larger = sotto_owner_block_new(&m->memory, number, b && b->size > size ? b->size : size,
				       is_wide || (b && b->is_wide));
	if (!larger)
		return NULL;
	if (b) {
		sotto_owner_block_copy(larger, b);
		sotto_owner_block_give_back(&m->memory, b);
	}
	m->used += !b;
	*slot = larger;
	return larger;
}

/* There is room for it in the order of its block. */
static void
put(struct sotto_owner_map *m, struct sotto_owner_block *b, uint64_t bit, int64_t unit)
{
	uint32_t place = sotto_owner_place(b, bit);

	if (b->bits & bit) {
		m->is_broken = true;
		return;
	}
	for (uint32_t i = b->count; i > place; i--)
		sotto_owner_set_unit(b, i, sotto_owner_unit(b, i - 1));
	sotto_owner_set_unit(b, place, unit);
	b->bits |= bit;
	b->count++;
}

/* Keys of one block, one behind the other. */
struct run {
	const int64_t *keys, *units;
	size_t count;
	bool has_no_gap; /* each key is the one before and 1 */
};

/* The last one tells most of those that have gaps. */
static bool has_no_gap(const int64_t *keys, size_t count)
{
	uint64_t first = (uint64_t)keys[0], any = 0;

	if ((uint64_t)keys[count - 1] - first != count - 1)
		return false;
	for (size_t i = 0; i < count; i++)
		any |= ((uint64_t)keys[i] - i) ^ first;
	return any == 0;
}

/* Keys that follow each other are in one block more often than not. */
static struct run first_run(const int64_t *keys, const int64_t *units, size_t count)
{
	uint64_t number = (uint64_t)keys[0] / BLOCK, left = BLOCK - (uint64_t)keys[0] % BLOCK;
	struct run r = {keys, units, count < left ? count : left, true};

	if (has_no_gap(keys, r.count))
		return r;
	r.has_no_gap = false;
	r.count = 1;
	while (r.count < count && r.count < BLOCK && (uint64_t)keys[r.count] / BLOCK == number)
		r.count++;
	return r;
}

static bool are_wide(const int64_t *units, size_t count)
{
	int64_t any = 0;

	for (size_t i = 0; i < count; i++)
		any |= units[i] ^ (int64_t)(int32_t)units[i];
	return any != 0;
}

/* A whole block: no order has to be kept.  What keys were there already. */
#define PUT_ALL(name, type, units_of)                                                          \
	static uint64_t name(struct sotto_owner_block *b, const struct run *r)                 \
	{                                                                                      \
		type *restrict to = units_of(b);                                               \
		uint64_t bits = b->bits, twice = 0;                                            \
                                                                                               \
		for (size_t i = 0; i < r->count; i++) {                                        \
			uint64_t place = (uint64_t)r->keys[i] % BLOCK,                         \
				 bit = (uint64_t)1 << place;                                   \
                                                                                               \
			twice |= bits & bit;                                                   \
			bits |= bit;                                                           \
			to[place] = (type)r->units[i];                                         \
		}                                                                              \
		b->bits = bits;                                                                \
		return twice;                                                                  \
	}

PUT_ALL(put_all_narrow, int32_t, sotto_owner_narrow)
PUT_ALL(put_all_wide, int64_t, sotto_owner_wide)

/* The same of keys without a gap. */
#define PUT_ROW(name, type, units_of)                                                          \
	static uint64_t name(struct sotto_owner_block *b, const struct run *r)                 \
	{                                                                                      \
		uint64_t place = (uint64_t)r->keys[0] % BLOCK,                                 \
			 bits = ~(uint64_t)0 >> (BLOCK - r->count) << place,                   \
			 twice = b->bits & bits;                                               \
		type *restrict to = units_of(b) + place;                                       \
                                                                                               \
		for (size_t i = 0; i < r->count; i++)                                          \
			to[i] = (type)r->units[i];                                             \
		b->bits |= bits;                                                               \
		return twice;                                                                  \
	}

PUT_ROW(put_row_narrow, int32_t, sotto_owner_narrow)
PUT_ROW(put_row_wide, int64_t, sotto_owner_wide)

static void put_run(struct sotto_owner_map *m, struct sotto_owner_block *b, const struct run *r)
{
	uint64_t twice = 0;

	if (sotto_owner_is_whole(b) && r->has_no_gap)
		twice = b->is_wide ? put_row_wide(b, r) : put_row_narrow(b, r);
	else if (sotto_owner_is_whole(b))
		twice = b->is_wide ? put_all_wide(b, r) : put_all_narrow(b, r);
	else
		for (size_t i = 0; i < r->count; i++)
			put(m, b, (uint64_t)1 << (uint64_t)r->keys[i] % BLOCK, r->units[i]);
	m->is_broken = m->is_broken || twice;
}

bool sotto_owner_map_add(struct sotto_owner_map *m, const int64_t *keys, const int64_t *units,
			 size_t count)
{
	for (size_t i = 0; i < count;) {
		uint64_t number = (uint64_t)keys[i] / BLOCK;
		struct run r = first_run(keys + i, units + i, count - i);
		struct sotto_owner_block **slot = slot_of(m, number), *b;

		b = slot ? make_room(m, slot, number, (uint32_t)r.count,
				     are_wide(r.units, r.count))
			 : NULL;
		if (!b)
			return false;
		put_run(m, b, &r);
		i += r.count;
	}
	return true;
}

/* ---- two maps ------------------------------------------------------------------------------- */

static bool add_block(struct sotto_owner_map *to, const struct sotto_owner_block *x)
{
	int64_t keys[BLOCK], units[BLOCK];
	size_t n = 0;

	for (uint64_t left = x->bits; left; left &= left - 1) {
		uint64_t bit = left & -left;

		keys[n] = (int64_t)(x->number * BLOCK + (uint64_t)__builtin_ctzll(bit));
		units[n++] = sotto_owner_unit(x, sotto_owner_place(x, bit));
	}
	return sotto_owner_map_add(to, keys, units, n);
}

/* Blocks that only one of them has stay where they are: their memory goes over with them. */
static bool take_blocks(struct sotto_owner_map *to, const struct sotto_owner_map *from)
{
	for (size_t i = 0; i < from->size; i++) {
		struct sotto_owner_block *x = from->slots[i],
					 **slot = x ? slot_of(to, x->number) : NULL;

		if (!x)
			continue;
		if (!slot || (*slot && !add_block(to, x)))
			return false;
		if (!*slot) {
			*slot = x;
			to->used++;
		}
	}
	return true;
}

bool sotto_owner_map_merge(struct sotto_owner_map *to, struct sotto_owner_map *from)
{
	bool done = take_blocks(to, from);

	sotto_owner_memory_move(&to->memory, &from->memory);
	to->is_broken = to->is_broken || from->is_broken;
	drop(from);
	return done;
}

bool sotto_owner_map_is_broken(const struct sotto_owner_map *m)
{
	return m->is_broken;
}

/* ---- looking up ----------------------------------------------------------------------------- */

bool sotto_owner_map_find(const struct sotto_owner_map *m, int64_t key,
			  const struct sotto_owner_block **hint, int64_t *unit)
{
	uint64_t number = (uint64_t)key / BLOCK, bit = (uint64_t)1 << (uint64_t)key % BLOCK;
	const struct sotto_owner_block *b = *hint;

	if (m->size == 0)
		return false;
	if (!b || b->number != number)
		*hint = b = *find_slot(m, number);
	if (!b || !(b->bits & bit))
		return false;
	*unit = sotto_owner_unit(b, sotto_owner_place(b, bit));
	return true;
}

/* Fewer blocks than this come by themselves. */
enum { FEW_BLOCKS = 8 };

/* Where the unit of a key would be if its block is whole; elsewhere it is beside the head. */
static void fetch_unit(const struct sotto_owner_block *b, uint64_t place)
{
	__builtin_prefetch(b);
	__builtin_prefetch((const char *)(b + 1) + place * sizeof(int32_t));
}

void sotto_owner_map_fetch(const struct sotto_owner_map *m, const int64_t *keys, size_t count)
{
	uint64_t first = (uint64_t)keys[0] / BLOCK, last = (uint64_t)keys[count - 1] / BLOCK;

	if (m->size == 0 || last - first + FEW_BLOCKS <= 2 * FEW_BLOCKS)
		return;
	for (size_t i = 0; i < count; i++)
		__builtin_prefetch(&m->slots[home_of(m, (uint64_t)keys[i] / BLOCK)]);
	for (size_t i = 0; i < count; i++) {
		const struct sotto_owner_block *b =
			m->slots[home_of(m, (uint64_t)keys[i] / BLOCK)];

		if (b)
			fetch_unit(b, (uint64_t)keys[i] % BLOCK);
	}
}

/* ---- as a whole ----------------------------------------------------------------------------- */

struct sotto_owner_slots sotto_owner_map_slots(const struct sotto_owner_map *m)
{
	return (struct sotto_owner_slots){m->slots, m->size, m->used, m->seed};
}

struct sotto_owner_map *sotto_owner_map_of(const struct sotto_owner_slots *slots)
{
	struct sotto_owner_map *m = sotto_owner_map_new(slots->seed);

	if (m) {
		m->slots = slots->items;
		m->size = slots->size;
		m->used = slots->used;
	}
	return m;
}
