#include "local/client/primitive/checksum.h"

uint32_t sotto_checksum(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint32_t crc = 0xffffffffu;

	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0x82f63b78u & (0u - (crc & 1)));
	}
	return ~crc;
}
