/*
 * The message schedule is extended in place, sixteen words at a time, to spare the stack of
 * small devices; HMAC keeps only the outer key beside one state.
 */
#include "local/client/primitive/sha256.h"

#include "local/client/primitive/bytes.h"

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2};

static uint32_t rotr32(uint32_t x, unsigned r)
{
	return x >> r | x << (32 - r);
}

/* The next 16 words of the schedule, in place: 64 would cost a quarter of a device's stack. */
static void extend(uint32_t w[16])
{
	for (unsigned i = 0; i < 16; i++) {
		uint32_t a = w[(i + 1) & 15], b = w[(i + 14) & 15];

		w[i] += (rotr32(a, 7) ^ rotr32(a, 18) ^ a >> 3) + w[(i + 9) & 15] +
			(rotr32(b, 17) ^ rotr32(b, 19) ^ b >> 10);
	}
}

/* The eight variables stay where they are and their names go round: e is V(4). */
#define V(k) v[((k) + 8 - turn) & 7]
static inline void step(uint32_t v[8], unsigned turn, uint32_t word)
{
	uint32_t e = V(4), a = V(0);
	uint32_t t = V(7) + (rotr32(e, 6) ^ rotr32(e, 11) ^ rotr32(e, 25)) +
		     (V(6) ^ (e & (V(5) ^ V(6)))) + word;
	uint32_t u = (rotr32(a, 2) ^ rotr32(a, 13) ^ rotr32(a, 22)) +
		     ((a & V(1)) | (V(2) & (a | V(1))));

	V(3) += t;
	V(7) = t + u;
}
#undef V

static void compress(uint32_t h[8], const uint8_t block[64])
{
	uint32_t w[16], v[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = load32_be(block + 4 * i);
	for (unsigned i = 0; i < 8; i++)
		v[i] = h[i];
	/* Eight steps at a time, so that every index is known when it is compiled. */
	for (unsigned i = 0; i < 64; i += 8) {
		const uint32_t *k = K + i, *x = w + (i & 8);

		if (i > 0 && (i & 15) == 0)
			extend(w);
		step(v, 0, k[0] + x[0]);
		step(v, 1, k[1] + x[1]);
		step(v, 2, k[2] + x[2]);
		step(v, 3, k[3] + x[3]);
		step(v, 4, k[4] + x[4]);
		step(v, 5, k[5] + x[5]);
		step(v, 6, k[6] + x[6]);
		step(v, 7, k[7] + x[7]);
	}
	for (unsigned i = 0; i < 8; i++)
		h[i] += v[i];
	wipe_bytes(w, sizeof w);
	wipe_bytes(v, sizeof v);
}

void sotto_sha256_init(struct sotto_sha256 *s)
{
	static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	for (unsigned i = 0; i < 8; i++)
		s->h[i] = start[i];
	s->length = 0;
}

void sotto_sha256_add(struct sotto_sha256 *s, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	while (n > 0) {
		size_t used = s->length & 63, some = 64 - used < n ? 64 - used : n;

		copy_bytes(s->block + used, p, some);
		s->length += some;
		p += some;
		n -= some;
		if (used + some == 64)
			compress(s->h, s->block);
	}
}

void sotto_sha256_end(struct sotto_sha256 *s, uint8_t out[32])
{
	static const uint8_t padding[64] = {0x80};
	uint64_t bits = s->length * 8;
	uint8_t tail[8];

	sotto_sha256_add(s, padding, 1 + ((119 - (s->length & 63)) & 63));
	store32_be(tail, (uint32_t)(bits >> 32));
	store32_be(tail + 4, (uint32_t)bits);
	sotto_sha256_add(s, tail, 8);
	for (unsigned i = 0; i < 8; i++)
		store32_be(out + 4 * i, s->h[i]);
	wipe_bytes(s, sizeof *s);
}

void sotto_hmac_init(struct sotto_hmac *m, const void *key, size_t n)
{
	uint8_t *pad = m->outer_key;

	zero_bytes(pad, 64);
	sotto_sha256_init(&m->inner);
	if (n > 64) {
		sotto_sha256_add(&m->inner, key, n);
		sotto_sha256_end(&m->inner, pad);
		sotto_sha256_init(&m->inner);
	} else {
		copy_bytes(pad, key, n);
	}
	for (unsigned i = 0; i < 64; i++)
		pad[i] ^= 0x36;
	sotto_sha256_add(&m->inner, pad, 64);
	for (unsigned i = 0; i < 64; i++)
		pad[i] ^= 0x36 ^ 0x5c;
}

void sotto_hmac_add(struct sotto_hmac *m, const void *bytes, size_t n)
{
	sotto_sha256_add(&m->inner, bytes, n);
}

void sotto_hmac_end(struct sotto_hmac *m, uint8_t out[32])
{
	sotto_sha256_end(&m->inner, out);
	sotto_sha256_init(&m->inner);
	sotto_sha256_add(&m->inner, m->outer_key, 64);
	sotto_sha256_add(&m->inner, out, 32);
	sotto_sha256_end(&m->inner, out);
	wipe_bytes(m, sizeof *m);
}
