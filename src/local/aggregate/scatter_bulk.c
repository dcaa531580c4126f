/* Increments of single cells, sorted by region where the table exceeds the cache. */
#include "local/aggregate/scatter.h"

#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "local/aggregate/pages.h"

/* A table of at most this many cells is in the cache anyway. */
#define DIRECT_CELLS ((size_t)1 << 16)

/*
 * The line that each lane is filling should be in the first cache, where decrements have
 * lanes of their own in the first two.
 */
#define REGIONS_MAX 512
#define LINE 64

/* Within a region of this many bits an entry has 16 bits, else 32. */
#define NARROW_BITS 16

/* Increments between two looks at how full the lanes are. */
#define ROUND 8192

struct sotto_scatter {
	unsigned region_bits;
	unsigned ways; /* 2: increments and decrements have lanes of their own */
	size_t cell_count;
	size_t lane_count; /* ways per region; 0: the table is small, nothing waits */
	size_t lane_room; /* entries after which a lane is applied */
	size_t lane_bytes; /* from one lane to the next */
	uint8_t *lanes; /* whole lines; what follows them is in */
	uint8_t *lines; /* the line that each lane is filling */
	uint32_t *used; /* bytes of each lane, those in its line included */
	int8_t *small; /* per cell: what is still to be added to it */
	uint8_t *touched; /* regions with something in small */
};

static size_t entry_bytes(const struct sotto_scatter *s)
{
	return s->region_bits == NARROW_BITS ? 2 : 4;
}

static uint8_t *lane_start(const struct sotto_scatter *s, size_t lane)
{
	return s->lanes + lane * s->lane_bytes;
}

static void choose_lanes(struct sotto_scatter *s)
{
	size_t regions;

	s->region_bits = NARROW_BITS;
	while (s->cell_count >> s->region_bits > REGIONS_MAX)
		s->region_bits++;
	regions = (s->cell_count + ((size_t)1 << s->region_bits) - 1) >> s->region_bits;
	s->lane_count = regions * s->ways;
	/*
	 * The more entries a lane takes, the less often its region comes into the
	 * cache: all lanes together have half the size of the table.
	 */
	s->lane_room = ((size_t)4 << s->region_bits) / (entry_bytes(s) * s->ways);
	s->lane_bytes = (s->lane_room + ROUND) * entry_bytes(s);
}

static enum sotto_status make_lanes(struct sotto_scatter *s)
{
	choose_lanes(s);
	s->lanes = sotto_pages_new(s->lane_count * s->lane_bytes, true);
	s->small = sotto_pages_new(s->cell_count, true);
	s->lines = sotto_pages_new(s->lane_count * LINE, false);
	s->used = calloc(s->lane_count, sizeof *s->used);
	s->touched = calloc(s->lane_count, 1);
	return s->lanes && s->small && s->lines && s->used && s->touched ? SOTTO_OK
									 : SOTTO_ENOMEM;
}

enum sotto_status sotto_scatter_new(size_t cells, bool both_ways, struct sotto_scatter **out)
{
	struct sotto_scatter *s;

	if (cells > (size_t)1 << 32)
		return SOTTO_ERANGE;
	s = calloc(1, sizeof *s);
	if (!s)
		return SOTTO_ENOMEM;
	s->cell_count = cells;
	s->ways = both_ways ? 2 : 1;
	if (cells > DIRECT_CELLS && make_lanes(s) != SOTTO_OK) {
		sotto_scatter_free(s);
		return SOTTO_ENOMEM;
	}
	*out = s;
	return SOTTO_OK;
}

void sotto_scatter_free(struct sotto_scatter *s)
{
	if (!s)
		return;
	sotto_pages_free(s->lanes, s->lane_count * s->lane_bytes);
	sotto_pages_free(s->small, s->cell_count);
	sotto_pages_free(s->lines, s->lane_count * LINE);
	free(s->used);
	free(s->touched);
	free(s);
}

/*
 * A full line goes to memory past the caches: it would only be fetched there first, and is
 * not read before its lane is full.
 */
static void put_line(uint8_t *to, const uint8_t *line)
{
#if defined(__x86_64__)
	for (size_t i = 0; i < LINE; i += 16)
		_mm_stream_si128((__m128i *)(to + i),
				 _mm_load_si128((const __m128i *)(line + i)));
#else
	memcpy(to, line, LINE);
#endif
}

/* Whoever takes the scatter over next, on another core, sees the lines. */
static void end_lines(void)
{
#if defined(__x86_64__)
	_mm_sfence();
#endif
}

/*
 * A byte that overflows has wrapped by 256, which its cell gets instead.  One
 * copy per width of entry: TYPE is what a lane holds.
 */
