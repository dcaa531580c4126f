/* Bulk Gaussian kernels for AVX2: the table of cells is eight byte shuffles. */
#include "core/random/gaussian/dgauss_block.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define JUDGE_BYTES 32

static inline __m256i load_32(const void *bytes)
{
	return _mm256_loadu_si256(bytes);
}

/*
 * A shuffle looks up 16 bytes by the low digits of an index and gives 0 where its
 * first digit is set: adding 112 with saturation leaves that digit clear only for
 * an index below 16.
 */
static inline __m256i lookup_32(const uint8_t table[SOTTO_DGAUSS_CELLS], __m256i index)
{
	const __m256i reach = _mm256_set1_epi8(112), sixteen = _mm256_set1_epi8(16);
	__m256i found = _mm256_setzero_si256();

	for (unsigned i = 0; i < SOTTO_DGAUSS_CELLS; i += 16) {
		__m256i part =
			_mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)(table + i)));

		found = _mm256_or_si256(
			found, _mm256_shuffle_epi8(part, _mm256_adds_epu8(index, reach)));
		index = _mm256_sub_epi8(index, sixteen);
	}
	return found;
}

static inline __m256i column_of(__m256i bytes)
{
	return _mm256_and_si256(bytes, _mm256_set1_epi8(SOTTO_DGAUSS_CELLS - 1));
}

static inline void judge_lookup(const uint8_t table[SOTTO_DGAUSS_CELLS],
				const uint8_t index[SOTTO_DGAUSS_GROUP],
				uint8_t out[SOTTO_DGAUSS_GROUP])
{
	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i += 32)
		_mm256_storeu_si256((void *)(out + i),
				    lookup_32(table, column_of(load_32(index + i))));
}

/* There is no unsigned byte compare: r >= k is max(r, k) == r. */
static inline void judge_choose(const uint8_t *random, const uint8_t *keep, const uint8_t *a,
				const uint8_t *b, uint8_t *out)
{
	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i += 32) {
		__m256i r = load_32(random + i);
		__m256i not_kept = _mm256_cmpeq_epi8(_mm256_max_epu8(r, load_32(keep + i)), r);

		_mm256_storeu_si256((void *)(out + i),
				    _mm256_blendv_epi8(column_of(load_32(a + i)),
						       load_32(b + i), not_kept));
	}
}

/* 32 lanes of 0 or -1 as bits; packing works within halves, so quarters are put in order. */
static inline uint64_t bits_of(__m256i first, __m256i second)
{
	__m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi16(first, second), 0xd8);

	return (uint32_t)_mm256_movemask_epi8(packed);
}

static inline void judge_compare(const uint16_t *p, const uint16_t *head, short below,
				 short above, struct sotto_dgauss_verdict *verdict)
{
	uint64_t not_yes = 0, not_no = 0;

	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i += 32) {
		__m256i at_least[2], at_most[2];

		for (unsigned h = 0; h < 2; h++) {
			__m256i x = load_32(p + i + 16 * h), u = load_32(head + i + 16 * h);
			__m256i low = _mm256_subs_epu16(x, _mm256_set1_epi16(below));
			__m256i high = _mm256_adds_epu16(x, _mm256_set1_epi16(above));

			at_least[h] = _mm256_cmpeq_epi16(_mm256_max_epu16(u, low), u);
			at_most[h] = _mm256_cmpeq_epi16(_mm256_max_epu16(u, high), high);
		}
		not_yes |= bits_of(at_least[0], at_least[1]) << i;
		not_no |= bits_of(at_most[0], at_most[1]) << i;
	}
	verdict->yes = ~not_yes;
	verdict->open = not_no & not_yes;
}

#include "core/random/gaussian/dgauss_judge_kernel.h"

static inline judge_lanes judge_product(judge_lanes a, judge_lanes b)
{
	return (judge_lanes)_mm256_mulhi_epu16((__m256i)a, (__m256i)b);
}

/* For each choice of four values the 32-bit halves that go first. */
static const uint32_t order[16][8] = {
	{0, 1, 0, 1, 0, 1, 0, 1}, {0, 1, 0, 1, 0, 1, 0, 1}, {2, 3, 0, 1, 0, 1, 0, 1},
	{0, 1, 2, 3, 0, 1, 0, 1}, {4, 5, 0, 1, 0, 1, 0, 1}, {0, 1, 4, 5, 0, 1, 0, 1},
	{2, 3, 4, 5, 0, 1, 0, 1}, {0, 1, 2, 3, 4, 5, 0, 1}, {6, 7, 0, 1, 0, 1, 0, 1},
	{0, 1, 6, 7, 0, 1, 0, 1}, {2, 3, 6, 7, 0, 1, 0, 1}, {0, 1, 2, 3, 6, 7, 0, 1},
	{4, 5, 6, 7, 0, 1, 0, 1}, {0, 1, 4, 5, 6, 7, 0, 1}, {2, 3, 4, 5, 6, 7, 0, 1},
	{0, 1, 2, 3, 4, 5, 6, 7}};

/* Addresses tell which candidates were accepted: that is independent of the values. */
static size_t gather(const int64_t *value, uint64_t chosen, int64_t *out)
{
	int64_t *at = out;

	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i += 4) {
		unsigned mask = chosen >> i & 15;

		_mm256_storeu_si256(
			(void *)at,
			_mm256_permutevar8x32_epi32(load_32(value + i), load_32(order[mask])));
		at += __builtin_popcount(mask);
	}
	return (size_t)(at - out);
}

const struct sotto_dgauss_path sotto_dgauss_avx2 = {"avx2", judge, gather};

#endif
