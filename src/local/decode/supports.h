/*
 * supports.h - how many reports support each candidate, protocol by protocol
 */
#ifndef SOTTO_SUPPORTS_H
#define SOTTO_SUPPORTS_H

#include "sotto/decode.h"

/* out[i] += reports (8-byte seed, then a symbol below range >= 2) whose hash of keys[i] is it. */
void sotto_olh_count(const uint8_t *reports, size_t n, size_t stride, uint32_t range,
		     const uint64_t *keys, size_t count, uint64_t *out);

/* The same on the counters of FLH. */
void sotto_flh_count(const struct sotto_local_counts *c, const uint64_t *keys, size_t count,
		     uint64_t *out);

#endif
