#include "local/scatter.h"

#include <stdlib.h>
#include <string.h>

/* A region's counters fill half of a second-level cache. */
#define REGION_BITS 15
#define DIRECT_CELLS ((size_t)1 << 16)

/*
 * Increments wait in one lane per region.  Inside a region 15 bits and a sign
 * say which cell, so an entry takes two bytes, and a cache line of them fills
 * before it is written: the write-combining is the lane itself.
 */
#define LANE 2048

struct sotto_scatter {
	size_t regions; /* 0: the table is small, nothing waits */
	uint16_t *used;
	uint16_t (*lanes)[LANE];
};

enum sotto_status sotto_scatter_new(size_t cells, struct sotto_scatter **out)
{
	struct sotto_scatter *s;

	if (cells > (size_t)1 << 32)
		return SOTTO_ERANGE;
	s = calloc(1, sizeof *s);
	if (!s)
		return SOTTO_ENOMEM;
	if (cells > DIRECT_CELLS) {
		s->regions = (cells + (1u << REGION_BITS) - 1) >> REGION_BITS;
		s->used = calloc(s->regions, sizeof *s->used);
		s->lanes = malloc(s->regions * sizeof *s->lanes);
		if (!s->used || !s->lanes) {
			sotto_scatter_free(s);
			return SOTTO_ENOMEM;
		}
	}
	*out = s;
	return SOTTO_OK;
}

void sotto_scatter_free(struct sotto_scatter *s)
{
	if (!s)
		return;
	free(s->used);
	free(s->lanes);
	free(s);
}

static void apply(struct sotto_scatter *s, uint64_t *cells, size_t region)
{
	uint64_t *at = cells + (region << REGION_BITS);
	const uint16_t *lane = s->lanes[region];

	for (size_t i = 0; i < s->used[region]; i++)
		at[lane[i] >> 1] += 1 - 2 * (uint64_t)(lane[i] & 1);
	s->used[region] = 0;
}

void sotto_scatter_add(struct sotto_scatter *s, uint64_t *cells, uint32_t index, unsigned minus)
{
	size_t region = index >> REGION_BITS;

	if (s->regions == 0) {
		cells[index] += 1 - 2 * (uint64_t)minus;
		return;
	}
	s->lanes[region][s->used[region]++] =
		(uint16_t)((index & ((1u << REGION_BITS) - 1)) << 1 | minus);
	if (s->used[region] == LANE)
		apply(s, cells, region);
}

void sotto_scatter_flush(struct sotto_scatter *s, uint64_t *cells)
{
	for (size_t region = 0; region < s->regions; region++)
		apply(s, cells, region);
}
