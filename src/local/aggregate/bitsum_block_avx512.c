/* Sums of bits by position, compiled for AVX-512. */
#include "local/aggregate/bitsum.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#define VEC __m512i
#define NAME sotto_bitsum_avx512
#define FOLD sotto_bitsum_fold_avx512
#define DROP sotto_bitsum_drop_avx512
#define LOAD(p) _mm512_loadu_si512(p)
/* 0xe8 is the majority of three bits, 0x96 their sum. */
#define ADD(a, b, c, high, low)                                                                \
	do {                                                                                   \
		VEC a_ = (a), b_ = (b), c_ = (c);                                              \
		(high) = _mm512_ternarylogic_epi64(a_, b_, c_, 0xe8);                          \
		(low) = _mm512_ternarylogic_epi64(a_, b_, c_, 0x96);                           \
	} while (0)
#define REGISTER "v"
#include "local/aggregate/bitsum_kernel.h"
#endif
