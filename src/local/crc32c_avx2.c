#include "local/crc32c.h"

#if defined(__AVX2__)
#include <nmmintrin.h>
#include <string.h>

uint32_t sotto_crc32c_avx2(uint32_t crc, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint64_t state = ~crc, word;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&word, p, 8);
		state = _mm_crc32_u64(state, word);
	}
	for (; n > 0; n--)
		state = _mm_crc32_u8((uint32_t)state, *p++);
	return ~(uint32_t)state;
}
#endif