#define DEFINE_LANES(TYPE)                                                                     \
	static void up_##TYPE(int8_t *restrict small, uint64_t *restrict cells, const TYPE *e, \
			      const TYPE *end)                                                 \
	{                                                                                      \
		for (; e < end; e++)                                                           \
			if (__builtin_add_overflow(small[*e], 1, &small[*e]))                  \
				cells[*e] += 256;                                              \
	}                                                                                      \
                                                                                               \
	static void down_##TYPE(int8_t *restrict small, uint64_t *restrict cells,              \
				const TYPE *e, const TYPE *end)                                \
	{                                                                                      \
		for (; e < end; e++)                                                           \
			if (__builtin_sub_overflow(small[*e], 1, &small[*e]))                  \
				cells[*e] -= 256;                                              \
	}                                                                                      \
                                                                                               \
	static void spread_##TYPE(struct sotto_scatter *s, const uint32_t *at,                 \
				  const uint8_t *minus, size_t n)                              \
	{                                                                                      \
		const unsigned bits = s->region_bits;                                          \
		const uint32_t mask = (uint32_t)(((uint64_t)1 << bits) - 1);                   \
		uint8_t *const lines = s->lines;                                               \
		uint32_t *const all = s->used;                                                 \
                                                                                               \
		for (size_t i = 0; i < n; i++) {                                               \
			size_t region = (uint64_t)at[i] >> bits;                               \
			size_t lane = minus ? 2 * region + minus[i] : region;                  \
			TYPE entry = (TYPE)(at[i] & mask);                                     \
			uint32_t used = all[lane];                                             \
                                                                                               \
			memcpy(lines + lane * LINE + used % LINE, &entry, sizeof entry);       \
			used += (uint32_t)sizeof entry;                                        \
			all[lane] = used;                                                      \
			if (used % LINE == 0)                                                  \
				put_line(lane_start(s, lane) + used - LINE,                    \
					 lines + lane * LINE);                                 \
		}                                                                              \
	}

DEFINE_LANES(uint16_t)
DEFINE_LANES(uint32_t)

/* The region is read from its start to its end before it is used at random. */
static void fetch(const int8_t *region, size_t n)
{
	for (size_t i = 0; i < n; i += 64)
		__builtin_prefetch(region + i, 1);
}

static void apply(struct sotto_scatter *s, uint64_t *cells, size_t lane)
{
	size_t region = lane / s->ways, base = region << s->region_bits;
	size_t size = s->cell_count - base < (size_t)1 << s->region_bits
			      ? s->cell_count - base
			      : (size_t)1 << s->region_bits;
	uint8_t *start = lane_start(s, lane), *end = start + s->used[lane];
	bool down = s->ways == 2 && lane % 2;
	int8_t *small = s->small + base;

	if (start == end)
		return;
	s->touched[region] = 1;
	memcpy(end - s->used[lane] % LINE, s->lines + lane * LINE, s->used[lane] % LINE);
	s->used[lane] = 0;
	cells += base;
	if ((size_t)(end - start) > size / 16)
		fetch(small, size);
	if (entry_bytes(s) == 2)
		(down ? down_uint16_t : up_uint16_t)(small, cells, (const uint16_t *)start,
						     (const uint16_t *)end);
	else
		(down ? down_uint32_t : up_uint32_t)(small, cells, (const uint32_t *)start,
						     (const uint32_t *)end);
}

static void add_directly(uint64_t *cells, const uint32_t *at, const uint8_t *minus, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cells[at[i]] += minus ? 1 - 2 * (uint64_t)minus[i] : 1;
}

static void spread(struct sotto_scatter *s, const uint32_t *at, const uint8_t *minus, size_t n)
{
	(entry_bytes(s) == 2 ? spread_uint16_t : spread_uint32_t)(s, at, minus, n);
}

void sotto_scatter_add(struct sotto_scatter *s, uint64_t *cells, const uint32_t *at,
		       const uint8_t *minus, size_t n)
{
	if (s->lane_count == 0) {
		add_directly(cells, at, minus, n);
		return;
	}
	for (size_t i = 0; i < n; i += ROUND) {
		spread(s, at + i, minus ? minus + i : NULL, n - i < ROUND ? n - i : ROUND);
		for (size_t lane = 0; lane < s->lane_count; lane++)
			if (s->used[lane] >= s->lane_room * entry_bytes(s))
				apply(s, cells, lane);
	}
	end_lines();
}

static void empty_region(int8_t *restrict small, uint64_t *restrict cells, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cells[i] += (uint64_t)small[i];
	memset(small, 0, n);
}

void sotto_scatter_flush(struct sotto_scatter *s, uint64_t *cells)
{
	size_t size = (size_t)1 << s->region_bits;

	for (size_t lane = 0; lane < s->lane_count; lane++)
		apply(s, cells, lane);
	for (size_t base = 0; s->lane_count && base < s->cell_count; base += size) {
		size_t left = s->cell_count - base;

		if (s->touched[base >> s->region_bits])
			empty_region(s->small + base, cells + base, left < size ? left : size);
		s->touched[base >> s->region_bits] = 0;
	}
}
