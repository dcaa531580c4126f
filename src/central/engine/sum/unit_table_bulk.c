/*
 * Tables of units, for what limits lost (unit_table.h).
 *
 * Units are told apart by numbers of 64 bits: their own, or a hash.  Two with one hash would be
 * taken for one: every number then still is a sum over hashes of a function between 0 and the
 * same bound, so taking one unit away moves it by no more than that.  Nothing here depends on the
 * order of rows.
 *
 * Of 64 numbers that follow each other each unit is one bit.  Numbers that were given out one
 * after the other then are a table that stays in the cache; of hashes each has a block of its own.
 */
#include "central/engine/sum/unit_table.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { FIRST_SLOTS = 64, AHEAD = 64, BLOCK = 64, LARGE = 4 << 20 };

enum { LOST_ROWS = 1, WAS_CLIPPED = 2 };

/* One that lost something.  Numbers of rows stop at 2^62. */
struct loser {
	uint64_t hash; /* 0: the slot is empty */
	uint64_t lost, flags;
};

/* Which of 64 numbers that follow each other were seen. */
struct block {
	uint64_t hash; /* 0: the slot is empty */
	uint64_t bits;
};

/* There are a power of two of slots; at most half of them are used. */
struct seen {
	struct block *slots;
	size_t size, used;
	uint64_t units;
};

struct losers {
	struct loser *slots;
	size_t size, used;
};

struct sotto_unit_table {
	uint64_t groups, rows; /* G and M */
	struct seen seen;
	struct losers losers;
	uint64_t units, of_groups, pairs, pairs_kept; /* by places */
	uint64_t rows_kept;
};

/* ---- memory --------------------------------------------------------------------------------- */

/* Slots lie anywhere in a table: in small pages, finding the page would take longer than the rest. */
static void *slots_new(size_t size)
{
	void *slots;

	if (size < LARGE)
		return calloc(1, size);
	slots = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slots == MAP_FAILED)
		return NULL;
	(void)madvise(slots, size, MADV_HUGEPAGE);
	return slots;
}

static void slots_free(void *slots, size_t size)
{
	if (size < LARGE)
		free(slots);
	else
		(void)munmap(slots, size);
}

/* ---- units ---------------------------------------------------------------------------------- */

/* 0 marks an empty slot. */
static uint64_t place_of(uint64_t number)
{
	uint64_t hash = sotto_unit_mixed(number);

	return hash ? hash : 1;
}

static struct block *find_seen(const struct seen *t, uint64_t hash)
{
	size_t mask = t->size - 1, i = hash & mask;

	while (t->slots[i].hash != hash && t->slots[i].hash != 0)
		i = (i + 1) & mask;
	return &t->slots[i];
}

static bool grow_seen(struct seen *t)
{
	struct seen larger = {.size = t->size ? 2 * t->size : FIRST_SLOTS,
			      .used = t->used,
			      .units = t->units};

	larger.slots = slots_new(larger.size * sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < t->size; i++)
		if (t->slots[i].hash != 0)
			*find_seen(&larger, t->slots[i].hash) = t->slots[i];
	slots_free(t->slots, t->size * sizeof *t->slots);
	*t = larger;
	return true;
}

