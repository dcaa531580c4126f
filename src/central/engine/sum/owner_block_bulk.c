/* Blocks of keys and their memory (owner_block.h). */
#include "central/engine/sum/owner_block.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SLAB = 4 << 20, FIRST_SLAB = 1 << 16 };

static const uint32_t room[SOTTO_OWNER_SIZES] = {4, 16, SOTTO_OWNER_BLOCK};

struct sotto_owner_slab {
	struct sotto_owner_slab *next;
	size_t size, used; /* bytes, with these */
};

/* ---- slabs ---------------------------------------------------------------------------------- */

/* Of large maps in large pages: keys are looked up anywhere in them. */
static struct sotto_owner_slab *slab_new(size_t size, bool is_large_map)
{
	struct sotto_owner_slab *s;

	if (size < SLAB)
		return malloc(size);
	s = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return NULL;
	if (is_large_map)
		(void)madvise(s, size, MADV_HUGEPAGE);
	return s;
}

static void slab_free(struct sotto_owner_slab *s)
{
	if (s->size < SLAB)
		free(s);
	else
		(void)munmap(s, s->size);
}

static bool more_memory(struct sotto_owner_memory *m)
{
	size_t size = m->slabs ? SLAB : FIRST_SLAB;
	struct sotto_owner_slab *s = slab_new(size, m->slabs && m->slabs->size == SLAB);

	if (!s)
		return false;
	*s = (struct sotto_owner_slab){.next = m->slabs, .size = size, .used = sizeof *s};
	m->slabs = s;
	return true;
}

void sotto_owner_memory_free(struct sotto_owner_memory *m)
{
	while (m->slabs) {
		struct sotto_owner_slab *first = m->slabs;

		m->slabs = first->next;
		slab_free(first);
	}
	*m = (struct sotto_owner_memory){0};
}

/* What from could have used again is left: it is little, and nobody's. */
void sotto_owner_memory_move(struct sotto_owner_memory *to, struct sotto_owner_memory *from)
{
	struct sotto_owner_slab **end = &to->slabs;

	while (*end)
		end = &(*end)->next;
	*end = from->slabs;
	*from = (struct sotto_owner_memory){0};
}

/* ---- blocks --------------------------------------------------------------------------------- */

uint32_t sotto_owner_size(uint32_t count)
{
	uint32_t size = 0;

	while (size < SOTTO_OWNER_SIZES - 1 && count > room[size])
		size++;
	return size;
}

size_t sotto_owner_block_bytes(uint32_t size, bool is_wide)
{
	return sizeof(struct sotto_owner_block) +
	       room[size] * (is_wide ? sizeof(int64_t) : sizeof(int32_t));
}

struct sotto_owner_block *sotto_owner_block_new(struct sotto_owner_memory *m, uint64_t number,
						uint32_t size, bool is_wide)
{
	struct sotto_owner_block *b = m->spare[size][is_wide];
	size_t bytes = sotto_owner_block_bytes(size, is_wide);

	if (b) {
		memcpy(&m->spare[size][is_wide], (const void *)b, sizeof(void *));
	} else {
		if ((!m->slabs || m->slabs->size - m->slabs->used < bytes) && !more_memory(m))
			return NULL;
		b = (struct sotto_owner_block *)(void *)((char *)m->slabs + m->slabs->used);
		m->slabs->used += bytes;
	}
	*b = (struct sotto_owner_block){
		.number = number, .size = (uint16_t)size, .is_wide = is_wide};
	return b;
}

void sotto_owner_block_give_back(struct sotto_owner_memory *m, struct sotto_owner_block *b)
{
	struct sotto_owner_block **spare = &m->spare[b->size][b->is_wide];

	memcpy((void *)b, spare, sizeof(void *));
	*spare = b;
}

void sotto_owner_block_copy(struct sotto_owner_block *to, const struct sotto_owner_block *from)
{
	uint32_t rank = 0;

	for (uint64_t left = from->bits; left; left &= left - 1, rank++) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);

		sotto_owner_set_unit(
			to, sotto_owner_is_whole(to) ? i : rank,
			sotto_owner_unit(from, sotto_owner_is_whole(from) ? i : rank));
	}
	to->bits = from->bits;
	to->count = from->count;
}
