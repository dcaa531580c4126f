/*
 * Two table steps of four bits for each byte, unless the processor has carry-less
 * multiplication.
 */
#include "local/collect/crc32c.h"

/* Four bits at a time: table[i] is the remainder of i. */
static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
				   0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
				   0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
				   0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};

uint32_t sotto_crc32c_portable(uint32_t crc, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

uint32_t sotto_crc32c_more(uint32_t crc, const void *bytes, size_t n)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul"))
		return sotto_crc32c_avx2(crc, bytes, n);
#endif
	return sotto_crc32c_portable(crc, bytes, n);
}

uint32_t sotto_crc32c(const void *bytes, size_t n)
{
	return sotto_crc32c_more(0, bytes, n);
}
