/* Bulk Gaussian kernels for AVX-512 (F, BW, VL, VBMI): the table of cells is two registers. */
#include "core/random/gaussian/dgauss_block.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define JUDGE_BYTES 64

static inline __m512i load_64(const void *bytes)
{
	return _mm512_loadu_si512(bytes);
}

static inline void judge_lookup(const uint8_t table[SOTTO_DGAUSS_CELLS],
				const uint8_t index[SOTTO_DGAUSS_GROUP],
				uint8_t out[SOTTO_DGAUSS_GROUP])
{
	_mm512_storeu_si512(out, _mm512_permutex2var_epi8(load_64(table), load_64(index),
							  load_64(table + 64)));
}

static inline void judge_choose(const uint8_t *random, const uint8_t *keep, const uint8_t *a,
				const uint8_t *b, uint8_t *out)
{
	__mmask64 kept = _mm512_cmplt_epu8_mask(load_64(random), load_64(keep));
	__m512i low = _mm512_and_si512(load_64(a), _mm512_set1_epi8(SOTTO_DGAUSS_CELLS - 1));

	_mm512_storeu_si512(out, _mm512_mask_blend_epi8(kept, load_64(b), low));
}

static inline void judge_compare(const uint16_t *p, const uint16_t *head, short below,
				 short above, struct sotto_dgauss_verdict *verdict)
{
	uint64_t yes = 0, not_no = 0;

	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i += 32) {
		__m512i x = load_64(p + i), u = load_64(head + i);
		__m512i low = _mm512_subs_epu16(x, _mm512_set1_epi16(below));
		__m512i high = _mm512_adds_epu16(x, _mm512_set1_epi16(above));

		yes |= (uint64_t)_mm512_cmplt_epu16_mask(u, low) << i;
		not_no |= (uint64_t)_mm512_cmple_epu16_mask(u, high) << i;
	}
	verdict->yes = yes;
	verdict->open = not_no & ~yes;
}

#include "core/random/gaussian/dgauss_judge_kernel.h"

static inline judge_lanes judge_product(judge_lanes a, judge_lanes b)
{
	return (judge_lanes)_mm512_mulhi_epu16((__m512i)a, (__m512i)b);
}

/* Compressed in registers: compressing stores are slow on some CPUs. */
static size_t gather(const int64_t *value, uint64_t chosen, int64_t *out)
{
	int64_t *at = out;

	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i += 8) {
		__mmask8 mask = (__mmask8)(chosen >> i);

		_mm512_storeu_si512(at, _mm512_maskz_compress_epi64(mask, load_64(value + i)));
		at += __builtin_popcount(mask);
	}
	return (size_t)(at - out);
}

const struct sotto_dgauss_path sotto_dgauss_avx512 = {"avx512", judge, gather};

#endif
