/* The block sampler's kernels for AVX2: a group is two halves of 32 lanes. */
#include "core/random/laplace/sampler_block.h"

#if defined(__x86_64__)

#include <immintrin.h>

struct compared {
	__m256i low_less, high_less; /* 0xff in the lanes below */
};

static inline __m256i load_32(const uint8_t *bytes)
{
	return _mm256_loadu_si256((const void *)bytes);
}

/* There is no unsigned byte compare: r < t is not(max(r, t) == r). */
static inline __m256i less_than(__m256i random, __m256i head)
{
	__m256i not_less = _mm256_cmpeq_epi8(_mm256_max_epu8(random, head), random);

	return _mm256_xor_si256(not_less, _mm256_set1_epi8(-1));
}

static inline struct compared compare_plane(const struct sotto_planes *p, unsigned k,
					    uint32_t group, const uint8_t *heads,
					    struct sotto_block_record **records)
{
	const uint8_t *at = heads + (size_t)k * SOTTO_BLOCK_GROUP;
	__m256i low = load_32(at), high = load_32(at + 32);
	__m256i head = _mm256_set1_epi8((char)p->head[k]);
	uint32_t low_ties = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, head));
	uint32_t high_ties = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, head));
	uint64_t ties = (uint64_t)high_ties << 32 | low_ties;

	**records = (struct sotto_block_record){ties, k, group};
	*records += ties != 0;
	return (struct compared){less_than(low, head), less_than(high, head)};
}

static inline void store_group(uint8_t *to, __m256i low, __m256i high)
{
	_mm256_storeu_si256((void *)to, low);
	_mm256_storeu_si256((void *)(to + 32), high);
}

static struct sotto_block_record *heads_avx2(const struct sotto_planes *p, const uint8_t *heads,
					     uint32_t group, uint8_t *slots,
					     struct sotto_block_record *records)
{
	uint8_t *flags = slots + SOTTO_BLOCK_FLAGS * SOTTO_BLOCK_STRIDE;
	const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi8(1);
	struct compared c = {zero, zero};
	unsigned k = 0;

	for (uint8_t *slot = slots; k < p->value_bits; slot += SOTTO_BLOCK_STRIDE) {
		__m256i low = zero, high = zero, bit = one;
		unsigned end = k + 8 < p->value_bits ? k + 8 : p->value_bits;

		for (; k < end; k++, bit = _mm256_add_epi8(bit, bit)) {
			c = compare_plane(p, k, group, heads, &records);
			low = _mm256_or_si256(low, _mm256_and_si256(c.low_less, bit));
			high = _mm256_or_si256(high, _mm256_and_si256(c.high_less, bit));
		}
		store_group(slot, low, high);
	}
	c = (struct compared){zero, zero};
	if (p->has_sign)
		c = compare_plane(p, k++, group, heads, &records);
	store_group(flags, _mm256_and_si256(c.low_less, one),
		    _mm256_and_si256(c.high_less, one));
	/* The tail's head is 0: it can tie, never be above a random byte. */
	(void)compare_plane(p, k, group, heads, &records);
	return records;
}

/* Lanes 0..n-1 of four words; n may be more than four. */
static inline __m256i first_lanes(unsigned n)
{
	return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_set_epi64x(3, 2, 1, 0));
}

static inline uint64_t mask_of_words(__m256i words)
{
	return (uint64_t)_mm256_movemask_pd(_mm256_castsi256_pd(words));
}

