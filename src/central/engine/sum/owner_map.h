/*
 * owner_map.h - inside this folder: which unit a key belongs to
 *
 * Keys and units are whole numbers of 64 bits, and a key has one unit.  64 keys that follow each
 * other are a block: numbers that were given out one after the other then need little more than
 * their units, in their order, and keys that lie anywhere about as much as in any table of keys.
 * Units take 4 bytes each, or 8 in a block with one that does not fit: what one key can add to the
 * memory is a block and its slots, whatever the other keys are.
 */
#ifndef SOTTO_OWNER_MAP_H
#define SOTTO_OWNER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sotto_owner_map;

/* NULL without memory.  The seed is secret: it decides where blocks lie. */
struct sotto_owner_map *sotto_owner_map_new(uint64_t seed);
void sotto_owner_map_free(struct sotto_owner_map *m);

/* So many keys with their units.  False without memory. */
bool sotto_owner_map_add(struct sotto_owner_map *m, const int64_t *keys, const int64_t *units,
			 size_t count);

/* All of from too, which is empty afterwards.  False without memory. */
bool sotto_owner_map_merge(struct sotto_owner_map *to, struct sotto_owner_map *from);

/* Was a key added twice?  Then nothing can be said of its unit. */
bool sotto_owner_map_is_broken(const struct sotto_owner_map *m);

/* False: nobody has the key.  The hint is where the last key was found; begin with NULL. */
struct sotto_owner_block;
bool sotto_owner_map_find(const struct sotto_owner_map *m, int64_t key,
			  const struct sotto_owner_block **hint, int64_t *unit);

/* Keys that are looked up soon.  Those without a value may be anything. */
void sotto_owner_map_fetch(const struct sotto_owner_map *m, const int64_t *keys, size_t count);

/* Where its blocks are: a power of two of slots, or none; NULL: the slot is empty. */
struct sotto_owner_slots {
	struct sotto_owner_block **items;
	size_t size, used;
	uint64_t seed;
};

/* Borrowed from the map, until something is added. */
struct sotto_owner_slots sotto_owner_map_slots(const struct sotto_owner_map *m);

/*
 * A map of blocks that lie elsewhere, and stay longer than it; nothing can be added.  Takes the
 * list, which is of malloc.  NULL without memory; the list is the caller's then.
 */
struct sotto_owner_map *sotto_owner_map_of(const struct sotto_owner_slots *slots);

#endif