/* Units of one block.  False without memory. */
static bool see(struct seen *t, uint64_t hash, uint64_t bits)
{
	struct block *b;

	if (2 * (t->used + 1) > t->size && !grow_seen(t))
		return false;
	b = find_seen(t, hash);
	t->used += b->hash == 0;
	if (bits & ~b->bits) /* most are known: counting bits is a call */
		t->units += (uint64_t)__builtin_popcountll(bits & ~b->bits);
	b->hash = hash;
	b->bits |= bits;
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

	larger.slots = slots_new(larger.size * sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < t->size; i++)
		if (t->slots[i].hash != 0)
			*find_loser(&larger, t->slots[i].hash) = t->slots[i];
	slots_free(t->slots, t->size * sizeof *t->slots);
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
static void count_place(struct sotto_unit_table *t, uint64_t place)
{
	t->units += place == 1;
	t->of_groups += place == t->groups + 1;
	t->pairs += place > t->groups && place - t->groups <= 2 * t->groups;
	t->pairs_kept += place <= t->groups;
}

/* A kept group has at most M rows and a unit keeps at most G, so what is kept needs no cap. */
static bool
add_pair(struct sotto_unit_table *t, uint64_t unit, uint64_t place, int64_t read, bool clipped)
{
	uint64_t n = read > 0 ? (uint64_t)read : 0;
	uint64_t lost = n > t->rows ? n - t->rows : 0;

	if (place > 0)
		count_place(t, place);
	else if (!see(&t->seen, place_of(unit / BLOCK), (uint64_t)1 << unit % BLOCK))
		return false;
	if (place > t->groups)
		return lose(&t->losers, place_of(unit), n, 0);
	t->rows_kept += n - lost;
	if (lost == 0 && !clipped)
		return true;
	return lose(&t->losers, place_of(unit), lost,
		    (lost ? LOST_ROWS : 0) | (clipped ? WAS_CLIPPED : 0));
}

bool sotto_unit_table_merge(struct sotto_unit_table *to, const struct sotto_unit_table *from)
{
	for (size_t i = 0; i < from->seen.size; i++)
		if (from->seen.slots[i].hash != 0 &&
		    !see(&to->seen, from->seen.slots[i].hash, from->seen.slots[i].bits))
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

/* ---- rows of pairs -------------------------------------------------------------------------- */

struct sotto_unit_table *sotto_unit_table_new(uint64_t groups, uint64_t rows)
{
	struct sotto_unit_table *t = calloc(1, sizeof *t);

	if (t) {
		t->groups = groups;
		t->rows = rows;
	}
	return t;
}

void sotto_unit_table_free(struct sotto_unit_table *t)
{
	if (!t)
		return;
	slots_free(t->seen.slots, t->seen.size * sizeof *t->seen.slots);
	slots_free(t->losers.slots, t->losers.size * sizeof *t->losers.slots);
	free(t);
}

/* Slots are fetched ahead: they lie anywhere. */
void sotto_unit_table_fetch(const struct sotto_unit_table *t, const uint64_t *units,
			    size_t count)
{
	const struct seen *s = &t->seen;

	for (size_t i = 0; s->size && i < count; i++)
		__builtin_prefetch(&s->slots[place_of(units[i] / BLOCK) & (s->size - 1)], 1);
}

bool sotto_unit_table_add(struct sotto_unit_table *t, const struct sotto_unit_pairs *in,
			  size_t i)
{
	return add_pair(t, in->units[i], (uint64_t)in->places[i], in->read[i],
			in->clipped[i] > 0);
}

bool sotto_unit_table_add_all(struct sotto_unit_table *t, const struct sotto_unit_pairs *in,
			      size_t count)
{
	for (size_t from = 0; from < count; from += AHEAD) {
		size_t n = count - from < AHEAD ? count - from : AHEAD;

		sotto_unit_table_fetch(t, in->units + from, n);
		for (size_t i = from; i < from + n; i++)
			if (!sotto_unit_table_add(t, in, i))
				return false;
	}
	return true;
}

void sotto_unit_table_sums(const struct sotto_unit_table *t, int64_t sums[SOTTO_UNIT_SUMS])
{
	uint64_t most = 2 * t->groups * t->rows;

	sums[SOTTO_UNIT_COUNT] = (int64_t)(t->units + t->seen.units);
	sums[SOTTO_UNIT_OF_GROUPS] = (int64_t)t->of_groups;
	sums[SOTTO_UNIT_PAIRS] = (int64_t)t->pairs;
	sums[SOTTO_UNIT_PAIRS_KEPT] = (int64_t)t->pairs_kept;
	sums[SOTTO_UNIT_ROWS_KEPT] = (int64_t)t->rows_kept;
	sums[SOTTO_UNIT_OF_ROWS] = sums[SOTTO_UNIT_CLIPPED] = sums[SOTTO_UNIT_ROWS] = 0;
	for (size_t i = 0; i < t->losers.size; i++) {
		const struct loser *u = &t->losers.slots[i];

		if (u->hash == 0)
			continue;
		sums[SOTTO_UNIT_OF_ROWS] += (u->flags & LOST_ROWS) != 0;
		sums[SOTTO_UNIT_CLIPPED] += (u->flags & WAS_CLIPPED) != 0;
		sums[SOTTO_UNIT_ROWS] += (int64_t)(u->lost < most ? u->lost : most);
	}
}
