/*
 * Twenty rounds on sixteen words of the stack, without tables or branches; all state is wiped.
 */
#include "local/client/primitive/chacha.h"

#include "local/client/primitive/bytes.h"

static inline void quarter(uint32_t x[16], unsigned a, unsigned b, unsigned c, unsigned d)
{
	x[a] += x[b];
	x[d] = rotl32(x[d] ^ x[a], 16);
	x[c] += x[d];
	x[b] = rotl32(x[b] ^ x[c], 12);
	x[a] += x[b];
	x[d] = rotl32(x[d] ^ x[a], 8);
	x[c] += x[d];
	x[b] = rotl32(x[b] ^ x[c], 7);
}

void sotto_chacha_block(const uint8_t key[32], uint32_t counter, uint8_t out[64])
{
	uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];

	for (unsigned i = 0; i < 8; i++)
		start[4 + i] = load32_le(key + 4 * i);
	start[12] = counter;
	for (unsigned i = 0; i < 16; i++)
		x[i] = start[i];
	for (unsigned round = 0; round < 20; round += 2) {
		quarter(x, 0, 4, 8, 12);
		quarter(x, 1, 5, 9, 13);
		quarter(x, 2, 6, 10, 14);
		quarter(x, 3, 7, 11, 15);
		quarter(x, 0, 5, 10, 15);
		quarter(x, 1, 6, 11, 12);
		quarter(x, 2, 7, 8, 13);
		quarter(x, 3, 4, 9, 14);
	}
	for (unsigned i = 0; i < 16; i++)
		store_le(out + 4 * i, x[i] + start[i], 4);
	wipe_bytes(x, sizeof x);
	wipe_bytes(start, sizeof start);
}
