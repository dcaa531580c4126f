#include "local/scatter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A region's counters fill half of a second-level cache. */
#define REGION_BITS 16
#define DIRECT_CELLS ((size_t)1 << 16)

/*
 * Increments wait in one lane per region.  Inside a region 16 bits say which
 * cell; increments and decrements have lanes of their own.  They are gathered a
 * cache line at a time in a small array that stays in the cache, and only whole
 * lines go to the lanes (write-combining).  A lane holds several increments per
 * line of its region: with fewer each would still cost a miss.
 */
#define LINE 32
#define LANE 32768

struct sotto_scatter {
	size_t lane_count; /* two per region; 0: the table is small, nothing waits */
	uint16_t (*gather)[LINE];
	uint8_t *gathered; /* entries in each line */
	uint32_t *used; /* entries in each lane */
	uint16_t *lanes;
	size_t lane_bytes;
};

static void *big_array(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	(void)madvise(p, bytes, MADV_HUGEPAGE); /* only faster if it works */
	return p;
}

static enum sotto_status make_lanes(struct sotto_scatter *s)
{
	s->lane_bytes = s->lane_count * LANE * sizeof *s->lanes;
	s->gather = aligned_alloc(64, s->lane_count * sizeof *s->gather);
	s->gathered = calloc(s->lane_count, 1);
	s->used = calloc(s->lane_count, sizeof *s->used);
	s->lanes = big_array(s->lane_bytes);
	return s->gather && s->gathered && s->used && s->lanes ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_scatter_new(size_t cells, struct sotto_scatter **out)
{
	struct sotto_scatter *s;

	if (cells > (size_t)1 << 32)
		return SOTTO_ERANGE;
	s = calloc(1, sizeof *s);
	if (!s)
		return SOTTO_ENOMEM;
	if (cells > DIRECT_CELLS) {
		s->lane_count = 2 * ((cells + (1u << REGION_BITS) - 1) >> REGION_BITS);
		if (make_lanes(s) != SOTTO_OK) {
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
	free(s->gather);
	free(s->gathered);
	free(s->used);
	if (s->lanes)
		munmap(s->lanes, s->lane_bytes);
	free(s);
}

/* Lane 2r counts up in region r, lane 2r + 1 down. */
static void apply(uint64_t *cells, size_t lane, const uint16_t *entries, size_t n)
{
	uint64_t *at = cells + (lane / 2 << REGION_BITS), step = lane % 2 ? UINT64_MAX : 1;

	for (size_t i = 0; i < n; i++)
		at[entries[i]] += step;
}

static void put_line(struct sotto_scatter *s, uint64_t *cells, size_t lane)
{
	uint16_t *to = s->lanes + lane * LANE;

	memcpy(to + s->used[lane], s->gather[lane], sizeof *s->gather);
	s->gathered[lane] = 0;
	s->used[lane] += LINE;
	if (s->used[lane] == LANE) {
		apply(cells, lane, to, LANE);
		s->used[lane] = 0;
	}
}

void sotto_scatter_add(struct sotto_scatter *s, uint64_t *cells, uint32_t index, unsigned minus)
{
	size_t lane = 2 * (size_t)(index >> REGION_BITS) + minus;

	if (s->lane_count == 0) {
		cells[index] += 1 - 2 * (uint64_t)minus;
		return;
	}
	s->gather[lane][s->gathered[lane]++] = (uint16_t)index;
	if (s->gathered[lane] == LINE)
		put_line(s, cells, lane);
}

void sotto_scatter_flush(struct sotto_scatter *s, uint64_t *cells)
{
	for (size_t lane = 0; lane < s->lane_count; lane++) {
		apply(cells, lane, s->lanes + lane * LANE, s->used[lane]);
		apply(cells, lane, s->gather[lane], s->gathered[lane]);
		s->used[lane] = s->gathered[lane] = 0;
	}
}
