/*
 * Coefficients come from a seed by splitmix64's finalizer or from a salt by a ChaCha20 block;
 * products modulo 2^61 - 1 also work without 128-bit arithmetic.
 */
#include "local/client/primitive/family.h"

#include "local/client/primitive/bytes.h"
#include "local/client/primitive/chacha.h"
#include "local/client/primitive/sha256.h"

#define FIELD ((UINT64_C(1) << 61) - 1)

uint64_t sotto_family_key(const void *bytes, size_t length)
{
	struct sotto_sha256 s;
	uint8_t digest[32];

	sotto_sha256_init(&s);
	sotto_sha256_add(&s, bytes, length);
	sotto_sha256_end(&s, digest);
	return load64_le(digest);
}

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection that mixes all bits. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

struct sotto_pair_hash sotto_pair_hash_of_seed(uint64_t seed)
{
	const uint64_t golden = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */

	return (struct sotto_pair_hash){mix(seed + golden), mix(seed + 2 * golden),
					mix(seed + 3 * golden)};
}

static void salted_block(uint64_t salt, uint8_t domain, uint32_t index, uint8_t out[64])
{
	uint8_t key[32] = "sotto hash family 1";

	store_le(key + 20, salt, 8);
	key[28] = domain;
	sotto_chacha_block(key, index, out);
}

struct sotto_row_hash sotto_row_hash_of(uint64_t salt, uint32_t row)
{
	struct sotto_row_hash h;
	uint8_t block[64];

	salted_block(salt, 1, row, block);
	for (unsigned i = 0; i < 3; i++) {
		h.c[i] = load64_le(block + 8 * i) >> 3;
		h.c[i] -= h.c[i] == FIELD ? FIELD : 0;
	}
	return h;
}

uint64_t sotto_family_seed(uint64_t salt, uint32_t index)
{
	uint8_t block[64];

	salted_block(salt, 2, index, block);
	return load64_le(block);
}

static uint64_t reduce(uint64_t x)
{
	x = (x & FIELD) + (x >> 61);
	return x >= FIELD ? x - FIELD : x;
}

/* a b mod 2^61 - 1 from 32-bit halves: small targets have no 128-bit product. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__) && !defined(__wasm__)
	unsigned __int128 product = (unsigned __int128)a * b;

	return reduce((uint64_t)(product & FIELD) + (uint64_t)(product >> 61));
#else
	uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
	uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), cross = a0 * b1;
	uint64_t carry = middle + (uint32_t)cross, high;

	low = (uint32_t)low | carry << 32;
	high = a1 * b1 + (cross >> 32) + (carry >> 32);
	return reduce((low & FIELD) + (low >> 61 | high << 3));
#endif
}

uint32_t sotto_row_hash_at(const struct sotto_row_hash *h, uint64_t key, uint32_t range)
{
	uint64_t x = reduce(key);
	uint64_t y = reduce(multiply(h->c[2], x) + h->c[1]);
	uint32_t bits;

	y = reduce(multiply(y, x) + h->c[0]);
	bits = (uint32_t)(y >> 29);
	return sotto_scale32(bits, range);
}
