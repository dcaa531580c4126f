/*
 * olh.h - the kernels behind sotto_olh_count
 */
#ifndef SOTTO_OLH_H
#define SOTTO_OLH_H

#include <stddef.h>
#include <stdint.h>

#include "local/client/primitive/family.h"

/* out[i] += 1 where key i hashes to the symbol; keys of 32 and of 64 bits. */
struct sotto_olh_kernel {
	void (*small)(const struct sotto_pair_hash *h, uint32_t symbol, uint32_t range,
		      const uint32_t *low, size_t count, uint32_t *out);
	void (*wide)(const struct sotto_pair_hash *h, uint32_t symbol, uint32_t range,
		     const uint64_t *keys, size_t count, uint32_t *out);
};

#define SOTTO_OLH_DECLARE(isa)                                                                 \
	void sotto_olh_small_##isa(const struct sotto_pair_hash *h, uint32_t symbol,           \
				   uint32_t range, const uint32_t *low, size_t count,          \
				   uint32_t *out);                                             \
	void sotto_olh_wide_##isa(const struct sotto_pair_hash *h, uint32_t symbol,            \
				  uint32_t range, const uint64_t *keys, size_t count,          \
				  uint32_t *out);

SOTTO_OLH_DECLARE(portable)
SOTTO_OLH_DECLARE(avx2)
SOTTO_OLH_DECLARE(avx512)
#undef SOTTO_OLH_DECLARE

/* The best that this processor has. */
struct sotto_olh_kernel sotto_olh_kernel_choose(void);

#endif
