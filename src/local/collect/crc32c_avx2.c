/* CRC-32C with the processor's instruction for it, three runs side by side. */
#include "local/collect/crc32c.h"

#if defined(__AVX2__)
#include <nmmintrin.h>
#include <string.h>
#include <wmmintrin.h>

static uint64_t step(uint64_t state, const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, 8);
	return _mm_crc32_u64(state, word);
}

/*
 * The state after n more zero bytes, times = x^(8n - 33) modulo the polynomial,
 * bits reversed: the carry-less product has 63 bits, and taking in 8 bytes
 * multiplies by x^32 and reduces it.
 */
__attribute__((target("pclmul"))) static uint64_t ahead(uint64_t state, uint32_t times)
{
	__m128i product = _mm_clmulepi64_si128(_mm_cvtsi32_si128((int)(uint32_t)state),
					       _mm_cvtsi32_si128((int)times), 0);

	return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}

/* Three runs of `part` bytes side by side: one instruction takes three cycles, three do too. */
static uint64_t three(uint64_t state, const uint8_t *p, size_t part, uint32_t times)
{
	uint64_t second = 0, third = 0;

	for (size_t i = 0; i < part; i += 8) {
		state = step(state, p + i);
		second = step(second, p + part + i);
		third = step(third, p + 2 * part + i);
	}
	return ahead(ahead(state, times) ^ second, times) ^ third;
}

uint32_t sotto_crc32c_avx2(uint32_t crc, const void *bytes, size_t n)
{
	static const struct {
		size_t part;
		uint32_t times;
	} sizes[] = {{4096, 0x82f89c77}, {256, 0xb9e02b86}};
	const uint8_t *p = bytes;
	uint64_t state = ~crc;

	for (size_t i = 0; i < 2; i++)
		for (; n >= 3 * sizes[i].part; n -= 3 * sizes[i].part, p += 3 * sizes[i].part)
			state = three(state, p, sizes[i].part, sizes[i].times);
	for (; n >= 8; n -= 8, p += 8)
		state = step(state, p);
	for (; n > 0; n--)
		state = _mm_crc32_u8((uint32_t)state, *p++);
	return ~(uint32_t)state;
}
#endif
