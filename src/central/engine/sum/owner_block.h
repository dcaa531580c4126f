/*
 * owner_block.h - inside this folder: 64 keys that follow each other, and their units
 *
 * Up to 16 units lie in the order of their keys; a whole block has a place for each key.
 */
#ifndef SOTTO_OWNER_BLOCK_H
#define SOTTO_OWNER_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOTTO_OWNER_BLOCK = 64, SOTTO_OWNER_SIZES = 3 };

/* Its units follow it: of 4 bytes, or of 8 if it is wide. */
struct sotto_owner_block {
	uint64_t number; /* of its keys, without their last 6 bits */
	uint64_t bits; /* which keys there are */
	uint32_t count; /* of them; no longer kept where the block is whole */
	uint16_t size; /* how many units it has room for: 4, 16 or 64 */
	uint16_t is_wide;
};

/* What blocks lie in, given back all at once.  Begins as zeros. */
struct sotto_owner_memory {
	struct sotto_owner_slab *slabs;
	/* outgrown blocks, each with the next one's address */
	struct sotto_owner_block *spare[SOTTO_OWNER_SIZES][2];
};

void sotto_owner_memory_free(struct sotto_owner_memory *m);

/* The blocks of from lie in to afterwards. */
void sotto_owner_memory_move(struct sotto_owner_memory *to, struct sotto_owner_memory *from);

/* The least size with room for so many units. */
uint32_t sotto_owner_size(uint32_t count);

/* The bytes of a block with its units. */
size_t sotto_owner_block_bytes(uint32_t size, bool is_wide);

/* An empty one; NULL without memory. */
struct sotto_owner_block *sotto_owner_block_new(struct sotto_owner_memory *m, uint64_t number,
						uint32_t size, bool is_wide);
void sotto_owner_block_give_back(struct sotto_owner_memory *m, struct sotto_owner_block *b);

/* The keys and units of from, which has no more room than to, nor wider units. */
void sotto_owner_block_copy(struct sotto_owner_block *to, const struct sotto_owner_block *from);

static inline int32_t *sotto_owner_narrow(const struct sotto_owner_block *b)
{
	return (int32_t *)(uintptr_t)(b + 1);
}

static inline int64_t *sotto_owner_wide(const struct sotto_owner_block *b)
{
	return (int64_t *)(uintptr_t)(b + 1);
}

static inline int64_t sotto_owner_unit(const struct sotto_owner_block *b, uint32_t place)
{
	return b->is_wide ? sotto_owner_wide(b)[place] : sotto_owner_narrow(b)[place];
}

static inline void
sotto_owner_set_unit(struct sotto_owner_block *b, uint32_t place, int64_t unit)
{
	if (b->is_wide)
		sotto_owner_wide(b)[place] = unit;
	else
		sotto_owner_narrow(b)[place] = (int32_t)unit;
}

static inline bool sotto_owner_is_whole(const struct sotto_owner_block *b)
{
	return b->size == SOTTO_OWNER_SIZES - 1;
}

/* Where the unit of a key is, of which this is the bit. */
static inline uint32_t sotto_owner_place(const struct sotto_owner_block *b, uint64_t bit)
{
	return sotto_owner_is_whole(b) ? (uint32_t)__builtin_ctzll(bit)
				       : (uint32_t)__builtin_popcountll(b->bits & (bit - 1));
}

#endif
