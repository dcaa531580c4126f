/* Counting OLH reports over candidates: reports outside, candidates in vectors inside. */
#include <string.h>

#include "local/client/primitive/bytes.h"
#include "local/client/primitive/family.h"
#include "local/decode/kernel/olh.h"
#include "local/decode/supports.h"

/* Candidates whose keys and counters stay in the first cache. */
#define TILE 1024

/* Reports that a counter of 32 bits holds. */
#define REPORTS ((size_t)1 << 31)

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

/* Answers from `reports` on, as many as go together; past the end, answers that support nothing. */
static void take_answers(struct sotto_olh_answer answers[SOTTO_OLH_TOGETHER],
			 const uint8_t *reports, size_t n, size_t stride, uint32_t range)
{
	unsigned bytes = bytes_below(range);

	for (size_t i = 0; i < SOTTO_OLH_TOGETHER; i++, reports += stride) {
		answers[i] = (struct sotto_olh_answer){.width = 0};
		if (i < n) {
			struct sotto_pair_hash h = sotto_pair_hash_of_seed(load64_le(reports));

			answers[i] =
				sotto_olh_answer_of(&h, load_le(reports + 8, bytes), range);
		}
	}
}

/* Candidates that fit a tile, and reports whose number fits 32 bits. */
static void count_tile(const uint8_t *reports, size_t n, size_t stride, uint32_t range,
		       const uint64_t *keys, size_t count, uint64_t *out)
{
	const struct sotto_olh_kernel kernel = sotto_olh_kernel_choose();
	uint32_t low[TILE], sums[TILE] = {0};
	bool small = narrow(keys, count, low);

	for (size_t r = 0; r < n; r += SOTTO_OLH_TOGETHER) {
		struct sotto_olh_answer answers[SOTTO_OLH_TOGETHER];

		take_answers(answers, reports + r * stride, n - r, stride, range);
		if (small)
			kernel.small(answers, low, count, sums);
		else
			kernel.wide(answers, keys, count, sums);
	}
	for (size_t i = 0; i < count; i++)
		out[i] += sums[i];
}

void sotto_olh_count(const uint8_t *reports, size_t n, size_t stride, uint32_t range,
		     const uint64_t *keys, size_t count, uint64_t *out)
{
	for (size_t r = 0; r < n; r += REPORTS)
		for (size_t from = 0; from < count; from += TILE)
			count_tile(reports + r * stride, n - r < REPORTS ? n - r : REPORTS,
				   stride, range, keys + from,
				   count - from < TILE ? count - from : TILE, out + from);
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
