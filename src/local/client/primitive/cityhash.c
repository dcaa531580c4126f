/*
 * One function for each range of lengths, as the published algorithm has it; bytes are read as
 * little-endian words.
 */
#include "local/client/primitive/cityhash.h"

#include "local/client/primitive/bytes.h"

#define K0 0xc3a5c85c97cb3127u
#define K1 0xb492b66fbe98f273u
#define K2 0x9ae16a3b2f90404fu
#define K3 0xc949d7c7509e6557u
#define KM 0x9ddfea08eb382d69u

struct pair {
	uint64_t a, b;
};

static uint64_t rotate(uint64_t x, unsigned r)
{
	return r == 0 ? x : x >> r | x << (64 - r);
}

static uint64_t mix(uint64_t v)
{
	return v ^ v >> 47;
}

static uint64_t hash2(uint64_t u, uint64_t v)
{
	uint64_t a = mix((u ^ v) * KM);

	return mix((v ^ a) * KM) * KM;
}

static uint64_t upto16(const uint8_t *s, size_t n)
{
	if (n > 8) {
		uint64_t a = load64_le(s), b = load64_le(s + n - 8);

		return hash2(a, rotate(b + n, (unsigned)n)) ^ b;
	}
	if (n >= 4)
		return hash2(n + ((uint64_t)load32_le(s) << 3), load32_le(s + n - 4));
	if (n > 0) {
		uint32_t y = s[0] + ((uint32_t)s[n / 2] << 8);
		uint32_t z = (uint32_t)n + ((uint32_t)s[n - 1] << 2);

		return mix(y * K2 ^ z * K3) * K2;
	}
	return K2;
}

static uint64_t upto32(const uint8_t *s, size_t n)
{
	uint64_t a = load64_le(s) * K1, b = load64_le(s + 8);
	uint64_t c = load64_le(s + n - 8) * K2, e = load64_le(s + n - 16) * K0;

	return hash2(rotate(a - b, 43) + rotate(c, 30) + e, a + rotate(b ^ K3, 20) - c + n);
}

static struct pair half(uint64_t a, uint64_t z, uint64_t x, uint64_t y)
{
	uint64_t b = rotate(a + z, 52), c = rotate(a, 37);

	a += x;
	c += rotate(a, 7);
	a += y;
	return (struct pair){a + z, b + rotate(a, 31) + c};
}

static uint64_t upto64(const uint8_t *s, size_t n)
{
	const uint8_t *end = s + n;
	struct pair v = half(load64_le(s) + (n + load64_le(end - 16)) * K0, load64_le(s + 24),
			     load64_le(s + 8), load64_le(s + 16));
	struct pair w = half(load64_le(s + 16) + load64_le(end - 32), load64_le(end - 8),
			     load64_le(end - 24), load64_le(end - 16));
	uint64_t r = mix((v.a + w.b) * K2 + (w.a + v.b) * K0);

	return mix(r * K0 + v.b) * K2;
}

static struct pair weak(const uint8_t *s, uint64_t a, uint64_t b)
{
	uint64_t c, z = load64_le(s + 24);

	a += load64_le(s);
	b = rotate(b + a + z, 21);
	c = a;
	a += load64_le(s + 8) + load64_le(s + 16);
	b += rotate(a, 44);
	return (struct pair){a + z, b + c};
}

static uint64_t above64(const uint8_t *s, size_t n)
{
	const uint8_t *end = s + n;
	uint64_t x = load64_le(end - 40), y = load64_le(end - 16) + load64_le(end - 56);
	uint64_t z = hash2(load64_le(end - 48) + n, load64_le(end - 24)), t;
	struct pair v = weak(end - 64, n, z), w = weak(end - 32, y + K1, x);

	x = x * K1 + load64_le(s);
	for (size_t blocks = (n - 1) / 64; blocks > 0; blocks--, s += 64) {
		x = rotate(x + y + v.a + load64_le(s + 8), 37) * K1;
		y = rotate(y + v.b + load64_le(s + 48), 42) * K1;
		x ^= w.b;
		y += v.a + load64_le(s + 40);
		z = rotate(z + w.a, 33) * K1;
		v = weak(s, v.b * K1, x + w.a);
		w = weak(s + 32, z + w.b, y + load64_le(s + 16));
		t = x;
		x = z;
		z = t;
	}
	return hash2(hash2(v.a, w.a) + mix(y) * K1 + z, hash2(v.b, w.b) + x);
}

uint64_t sotto_cityhash64(const uint8_t *s, size_t n)
{
	if (n <= 16)
		return upto16(s, n);
	if (n <= 32)
		return upto32(s, n);
	return n <= 64 ? upto64(s, n) : above64(s, n);
}

uint64_t sotto_cityhash64_seeded(const uint8_t *s, size_t n, uint64_t seed)
{
	return hash2(sotto_cityhash64(s, n) - K2, seed);
}
