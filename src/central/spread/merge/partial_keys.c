/*
 * An open-addressing hash table (FNV-1a, at most half full); arrays are grown by copying and
 * wiping, never by realloc, which would leave keys behind.
 */
#include "central/spread/merge/partial_keys.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/base/wipe.h"
#include "core/base/wiped_array.h"

struct sotto_partial_key {
	char *bytes; /* malloc'd */
	size_t length;
	uint64_t hash;
};

void sotto_partial_keys_init(struct sotto_partial_keys *k)
{
	*k = (struct sotto_partial_keys){0};
}

void sotto_partial_keys_release(struct sotto_partial_keys *k)
{
	for (size_t i = 0; i < k->count; i++) {
		sotto_wipe(k->items[i].bytes, k->items[i].length);
		free(k->items[i].bytes);
	}
	free(k->items);
	free(k->slots);
	*k = (struct sotto_partial_keys){0};
}

/* ---- finding ----------------------------------------------------------------------- */

static uint64_t hash_bytes(const char *bytes, size_t n)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
	return h ^ h >> 32;
}

int64_t sotto_partial_keys_find(const struct sotto_partial_keys *k, const char *bytes, size_t n)
{
	uint64_t hash = hash_bytes(bytes, n);

	if (k->slot_count == 0)
		return SOTTO_NO_KEY;
	for (size_t at = hash & (k->slot_count - 1); k->slots[at] != SOTTO_NO_KEY;
	     at = (at + 1) & (k->slot_count - 1)) {
		const struct sotto_partial_key *item = &k->items[k->slots[at]];

		if (item->hash == hash && item->length == n &&
		    memcmp(item->bytes, bytes, n) == 0)
			return k->slots[at];
	}
	return SOTTO_NO_KEY;
}

/* ---- adding ------------------------------------------------------------------------ */

static void place(struct sotto_partial_keys *k, size_t number)
{
	size_t at = k->items[number].hash & (k->slot_count - 1);

	while (k->slots[at] != SOTTO_NO_KEY)
		at = (at + 1) & (k->slot_count - 1);
	k->slots[at] = (int64_t)number;
}

/* At most half of the slots are taken. */
static enum sotto_status grow_slots(struct sotto_partial_keys *k)
{
	size_t wanted = k->slot_count ? 2 * k->slot_count : 256;
	int64_t *grown;

	if (2 * (k->count + 1) < k->slot_count)
		return SOTTO_OK;
	grown = malloc(wanted * sizeof *grown);
	if (!grown)
		return SOTTO_ENOMEM;
	free(k->slots);
	k->slots = grown;
	k->slot_count = wanted;
	for (size_t i = 0; i < wanted; i++)
		k->slots[i] = SOTTO_NO_KEY;
	for (size_t i = 0; i < k->count; i++)
		place(k, i);
	return SOTTO_OK;
}

static enum sotto_status grow_items(struct sotto_partial_keys *k)
{
	size_t wanted = k->capacity ? 2 * k->capacity : 64;
	void *items = k->items;

	if (k->count < k->capacity)
		return SOTTO_OK;
	SOTTO_TRY(sotto_wiped_array_grow(&items, k->capacity, wanted, sizeof *k->items));
	k->items = items;
	k->capacity = wanted;
	return SOTTO_OK;
}

enum sotto_status
sotto_partial_keys_add(struct sotto_partial_keys *k, const char *bytes, size_t n)
{
	struct sotto_partial_key *item;
	char *copy;

	SOTTO_TRY(grow_slots(k));
	SOTTO_TRY(grow_items(k));
	copy = malloc(n + 1);
	if (!copy)
		return SOTTO_ENOMEM;
	memcpy(copy, bytes, n);
	item = &k->items[k->count];
	*item = (struct sotto_partial_key){copy, n, hash_bytes(bytes, n)};
	place(k, k->count++);
	return SOTTO_OK;
}
