/*
 * checksum.h - CRC-32C, small: no table, no special instructions
 */
#ifndef SOTTO_CHECKSUM_H
#define SOTTO_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint32_t sotto_checksum(const void *bytes, size_t n);

/* Of what has the checksum crc, followed by these bytes. */
uint32_t sotto_checksum_more(uint32_t crc, const void *bytes, size_t n);

#endif
