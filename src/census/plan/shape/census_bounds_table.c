/*
 * An open-addressing hash table over rows of bounds; a row's number never changes once it is
 * given.
 */
#include "census/plan/shape/census_bounds_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum { SLOTS_FIRST = 256 };

enum sotto_status
sotto_census_bounds_table_init(struct sotto_census_bounds_table *b, size_t groups)
{
	*b = (struct sotto_census_bounds_table){.groups = groups, .slot_count = SLOTS_FIRST};
	b->slots = calloc(b->slot_count, sizeof *b->slots);
	return b->slots ? SOTTO_OK : SOTTO_ENOMEM;
}

void sotto_census_bounds_table_release(struct sotto_census_bounds_table *b)
{
	free(b->rows);
	free(b->slots);
	*b = (struct sotto_census_bounds_table){0};
}

static uint64_t hash(const int64_t *bounds, size_t n)
{
	uint64_t h = 0;

	for (size_t i = 0; i < n; i++) {
		h = (h ^ (uint64_t)bounds[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h;
}

/* Where the box is, or would be put. */
static uint32_t *slot_of(const struct sotto_census_bounds_table *b, const int64_t *bounds)
{
	size_t n = 2 * b->groups, at = (size_t)hash(bounds, n) & (b->slot_count - 1);

	while (b->slots[at] && memcmp(sotto_census_bounds_table_row(b, b->slots[at] - 1),
				      bounds, n * sizeof *bounds) != 0)
		at = (at + 1) & (b->slot_count - 1);
	return &b->slots[at];
}

static enum sotto_status grow_slots(struct sotto_census_bounds_table *b)
{
	uint32_t *old = b->slots;

	b->slots = calloc(2 * b->slot_count, sizeof *b->slots);
	if (!b->slots) {
		b->slots = old;
		return SOTTO_ENOMEM;
	}
	b->slot_count *= 2;
	for (size_t i = 0; i < b->n; i++)
		*slot_of(b, sotto_census_bounds_table_row(b, (uint32_t)i)) = (uint32_t)i + 1;
	free(old);
	return SOTTO_OK;
}

static enum sotto_status grow_rows(struct sotto_census_bounds_table *b)
{
	size_t room = b->room ? 2 * b->room : SLOTS_FIRST;
	int64_t *grown = realloc(b->rows, room * 2 * b->groups * sizeof *grown);

	if (!grown)
		return SOTTO_ENOMEM;
	b->rows = grown;
	b->room = room;
	return SOTTO_OK;
}

enum sotto_status sotto_census_bounds_table_find(struct sotto_census_bounds_table *b,
						 const int64_t *bounds, uint32_t *out)
{
	uint32_t *slot = slot_of(b, bounds);

	if (*slot == 0) {
		if (b->n == b->room)
			SOTTO_TRY(grow_rows(b));
		if (2 * b->n >= b->slot_count)
			SOTTO_TRY(grow_slots(b));
		memcpy(b->rows + b->n * 2 * b->groups, bounds, 2 * b->groups * sizeof *bounds);
		slot = slot_of(b, bounds);
		*slot = (uint32_t)++b->n;
	}
	*out = *slot - 1;
	return SOTTO_OK;
}
