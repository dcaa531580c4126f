/*
 * layout.h - where the parts of a report are
 *
 *   RR, 1BITMEAN  one byte, 0 or 1
 *   GRR           symbol
 *   SUE, OUE      size bits
 *   OLH           seed (8), symbol below the range
 *   FLH           seed index, symbol below the range
 *   HR            column below blocks * width
 *   SUBSET        w symbols, strictly ascending
 *   RAPPOR        cohort, width bits
 *   CMS           row, width bits
 *   HCMS          row, 2 * column + (sign is minus)
 *   SFP           start, fragment CMS, word CMS
 *   DBITFLIP      d buckets, strictly ascending, d bits
 *   PEM           group, OLH
 *   TREEHIST      level, HCMS of the prefix, HCMS of the value
 *
 * Numbers are little-endian in as few bytes as their range needs; bit i of a
 * vector is bit i%8 of byte i/8; padding bits are zero.
 */
#ifndef SOTTO_LAYOUT_H
#define SOTTO_LAYOUT_H

#include "local/client/primitive/bytes.h"
#include "sotto/client.h"

static inline size_t bit_bytes(uint32_t bits)
{
	return ((size_t)bits + 7) / 8;
}

/* The lanes of the 32-bit word at bit `at` that are not padding. */
static inline uint32_t vector_lanes(uint32_t bits, uint32_t at)
{
	return bits - at >= 32 ? 0xffffffffu : (1u << (bits - at)) - 1;
}

/* The bytes of that word. */
static inline unsigned vector_bytes(uint32_t bits, uint32_t at)
{
	return bits - at >= 32 ? 4 : (unsigned)bit_bytes(bits - at);
}

static inline size_t sketch_bytes(const struct sotto_client_params *p)
{
	return bytes_below(p->groups) + bit_bytes(p->width);
}

static inline size_t hadamard_bytes(const struct sotto_client_params *p)
{
	return (size_t)bytes_below(p->groups) + bytes_below(2 * (uint64_t)p->width);
}

static inline uint32_t sfp_starts(const struct sotto_client_params *p)
{
	return p->size / p->hashes;
}

/* The bits of a value that PEM's group i (from 0) reports. */
static inline uint32_t pem_prefix_bits(const struct sotto_client_params *p, uint32_t i)
{
	uint32_t rest = p->size - p->grain;

	return p->grain + ((i + 1) * rest + p->groups - 1) / p->groups;
}

static inline uint32_t tree_levels(const struct sotto_client_params *p)
{
	return (p->size + p->grain - 1) / p->grain;
}

static inline uint32_t tree_prefix_bits(const struct sotto_client_params *p, uint32_t level)
{
	uint32_t bits = (level + 1) * p->grain;

	return bits < p->size ? bits : p->size;
}

/*
 * The whole value is hashed by other functions than its prefixes: what collided
 * its way up the tree must not collide again in the oracle that tests it.
 */
static inline uint64_t tree_value_salt(const struct sotto_client_params *p)
{
	return p->salt ^ UINT64_C(0x8000000000000000);
}

/* low <= x <= high */
static inline bool between(uint32_t x, uint32_t low, uint32_t high)
{
	return x - low <= high - low;
}

static inline bool power_of_two(uint32_t x)
{
	return x > 0 && (x & (x - 1)) == 0;
}

#endif
