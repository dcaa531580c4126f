/* Which unit a key belongs to (owner_map.h): a table of blocks, each with the units of its keys. */
#include "central/engine/sum/owner_map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "central/engine/sum/unit_table.h"

enum { BLOCK = 64, FIRST_SLOTS = 64, SIZES = 3, SLAB = 4 << 20, FIRST_SLAB = 1 << 16 };

/* Up to so many units lie in their order; a whole block has a place for each key. */
static const uint32_t room[SIZES] = {4, 16, BLOCK};

struct sotto_owner_block {
	uint64_t number; /* of its keys, without their last 6 bits */
	uint64_t bits; /* which keys there are; 0: the slot is empty */
	int64_t *units;
	uint32_t count, size; /* room[size] */
};

/* Memory that is given back all at once. */
struct slab {
	struct slab *next;
	size_t size; /* of all of it, in bytes */
	size_t used, most; /* units */
	int64_t units[];
};

/* There are a power of two of slots; at most half of them are used. */
struct sotto_owner_map {
	struct sotto_owner_block *slots;
	size_t size, used;
	struct slab *slabs;
	int64_t *spare[SIZES]; /* outgrown ones, each with the address of the next */
	struct sotto_owner_block *last; /* that a key was added to */
	uint64_t seed; /* nobody can choose keys that are hard to tell apart */
	bool is_broken;
};

/* ---- memory --------------------------------------------------------------------------------- */

/* Large ones in large pages: to get many small pages takes as long as to fill them. */
static struct slab *slab_new(size_t size)
{
	struct slab *s;

	if (size < SLAB)
		return malloc(size);
	s = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return NULL;
	(void)madvise(s, size, MADV_HUGEPAGE);
	return s;
}

static void slab_free(struct slab *s)
{
	if (s->size < SLAB)
		free(s);
	else
		(void)munmap(s, s->size);
}

static bool more_units(struct sotto_owner_map *m)
{
	size_t size = m->slabs ? SLAB : FIRST_SLAB;
	struct slab *s = slab_new(size);

	if (!s)
		return false;
	s->next = m->slabs;
	s->size = size;
	s->used = 0;
	s->most = (size - sizeof *s) / sizeof s->units[0];
	m->slabs = s;
	return true;
}

static int64_t *take_units(struct sotto_owner_map *m, uint32_t size)
{
	int64_t *taken = m->spare[size];

	if (taken) {
		memcpy(&m->spare[size], taken, sizeof(int64_t *));
		return taken;
	}
	if ((!m->slabs || m->slabs->most - m->slabs->used < room[size]) && !more_units(m))
		return NULL;
	taken = m->slabs->units + m->slabs->used;
	m->slabs->used += room[size];
	return taken;
}

static void give_back(struct sotto_owner_map *m, int64_t *units, uint32_t size)
{
	memcpy(units, &m->spare[size], sizeof(int64_t *));
	m->spare[size] = units;
}

struct sotto_owner_map *sotto_owner_map_new(uint64_t seed)
{
	struct sotto_owner_map *m = calloc(1, sizeof *m);

	if (m)
		m->seed = seed;
	return m;
}

