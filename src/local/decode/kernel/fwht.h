/*
 * fwht.h - the fast Walsh-Hadamard transform, in place, without scaling
 *
 * out[j] = sum over i of (-1)^popcount(i & j) in[i]; n is a power of two.
 */
#ifndef SOTTO_FWHT_H
#define SOTTO_FWHT_H

#include <stddef.h>
#include <stdint.h>

void sotto_fwht_i64(int64_t *x, size_t n);

/* The caller knows that no sum leaves 32 bits. */
void sotto_fwht_i32(int32_t *x, size_t n);

void sotto_fwht_i32_portable(int32_t *x, size_t n);
void sotto_fwht_i32_avx2(int32_t *x, size_t n); /* n >= 32 */
void sotto_fwht_i32_avx512(int32_t *x, size_t n); /* n >= 64 */

#endif
