/* Counting OLH reports over candidates: reports outside, candidates in vectors inside. */
#include <string.h>

#include "client/bytes.h"
#include "client/family.h"
#include "local/supports.h"

/* Candidates whose keys and counters stay in the first cache. */
#define TILE 1024

static void count_small(const struct sotto_pair_hash *h, uint32_t symbol, uint32_t range,
			const uint32_t *restrict low, size_t count, uint32_t *restrict out)
{
	uint32_t a0 = (uint32_t)h->a0, a1 = (uint32_t)(h->a0 >> 32);
	uint32_t b0 = (uint32_t)h->b, b1 = (uint32_t)(h->b >> 32);

	/* (a x + b) >> 32 of 64-bit a and b from 32-bit products */
	for (size_t i = 0; i < count; i++) {
		uint64_t t = (uint64_t)a0 * low[i] + b0;
		uint32_t hash = (uint32_t)(t >> 32) + a1 * low[i] + b1;

		out[i] += (uint32_t)((uint64_t)hash * range >> 32) == symbol;
	}
}

static void count_wide(const struct sotto_pair_hash *h, uint32_t symbol, uint32_t range,
		       const uint64_t *restrict keys, size_t count, uint32_t *restrict out)
{
	uint64_t a0 = h->a0, a1 = h->a1, b = h->b;

	for (size_t i = 0; i < count; i++) {
		uint32_t hash =
			(uint32_t)((a0 * (uint32_t)keys[i] + a1 * (keys[i] >> 32) + b) >> 32);

		out[i] += (uint32_t)((uint64_t)hash * range >> 32) == symbol;
	}
}

/* Whether all keys are below 2^32, as numbers mostly are. */
static bool narrow(const uint64_t *keys, size_t count, uint32_t *low)
{
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++) {
		all |= keys[i];
		low[i] = (uint32_t)keys[i];
	}
	return all >> 32 == 0;
}

void sotto_olh_count(const uint8_t *reports, size_t n, size_t stride, uint32_t range,
		     const uint64_t *keys, size_t count, uint64_t *out)
{
	unsigned bytes = bytes_below(range);

	for (size_t from = 0; from < count; from += TILE) {
		size_t some = count - from < TILE ? count - from : TILE;
		uint32_t low[TILE], sums[TILE] = {0};
		bool small = narrow(keys + from, some, low);

		for (size_t r = 0; r < n; r++) {
			const uint8_t *at = reports + r * stride;
			struct sotto_pair_hash h = sotto_pair_hash_of_seed(load64_le(at));
			uint32_t symbol = (uint32_t)load_le(at + 8, bytes);

			if (small)
				count_small(&h, symbol, range, low, some, sums);
			else
				count_wide(&h, symbol, range, keys + from, some, sums);
		}
		for (size_t i = 0; i < some; i++)
			out[from + i] += sums[i];
	}
}

void sotto_flh_count(const struct sotto_local_counts *c, const uint64_t *keys, size_t count,
		     uint64_t *out)
{
	const struct sotto_client_params *p = c->params;

	for (uint32_t seed = 0; seed < p->groups; seed++) {
		struct sotto_pair_hash h =
			sotto_pair_hash_of_seed(sotto_family_seed(p->salt, seed));
		const uint64_t *row = c->cells + (size_t)seed * p->hashes;

		for (size_t i = 0; i < count; i++)
			out[i] +=
				row[sotto_scale32(sotto_pair_hash_at(&h, keys[i]), p->hashes)];
	}
}
