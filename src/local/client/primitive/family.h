/*
 * family.h - the public hash functions that device and server share
 *
 * Values enter as 64-bit keys: of bytes the first 8 bytes of their SHA-256, of
 * numbers a mixed form of themselves.
 *
 * Pair family (OLH, FLH, PEM): key = (x0, x1) of 32 bits each,
 * h = (a0 x0 + a1 x1 + b mod 2^64) >> 32, then scaled to [0, range).  Pairwise
 * independent over (a0, a1, b) (Dietzfelbinger 1996).
 *
 * Row family (CMS, HCMS): a polynomial of degree 2 over the field of 2^61 - 1,
 * then scaled to [0, range): three-wise independent over its coefficients, as the
 * variance formula of the sketches asks.
 */
#ifndef SOTTO_FAMILY_H
#define SOTTO_FAMILY_H

#include <stddef.h>
#include <stdint.h>

uint64_t sotto_family_key(const void *bytes, size_t length);

/*
 * The key of a number below 2^32: a bijection (the finalizer of MurmurHash3) that
 * breaks arithmetic progressions.  Under multiply-shift 0, 1 and 2 collide
 * together, and where few functions serve many users (FLH) that would add
 * variance which the formula does not have.
 */
static inline uint64_t sotto_family_number_key(uint64_t number)
{
	uint32_t x = (uint32_t)number;

	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}

struct sotto_pair_hash {
	uint64_t a0, a1, b;
};

/* The function of one report's 64-bit seed. */
struct sotto_pair_hash sotto_pair_hash_of_seed(uint64_t seed);

static inline uint32_t sotto_pair_hash_at(const struct sotto_pair_hash *h, uint64_t key)
{
	return (uint32_t)((h->a0 * (uint32_t)key + h->a1 * (key >> 32) + h->b) >> 32);
}

/* 32 uniform bits to 0 .. range-1 */
static inline uint32_t sotto_scale32(uint32_t x, uint32_t range)
{
	return (uint32_t)((uint64_t)x * range >> 32);
}

struct sotto_row_hash {
	uint64_t c[3]; /* below 2^61 - 1 */
};

/* The function of one row, drawn from ChaCha20 keyed by the salt. */
struct sotto_row_hash sotto_row_hash_of(uint64_t salt, uint32_t row);

/* range <= 2^32 */
uint32_t sotto_row_hash_at(const struct sotto_row_hash *h, uint64_t key, uint32_t range);

/* The seed with this index, for FLH: ChaCha20 keyed by the salt. */
uint64_t sotto_family_seed(uint64_t salt, uint32_t index);

#endif
