#include "local/client/primitive/chacha.h"

#include "local/client/primitive/bytes.h"

static void quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
	*a += *b;
	*d = rotl32(*d ^ *a, 16);
	*c += *d;
	*b = rotl32(*b ^ *c, 12);
	*a += *b;
	*d = rotl32(*d ^ *a, 8);
	*c += *d;
	*b = rotl32(*b ^ *c, 7);
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
		for (unsigned i = 0; i < 4; i++)
			quarter(&x[i], &x[4 + i], &x[8 + i], &x[12 + i]);
		for (unsigned i = 0; i < 4; i++)
			quarter(&x[i], &x[4 + (i + 1) % 4], &x[8 + (i + 2) % 4],
				&x[12 + (i + 3) % 4]);
	}
	for (unsigned i = 0; i < 16; i++)
		store_le(out + 4 * i, x[i] + start[i], 4);
	wipe_bytes(x, sizeof x);
	wipe_bytes(start, sizeof start);
}
