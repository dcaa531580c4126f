/* The fast Walsh-Hadamard transform, compiled for AVX2. */
#include "local/decode/kernel/fwht.h"

#if defined(__AVX2__)
#include <immintrin.h>

#define VEC __m256i
#define LANES 8
#define NAME sotto_fwht_i32_avx2
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define PLUS(a, b) _mm256_add_epi32(a, b)
#define MINUS(a, b) _mm256_sub_epi32(a, b)

/* One level: each lane and its partner; the lanes of the mask are the second of the pair. */
#define LEVEL(v, partner, mask)                                                                \
	do {                                                                                   \
		__m256i other = (partner);                                                     \
		(v) = _mm256_blend_epi32(_mm256_add_epi32(v, other),                           \
					 _mm256_sub_epi32(other, v), mask);                    \
	} while (0)

static inline __m256i within(__m256i v)
{
	LEVEL(v, _mm256_shuffle_epi32(v, _MM_SHUFFLE(2, 3, 0, 1)), 0xaa);
	LEVEL(v, _mm256_shuffle_epi32(v, _MM_SHUFFLE(1, 0, 3, 2)), 0xcc);
	LEVEL(v, _mm256_permute2x128_si256(v, v, 1), 0xf0);
	return v;
}
#define WITHIN(v) within(v)
#include "local/decode/kernel/fwht_kernel.h"
#endif
