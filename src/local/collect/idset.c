/*
 * A hash table with open addressing in a power of two of slots, at most half full; nothing is
 * ever removed.
 */
#include "local/collect/idset.h"

#include <stdlib.h>
#include <string.h>

void sotto_idset_release(struct sotto_idset *s)
{
	free(s->slots);
	free(s->taken);
	*s = (struct sotto_idset){0};
}

/* The slot of the id, or the free one where it would go. */
static size_t find(const struct sotto_idset *s, const uint8_t id[16])
{
	uint64_t hash;
	size_t i;

	memcpy(&hash, id, 8);
	for (i = hash & (s->capacity - 1); s->taken[i]; i = (i + 1) & (s->capacity - 1))
		if (memcmp(s->slots[i], id, 16) == 0)
			break;
	return i;
}

bool sotto_idset_has(const struct sotto_idset *s, const uint8_t id[16])
{
	return s->capacity > 0 && s->taken[find(s, id)];
}

static void place(struct sotto_idset *s, const uint8_t id[16])
{
	size_t i = find(s, id);

	memcpy(s->slots[i], id, 16);
	s->taken[i] = 1;
	s->count++;
}

static enum sotto_status grow(struct sotto_idset *s)
{
	struct sotto_idset bigger = {.capacity = s->capacity ? 2 * s->capacity : 1024};

	bigger.slots = malloc(bigger.capacity * sizeof *bigger.slots);
	bigger.taken = calloc(bigger.capacity, 1);
	if (!bigger.slots || !bigger.taken) {
		sotto_idset_release(&bigger);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < s->capacity; i++)
		if (s->taken[i])
			place(&bigger, s->slots[i]);
	sotto_idset_release(s);
	*s = bigger;
	return SOTTO_OK;
}

enum sotto_status sotto_idset_add(struct sotto_idset *s, const uint8_t id[16])
{
	if (2 * s->count >= s->capacity) {
		enum sotto_status st = grow(s);

		if (st != SOTTO_OK)
			return st;
	}
	place(s, id);
	return SOTTO_OK;
}
