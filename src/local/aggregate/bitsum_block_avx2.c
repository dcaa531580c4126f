/* Sums of bits by position, compiled for AVX2. */
#include "local/aggregate/bitsum.h"

#if defined(__AVX2__)
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#define VEC __m256i
#define NAME sotto_bitsum_avx2
#define FOLD sotto_bitsum_fold_avx2
#define DROP sotto_bitsum_drop_avx2
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define ADD(a, b, c, high, low)                                                                \
	do {                                                                                   \
		VEC a_ = (a), b_ = (b), c_ = (c), x_ = _mm256_xor_si256(a_, b_);               \
		(high) = _mm256_or_si256(_mm256_and_si256(a_, b_), _mm256_and_si256(x_, c_));  \
		(low) = _mm256_xor_si256(x_, c_);                                              \
	} while (0)
#define REGISTER "x"
#include "local/aggregate/bitsum_kernel.h"
#endif
