/*
 * bitsum.h - how often each bit is set in many bit vectors
 *
 * Carry-save adders over bit planes (Harley and Seal; Klarqvist, Mula, Lemire
 * 2019): 16 vectors fold into planes of weight 1, 2, 4, 8 and a carry of weight
 * 16, which waits for a second one and then goes up a level.  Counters are
 * touched once per call.  Every kernel equals the naive loop.
 */
#ifndef SOTTO_LOCAL_BITSUM_H
#define SOTTO_LOCAL_BITSUM_H

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

#endif
