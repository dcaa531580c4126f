/*
 * bitsum.h - how often each bit is set in many bit vectors
 *
 * Carry-save adders over bit planes (Harley and Seal; Klarqvist, Mula, Lemire
 * 2019): 16 vectors fold into planes of weight 1, 2, 4, 8 and a carry of weight
 * 16, which waits for a second one and then goes up a level.  Counters are
 * touched once per call.  Every kernel equals the naive loop.
 */
#ifndef SOTTO_BITSUM_H
#define SOTTO_BITSUM_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

/* counters[8 i + b] += vectors with bit b of byte i set; n vectors of `bytes`, back to back. */
void sotto_bitsum_add(uint64_t *counters, size_t bytes, const uint8_t *vectors, size_t n);

typedef void (*sotto_bitsum_kernel)(uint64_t *counters, size_t bytes, const uint8_t *vectors,
				    size_t n);

void sotto_bitsum_naive(uint64_t *counters, size_t bytes, const uint8_t *vectors, size_t n);
void sotto_bitsum_portable(uint64_t *counters, size_t bytes, const uint8_t *vectors, size_t n);
void sotto_bitsum_avx2(uint64_t *counters, size_t bytes, const uint8_t *vectors, size_t n);
void sotto_bitsum_avx512(uint64_t *counters, size_t bytes, const uint8_t *vectors, size_t n);

/*
 * A sum that goes on: blocks of 16 rows of 64 bytes; vectors whose length divides
 * 64 lie side by side in a row.  Starts as zeros; at most SOTTO_BITSUM_BLOCKS_MAX
 * blocks before it is dropped.
 */
#define SOTTO_BITSUM_ROW 64
#define SOTTO_BITSUM_BLOCK (16 * SOTTO_BITSUM_ROW)
#define SOTTO_BITSUM_LEVELS 30
#define SOTTO_BITSUM_BLOCKS_MAX (1u << 25)

struct sotto_bitsum_state {
	alignas(64) uint8_t columns[SOTTO_BITSUM_ROW * 2 * SOTTO_BITSUM_LEVELS];
	uint32_t blocks;
};

struct sotto_bitsum_steps {
	void (*fold)(struct sotto_bitsum_state *s, const uint8_t *block);
	/* Adds the sum to the counters of vectors of `bytes`, and starts again. */
	void (*drop)(struct sotto_bitsum_state *s, size_t bytes, uint64_t *counters);
};

/* The best that this processor has; a state stays with the steps that began it. */
struct sotto_bitsum_steps sotto_bitsum_steps_choose(void);

#define SOTTO_BITSUM_DECLARE(isa)                                                              \
	void sotto_bitsum_fold_##isa(struct sotto_bitsum_state *s, const uint8_t *block);      \
	void sotto_bitsum_drop_##isa(struct sotto_bitsum_state *s, size_t bytes,               \
				     uint64_t *counters);

SOTTO_BITSUM_DECLARE(portable)
SOTTO_BITSUM_DECLARE(avx2)
SOTTO_BITSUM_DECLARE(avx512)
#undef SOTTO_BITSUM_DECLARE

#endif