/* There is no unsigned compare of words either: both sides are moved by 2^63. */
static void
compare_avx2(const struct sotto_planes *p, uint8_t *words, uint64_t *ones, uint64_t *ties)
{
	const __m256i middle = _mm256_set1_epi64x(INT64_MIN);

	for (unsigned k = 0; k < p->count; k += 4) {
		__m256i used = first_lanes(p->count - k);
		long long *at = (void *)(words + 8 * (size_t)k);
		__m256i random = _mm256_xor_si256(_mm256_maskload_epi64(at, used), middle);
		__m256i first = _mm256_maskload_epi64((const void *)(p->first + k), used);
		__m256i less = _mm256_cmpgt_epi64(_mm256_xor_si256(first, middle), random);
		__m256i tied = _mm256_cmpeq_epi64(_mm256_xor_si256(first, middle), random);

		_mm256_maskstore_epi64(at, used, _mm256_setzero_si256());
		*ones |= mask_of_words(_mm256_and_si256(less, used)) << k;
		*ties |= mask_of_words(_mm256_and_si256(tied, used)) << k;
	}
}

static inline __m256i load_4(const uint8_t *bytes)
{
	int32_t four;

	__builtin_memcpy(&four, bytes, sizeof four);
	return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
}

/* 4 draws whose value fits one byte. */
static inline void widen_narrow(const uint8_t *slots, __m256i sign_bit, int64_t *out)
{
	__m256i flags = load_4(slots + SOTTO_BLOCK_FLAGS * SOTTO_BLOCK_STRIDE);
	__m256i sign =
		_mm256_sub_epi64(_mm256_setzero_si256(), _mm256_and_si256(flags, sign_bit));

	_mm256_storeu_si256((void *)out, _mm256_xor_si256(load_4(slots), sign));
}

/* 16 draws of any width, as a byte transpose by three rounds of interleaving. */
static inline void widen_16(const struct sotto_planes *p, const uint8_t *slots, int64_t *out)
{
	const unsigned used = (p->value_bits + 7) / 8;
	const uint8_t *flags = slots + SOTTO_BLOCK_FLAGS * SOTTO_BLOCK_STRIDE;
	const __m128i one = _mm_set1_epi8((char)p->has_sign);
	__m128i sign = _mm_sub_epi8(_mm_setzero_si128(),
				    _mm_and_si128(_mm_loadu_si128((const void *)flags), one));
	__m128i s[8], two[8], four[8];

	for (unsigned i = 0; i < 8; i++)
		s[i] = i < used ? _mm_xor_si128(_mm_loadu_si128(
							(const void *)(slots +
								       i * SOTTO_BLOCK_STRIDE)),
						sign)
				: sign;
	for (unsigned i = 0; i < 4; i++) {
		two[i] = _mm_unpacklo_epi8(s[2 * i], s[2 * i + 1]);
		two[i + 4] = _mm_unpackhi_epi8(s[2 * i], s[2 * i + 1]);
	}
	for (unsigned h = 0; h < 8; h += 4)
		for (unsigned i = 0; i < 2; i++) {
			four[h + i] = _mm_unpacklo_epi16(two[h + 2 * i], two[h + 2 * i + 1]);
			four[h + i + 2] =
				_mm_unpackhi_epi16(two[h + 2 * i], two[h + 2 * i + 1]);
		}
	for (unsigned j = 0; j < 4; j++) {
		__m128i low = _mm_unpacklo_epi32(four[2 * j], four[2 * j + 1]);
		__m128i high = _mm_unpackhi_epi32(four[2 * j], four[2 * j + 1]);

		_mm_storeu_si128((void *)(out + 4 * j), low);
		_mm_storeu_si128((void *)(out + 4 * j + 2), high);
	}
}

static void
widen_avx2(const struct sotto_planes *p, const uint8_t *slots, int64_t *out, size_t n)
{
	const __m256i sign_bit = _mm256_set1_epi64x(p->has_sign);

	if (p->value_bits >= 1 && p->value_bits <= 8)
		for (size_t i = 0; i < n; i += 4)
			widen_narrow(slots + i, sign_bit, out + i);
	else
		for (size_t i = 0; i < n; i += 16)
			widen_16(p, slots + i, out + i);
}

const struct sotto_block_path sotto_block_avx2 = {"avx2", heads_avx2, compare_avx2, widen_avx2};

#endif
