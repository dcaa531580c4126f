/* One bit at a time with a mask in place of a branch: slow, and a few dozen bytes of code. */
#include "local/client/primitive/checksum.h"

uint32_t sotto_checksum_more(uint32_t crc, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0x82f63b78u & (0u - (crc & 1)));
	}
	return ~crc;
}

uint32_t sotto_checksum(const void *bytes, size_t n)
{
	return sotto_checksum_more(0, bytes, n);
}
