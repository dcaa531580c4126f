/*
 * sampler_block.h - the parts of the block sampler that have a version for each instruction set
 *
 * A block is up to 4096 draws.  Each plane of each draw takes one random byte, the head, compared
 * with the first 8 digits of the plane's probability; a group of 64 draws is the unit of the tape
 * on every CPU.  One head in 256 is tied and recorded; a list of fixed length settles those
 * (planes_block.md).
 */
#ifndef SOTTO_SAMPLER_BLOCK_H
#define SOTTO_SAMPLER_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "core/random/laplace/planes.h"

enum {
	SOTTO_BLOCK_GROUP = 64,
	SOTTO_BLOCK_LANES = 4096,
	SOTTO_BLOCK_STRIDE =
		SOTTO_BLOCK_LANES + SOTTO_BLOCK_GROUP, /* with a group for dummies */
	SOTTO_BLOCK_SLOTS = 8, /* accumulators: value bits 0..55 in slots 0..6 */
	SOTTO_BLOCK_FLAGS = 7, /* the last one: sign in bit 0, tail in bit 1 */
	SOTTO_BLOCK_RECORDS = SOTTO_BLOCK_LANES / SOTTO_BLOCK_GROUP * SOTTO_PLANES_MAX,
	/* 2 ceil(4096 * 58 / 256) + 64 */
	SOTTO_BLOCK_BUDGET = 2 * (SOTTO_BLOCK_LANES * SOTTO_PLANES_MAX / 256) + 64,
};

/* The tied heads of one plane in one group. */
struct sotto_block_record {
	uint64_t lanes;
	uint32_t plane;
	uint32_t group;
};

struct sotto_block_path {
	const char *name;
	/*
	 * Compares one group's heads (count * 64 bytes, plane after plane), writes slot s of the
	 * group at slots + s * SOTTO_BLOCK_STRIDE, and appends a record for each plane that has
	 * ties.  Returns the end of the records; one record past it may be overwritten.
	 */
	struct sotto_block_record *(*heads)(const struct sotto_planes *p, const uint8_t *heads,
					    uint32_t group, uint8_t *slots,
					    struct sotto_block_record *records);
	/* Compares the words of one draw for planes_core_kernel.h. */
	void (*compare)(const struct sotto_planes *p, uint8_t *words, uint64_t *ones,
			uint64_t *ties);
	/* Combines the slots of n draws (a multiple of 64) into integers. */
	void (*widen)(const struct sotto_planes *p, const uint8_t *slots, int64_t *out,
		      size_t n);
};

extern const struct sotto_block_path sotto_block_portable;
#if defined(__x86_64__)
extern const struct sotto_block_path sotto_block_avx2;
extern const struct sotto_block_path sotto_block_avx512;
#endif

/* Returns the fastest path that this CPU can run. */
const struct sotto_block_path *sotto_block_path_best(void);

#endif
