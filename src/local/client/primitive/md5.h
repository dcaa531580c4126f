/*
 * md5.h - MD5 (RFC 1321), only for reports that deployed clients define with it
 */
#ifndef SOTTO_MD5_H
#define SOTTO_MD5_H

#include <stddef.h>
#include <stdint.h>

struct sotto_md5 {
	uint32_t h[4];
	uint8_t block[64];
	uint64_t length;
};

void sotto_md5_init(struct sotto_md5 *s);
void sotto_md5_add(struct sotto_md5 *s, const void *bytes, size_t n);
void sotto_md5_end(struct sotto_md5 *s, uint8_t out[16]);

#endif
