/* Counting OLH reports over candidates: reports outside, candidates in vectors inside. */
#include <string.h>

#include "local/client/primitive/bytes.h"
#include "local/client/primitive/family.h"
#include "local/decode/kernel/olh.h"
#include "local/decode/supports.h"

/* Candidates whose keys and counters stay in the first cache. */
#define TILE 1024

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
	const struct sotto_olh_kernel kernel = sotto_olh_kernel_choose();
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
				kernel.small(&h, symbol, range, low, some, sums);
			else
				kernel.wide(&h, symbol, range, keys + from, some, sums);
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
