/* The fast Walsh-Hadamard transform, compiled for AVX-512. */
#include "local/decode/kernel/fwht.h"

#if defined(__AVX512F__)
#include <immintrin.h>

#define VEC __m512i
#define LANES 16
#define NAME sotto_fwht_i32_avx512
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define PLUS(a, b) _mm512_add_epi32(a, b)
#define MINUS(a, b) _mm512_sub_epi32(a, b)

/* One level: each lane and its partner; the lanes of the mask are the second of the pair. */
#define LEVEL(v, partner, mask)                                                                \
	do {                                                                                   \
		__m512i other = (partner);                                                     \
		(v) = _mm512_mask_sub_epi32(_mm512_add_epi32(v, other), mask, other, v);       \
	} while (0)

static inline __m512i within(__m512i v)
{
	LEVEL(v, _mm512_shuffle_epi32(v, _MM_PERM_CDAB), 0xaaaa);
	LEVEL(v, _mm512_shuffle_epi32(v, _MM_PERM_BADC), 0xcccc);
	LEVEL(v, _mm512_shuffle_i32x4(v, v, _MM_SHUFFLE(2, 3, 0, 1)), 0xf0f0);
	LEVEL(v, _mm512_shuffle_i32x4(v, v, _MM_SHUFFLE(1, 0, 3, 2)), 0xff00);
	return v;
}
#define WITHIN(v) within(v)
#include "local/decode/kernel/fwht_kernel.h"
#endif
