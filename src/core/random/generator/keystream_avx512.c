/*
 * AES-256-CTR by VAES on AVX-512: eight times four blocks in flight.
 *
 * Checked against OpenSSL and the published vectors in the tests.  No table, no
 * branch and no address depends on the key.
 */
#include "core/random/generator/keystream.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#include "core/base/wipe.h"

enum { ROUNDS = 14, WIDE = 8, BLOCKS = SOTTO_STRETCH_BYTES / 16 };

bool sotto_keystream_has_vaes(void)
{
	enum { LEAF = 7, VAES_IN_ECX = 1 << 9 }; /* clang 14 has no name for it */
	unsigned a, b, c, d;

	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("aes") &&
	       __get_cpuid_count(LEAF, 0, &a, &b, &c, &d) && (c & VAES_IN_ECX);
}

/* FIPS 197, 5.2: word i of the schedule is word i - 8 and a function of word i - 1. */
static inline __m128i expand(__m128i before, __m128i last)
{
	before = _mm_xor_si128(before, _mm_slli_si128(before, 4));
	before = _mm_xor_si128(before, _mm_slli_si128(before, 8));
	return _mm_xor_si128(before, last);
}

#define EXPAND_EVEN(i, constant)                                                               \
	key[i] = expand(                                                                       \
		key[(i)-2],                                                                    \
		_mm_shuffle_epi32(_mm_aeskeygenassist_si128(key[(i)-1], constant), 0xff))
#define EXPAND_ODD(i)                                                                          \
	key[i] = expand(key[(i)-2],                                                            \
			_mm_shuffle_epi32(_mm_aeskeygenassist_si128(key[(i)-1], 0), 0xaa))

static void schedule(const uint8_t *bytes, __m128i key[ROUNDS + 1])
{
	key[0] = _mm_loadu_si128((const void *)bytes);
	key[1] = _mm_loadu_si128((const void *)(bytes + 16));
	EXPAND_EVEN(2, 0x01);
	EXPAND_ODD(3);
	EXPAND_EVEN(4, 0x02);
	EXPAND_ODD(5);
	EXPAND_EVEN(6, 0x04);
	EXPAND_ODD(7);
	EXPAND_EVEN(8, 0x08);
	EXPAND_ODD(9);
	EXPAND_EVEN(10, 0x10);
	EXPAND_ODD(11);
	EXPAND_EVEN(12, 0x20);
	EXPAND_ODD(13);
	EXPAND_EVEN(14, 0x40);
}

/* Four counter blocks from `first` on: big-endian, and below 2^32 always. */
static inline __m512i counters(uint32_t first)
{
	const __m512i steps = _mm512_set_epi32(3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
	const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	const __mmask16 last_words = 0x8888;
	__m512i n = _mm512_maskz_add_epi32(last_words, steps, _mm512_set1_epi32((int)first));

	return _mm512_shuffle_epi8(n, _mm512_broadcast_i32x4(swap));
}

/* gcc keeps x in memory unless the loops over it are unrolled; clang unrolls by itself. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

static inline __attribute__((always_inline)) void
encrypt(const __m512i key[ROUNDS + 1], uint32_t first, unsigned vectors, __m512i *x)
{
	UNROLL for (unsigned i = 0; i < vectors; i++) x[i] =
		_mm512_xor_si512(counters(first + 4 * i), key[0]);
	for (unsigned r = 1; r < ROUNDS; r++) {
		UNROLL for (unsigned i = 0; i < vectors; i++) x[i] =
			_mm512_aesenc_epi128(x[i], key[r]);
	}
	UNROLL for (unsigned i = 0; i < vectors; i++) x[i] =
		_mm512_aesenclast_epi128(x[i], key[ROUNDS]);
}

void sotto_keystream_next_vaes(uint8_t stretch[SOTTO_STRETCH_BYTES])
{
	__m128i narrow[ROUNDS + 1];
	__m512i key[ROUNDS + 1], x[WIDE];
	uint32_t block = 0;

	_Static_assert(BLOCKS % (4 * WIDE) == 2, "the last two blocks are done apart");
	schedule(stretch, narrow);
	for (unsigned r = 0; r <= ROUNDS; r++)
		key[r] = _mm512_broadcast_i32x4(narrow[r]);
	for (; block < BLOCKS - 2; block += 4 * WIDE) {
		encrypt(key, block, WIDE, x);
		UNROLL for (unsigned i = 0; i < WIDE; i++)
			_mm512_storeu_si512(stretch + 16 * (size_t)(block + 4 * i), x[i]);
	}
	encrypt(key, block, 1, x);
	_mm256_storeu_si256((void *)(stretch + 16 * (size_t)block),
			    _mm512_castsi512_si256(x[0]));
	sotto_wipe(narrow, sizeof narrow);
	sotto_wipe(key, sizeof key);
}

#endif
