/*
 * crc32c.h - CRC-32C (Castagnoli), with the processor's instruction where it has one
 */
#ifndef SOTTO_CRC32C_H
#define SOTTO_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Of one run of bytes; the same as sotto_checksum (src/local/client/primitive/checksum.h). */
uint32_t sotto_crc32c(const void *bytes, size_t n);

/* Continues: start from 0, then pass on what came out. */
uint32_t sotto_crc32c_more(uint32_t crc, const void *bytes, size_t n);

uint32_t sotto_crc32c_portable(uint32_t crc, const void *bytes, size_t n);
uint32_t sotto_crc32c_avx2(uint32_t crc, const void *bytes, size_t n);

#endif