static void drop(struct sotto_owner_map *m)
{
	while (m->slabs) {
		struct slab *first = m->slabs;

		m->slabs = first->next;
		slab_free(first);
	}
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

/* ---- blocks --------------------------------------------------------------------------------- */

static struct sotto_owner_block *find_slot(const struct sotto_owner_map *m, uint64_t number)
{
	size_t mask = m->size - 1, i = sotto_unit_mixed(number ^ m->seed) & mask;

	while (m->slots[i].bits != 0 && m->slots[i].number != number)
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
		if (m->slots[i].bits != 0)
			*find_slot(&larger, m->slots[i].number) = m->slots[i];
	free(m->slots);
	m->slots = larger.slots;
	m->size = larger.size;
	m->last = NULL;
	return true;
}

/* The block of a number, which may be empty; NULL without memory. */
static struct sotto_owner_block *block_of(struct sotto_owner_map *m, uint64_t number)
{
	if (m->last && m->last->number == number)
		return m->last;
	if (2 * (m->used + 1) > m->size && !grow(m))
		return NULL;
	m->last = find_slot(m, number);
	return m->last;
}

static uint32_t place_of(const struct sotto_owner_block *b, uint64_t bit)
{
	return b->size == SIZES - 1 ? (uint32_t)__builtin_ctzll(bit)
				    : (uint32_t)__builtin_popcountll(b->bits & (bit - 1));
}

/* Its units in the next larger room. */
static bool widen(struct sotto_owner_map *m, struct sotto_owner_block *b)
{
	uint32_t size = b->size + 1, from = 0;
	int64_t *units = take_units(m, size);

	if (!units)
		return false;
	if (size < SIZES - 1)
		memcpy(units, b->units, b->count * sizeof *units);
	for (uint64_t left = b->bits; size == SIZES - 1 && left; left &= left - 1)
		units[__builtin_ctzll(left)] = b->units[from++];
	give_back(m, b->units, b->size);
	b->units = units;
	b->size = size;
	return true;
}

/* Room for so many more keys, of which some may be there. */
static bool make_room(struct sotto_owner_map *m, struct sotto_owner_block *b, uint64_t number,
		      uint32_t more)
{
	if (b->bits == 0) {
		uint32_t size = more > room[1] ? 2 : more > room[0];

		*b = (struct sotto_owner_block){
			.number = number, .units = take_units(m, size), .size = size};
		m->used += b->units != NULL;
		return b->units != NULL;
	}
	while (b->size < SIZES - 1 && b->count + more > room[b->size])
		if (!widen(m, b))
			return false;
	return true;
}

/* There is room for it. */
static void
put(struct sotto_owner_map *m, struct sotto_owner_block *b, uint64_t bit, int64_t unit)
{
	uint32_t place = place_of(b, bit);

	if (b->bits & bit) {
		m->is_broken = true;
		return;
	}
	if (b->size < SIZES - 1)
		memmove(b->units + place + 1, b->units + place,
			(b->count - place) * sizeof *b->units);
	b->units[place] = unit;
	b->bits |= bit;
	b->count++;
}

/* Keys that follow each other are in one block more often than not. */
static size_t in_one_block(const int64_t *keys, size_t count)
{
	uint64_t number = (uint64_t)keys[0] / BLOCK;
	size_t n = 1;

	while (n < count && n < BLOCK && (uint64_t)keys[n] / BLOCK == number)
		n++;
	return n;
}

/* A whole block: no order has to be kept. */
static void put_all(struct sotto_owner_map *m, struct sotto_owner_block *b, const int64_t *keys,
		    const int64_t *units, size_t count)
{
	uint64_t bits = b->bits, twice = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t place = (uint64_t)keys[i] % BLOCK, bit = (uint64_t)1 << place;

		twice |= bits & bit;
		bits |= bit;
		b->units[place] = units[i];
	}
	b->bits = bits;
	m->is_broken = m->is_broken || twice;
}

bool sotto_owner_map_add(struct sotto_owner_map *m, const int64_t *keys, const int64_t *units,
			 size_t count)
{
	for (size_t i = 0, n; i < count; i += n) {
		uint64_t number = (uint64_t)keys[i] / BLOCK;
		struct sotto_owner_block *b = block_of(m, number);

		n = in_one_block(keys + i, count - i);
		if (!b || !make_room(m, b, number, (uint32_t)n)) {
			m->last = NULL;
			return false;
		}
		if (b->size == SIZES - 1)
			put_all(m, b, keys + i, units + i, n);
		for (size_t j = i; b->size < SIZES - 1 && j < i + n; j++)
			put(m, b, (uint64_t)1 << (uint64_t)keys[j] % BLOCK, units[j]);
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
		units[n++] = x->units[place_of(x, bit)];
	}
	return sotto_owner_map_add(to, keys, units, n);
}

/* Whole blocks keep their units where they are: their memory goes over with them. */
static bool take_blocks(struct sotto_owner_map *to, const struct sotto_owner_map *from)
{
	for (size_t i = 0; i < from->size; i++) {
		const struct sotto_owner_block *x = &from->slots[i];
		struct sotto_owner_block *b = x->bits ? block_of(to, x->number) : NULL;

		if (x->bits == 0)
			continue;
		if (!b || (b->bits != 0 && !add_block(to, x)))
			return false;
		if (b->bits == 0) {
			*b = *x;
			to->used++;
		}
	}
	return true;
}

static void take_slabs(struct sotto_owner_map *to, struct sotto_owner_map *from)
{
	struct slab **end = &to->slabs;

	while (*end)
		end = &(*end)->next;
	*end = from->slabs;
	from->slabs = NULL;
}

bool sotto_owner_map_merge(struct sotto_owner_map *to, struct sotto_owner_map *from)
{
	bool done = take_blocks(to, from);

	take_slabs(to, from);
	to->is_broken = to->is_broken || from->is_broken;
	drop(from);
	return done;
}

bool sotto_owner_map_is_broken(const struct sotto_owner_map *m)
{
	return m->is_broken;
}

/* ---- looking up ----------------------------------------------------------------------------- */

const int64_t *sotto_owner_map_find(const struct sotto_owner_map *m, int64_t key,
				    const struct sotto_owner_block **hint)
{
	uint64_t number = (uint64_t)key / BLOCK, bit = (uint64_t)1 << (uint64_t)key % BLOCK;
	const struct sotto_owner_block *b = *hint;

	if (m->size == 0)
		return NULL;
	if (!b || b->number != number || b->bits == 0)
		*hint = b = find_slot(m, number);
	return b->bits & bit ? &b->units[place_of(b, bit)] : NULL;
}
