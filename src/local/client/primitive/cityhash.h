/*
 * cityhash.h - CityHash64 version 1.0, the one Chromium's RAPPOR client used
 *
 * Version 1.1 gives other values for most lengths.
 */
#ifndef SOTTO_CITYHASH_H
#define SOTTO_CITYHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t sotto_cityhash64(const uint8_t *s, size_t n);
uint64_t sotto_cityhash64_seeded(const uint8_t *s, size_t n, uint64_t seed);

#endif
