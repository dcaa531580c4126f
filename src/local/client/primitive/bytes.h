/*
 * bytes.h - loads, stores and rotations, the same on every machine
 */
#ifndef SOTTO_BYTES_H
#define SOTTO_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t rotl32(uint32_t x, unsigned r)
{
	return x << r | x >> (32 - r);
}

static inline uint32_t load32_le(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static inline uint32_t load32_be(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t load64_le(const uint8_t *p)
{
	return load32_le(p) | (uint64_t)load32_le(p + 4) << 32;
}

static inline uint64_t load64_be(const uint8_t *p)
{
	return load32_be(p + 4) | (uint64_t)load32_be(p) << 32;
}

/* n bytes, n <= 8, least significant first */
static inline uint64_t load_le(const uint8_t *p, unsigned n)
{
	uint64_t x = 0;

	for (unsigned i = 0; i < n; i++)
		x |= (uint64_t)p[i] << 8 * i;
	return x;
}

static inline void store_le(uint8_t *p, uint64_t x, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (uint8_t)(x >> 8 * i);
}

static inline void store32_be(uint8_t *p, uint32_t x)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(x >> (24 - 8 * i));
}

static inline void copy_bytes(uint8_t *to, const uint8_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}

static inline void zero_bytes(void *p, size_t n)
{
	uint8_t *b = p;

	for (size_t i = 0; i < n; i++)
		b[i] = 0;
}

/* Zeroing that the compiler may not remove. */
static inline void wipe_bytes(void *p, size_t n)
{
	zero_bytes(p, n);
	__asm__ __volatile__("" : : "r"(p) : "memory");
}

/* The bytes that hold every number below n, n >= 1. */
static inline unsigned bytes_below(uint64_t n)
{
	unsigned bytes = 1;

	for (n -= 1; n > 255; n >>= 8)
		bytes++;
	return bytes;
}

#endif
