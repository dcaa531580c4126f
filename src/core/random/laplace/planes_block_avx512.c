/* The block sampler's kernels for AVX-512 (F, BW, VL, VBMI). */
#include "core/random/laplace/sampler_block.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* Compares the 64 heads of one plane; returns the lanes below, records the ties. */
static inline __mmask64 compare_plane(const struct sotto_planes *p, unsigned k, uint32_t group,
				      const uint8_t *heads, struct sotto_block_record **records)
{
	__m512i random = _mm512_loadu_si512(heads + (size_t)k * SOTTO_BLOCK_GROUP);
	__m512i head = _mm512_set1_epi8((char)p->head[k]);
	uint64_t ties = _mm512_cmpeq_epu8_mask(random, head);

	**records = (struct sotto_block_record){ties, k, group};
	*records += ties != 0;
	return _mm512_cmplt_epu8_mask(random, head);
}

static struct sotto_block_record *
heads_avx512(const struct sotto_planes *p, const uint8_t *heads, uint32_t group, uint8_t *slots,
	     struct sotto_block_record *records)
{
	unsigned k = 0;
	__m512i flags = _mm512_setzero_si512();

	for (uint8_t *slot = slots; k < p->value_bits; slot += SOTTO_BLOCK_STRIDE) {
		__m512i bits = _mm512_setzero_si512();
		__m512i bit = _mm512_set1_epi8(1);
		unsigned end = k + 8 < p->value_bits ? k + 8 : p->value_bits;

		for (; k < end; k++, bit = _mm512_add_epi8(bit, bit))
			bits = _mm512_mask_add_epi8(
				bits, compare_plane(p, k, group, heads, &records), bits, bit);
		_mm512_storeu_si512(slot, bits);
	}
	if (p->has_sign)
		flags = _mm512_maskz_set1_epi8(compare_plane(p, k++, group, heads, &records),
					       1);
	/* The tail's head is 0: it can tie, never be above a random byte. */
	(void)compare_plane(p, k, group, heads, &records);
	_mm512_storeu_si512(slots + SOTTO_BLOCK_FLAGS * SOTTO_BLOCK_STRIDE, flags);
	return records;
}

static void
compare_avx512(const struct sotto_planes *p, uint8_t *words, uint64_t *ones, uint64_t *ties)
{
	for (unsigned k = 0; k < p->count; k += 8) {
		__mmask8 used = (__mmask8)_bzhi_u32(0xff, p->count - k);
		__m512i random = _mm512_maskz_loadu_epi64(used, words + 8 * (size_t)k);
		__m512i first = _mm512_maskz_loadu_epi64(used, p->first + k);

		_mm512_mask_storeu_epi64(words + 8 * (size_t)k, used, _mm512_setzero_si512());
		*ones |= (uint64_t)_mm512_mask_cmplt_epu64_mask(used, random, first) << k;
		*ties |= (uint64_t)_mm512_mask_cmpeq_epu64_mask(used, random, first) << k;
	}
}

static inline __m512i load_8(const uint8_t *bytes)
{
	return _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)bytes));
}

/* 8 draws whose value fits one byte. */
static inline void widen_narrow(const uint8_t *slots, __m512i sign_bit, int64_t *out)
{
	__m512i flags = load_8(slots + SOTTO_BLOCK_FLAGS * SOTTO_BLOCK_STRIDE);
	__m512i sign =
		_mm512_sub_epi64(_mm512_setzero_si512(), _mm512_and_si512(flags, sign_bit));

	_mm512_storeu_si512(out, _mm512_xor_si512(load_8(slots), sign));
}

/*
 * 64 draws of any width: the slots are transposed bytewise.  Interleaving the
 * bytes of slot pairs, then pairs of pairs, works within 16-byte quarters, so
 * the eight results hold draws {2i, 2i+1} of each quarter and are put in order
 * when they are stored.
 */
static inline void widen_group(const struct sotto_planes *p, const uint8_t *slots, int64_t *out)
{
	const unsigned used = (p->value_bits + 7) / 8;
	__m512i s[8], two[8], four[8];
	__m512i flags = _mm512_loadu_si512(slots + SOTTO_BLOCK_FLAGS * SOTTO_BLOCK_STRIDE);
	__m512i sign =
		p->has_sign
			? _mm512_movm_epi8(_mm512_test_epi8_mask(flags, _mm512_set1_epi8(1)))
			: _mm512_setzero_si512();

	for (unsigned i = 0; i < 8; i++)
		s[i] = i < used ? _mm512_xor_si512(
					  _mm512_loadu_si512(slots + i * SOTTO_BLOCK_STRIDE),
					  sign)
				: sign;
	for (unsigned i = 0; i < 4; i++) {
		two[i] = _mm512_unpacklo_epi8(s[2 * i], s[2 * i + 1]);
		two[i + 4] = _mm512_unpackhi_epi8(s[2 * i], s[2 * i + 1]);
	}
	for (unsigned h = 0; h < 8; h += 4)
		for (unsigned i = 0; i < 2; i++) {
			four[h + i] = _mm512_unpacklo_epi16(two[h + 2 * i], two[h + 2 * i + 1]);
			four[h + i + 2] =
				_mm512_unpackhi_epi16(two[h + 2 * i], two[h + 2 * i + 1]);
		}
	for (unsigned j = 0; j < 4; j++) {
		__m512i low = _mm512_unpacklo_epi32(four[2 * j], four[2 * j + 1]);
		__m512i high = _mm512_unpackhi_epi32(four[2 * j], four[2 * j + 1]);
		int64_t *to = out + 4 * j;

		for (int quarter = 0; quarter < 4; quarter++) {
			__m128i a, b;

			switch (quarter) {
			case 0:
				a = _mm512_castsi512_si128(low);
				b = _mm512_castsi512_si128(high);
				break;
			case 1:
				a = _mm512_extracti64x2_epi64(low, 1);
				b = _mm512_extracti64x2_epi64(high, 1);
				break;
			case 2:
				a = _mm512_extracti64x2_epi64(low, 2);
				b = _mm512_extracti64x2_epi64(high, 2);
				break;
			default:
				a = _mm512_extracti64x2_epi64(low, 3);
				b = _mm512_extracti64x2_epi64(high, 3);
			}
			_mm256_storeu_si256((void *)(to + 16 * quarter),
					    _mm256_set_m128i(b, a));
		}
	}
}

static void
widen_avx512(const struct sotto_planes *p, const uint8_t *slots, int64_t *out, size_t n)
{
	const __m512i sign_bit = _mm512_set1_epi64(p->has_sign);

	if (p->value_bits >= 1 && p->value_bits <= 8)
		for (size_t i = 0; i < n; i += 8)
			widen_narrow(slots + i, sign_bit, out + i);
	else
		for (size_t i = 0; i < n; i += SOTTO_BLOCK_GROUP)
			widen_group(p, slots + i, out + i);
}

const struct sotto_block_path sotto_block_avx512 = {"avx512", heads_avx512, compare_avx512,
						    widen_avx512};

#endif
