/*
 * olh.h - the kernels behind sotto_olh_count
 */
#ifndef SOTTO_OLH_H
#define SOTTO_OLH_H

#include <stddef.h>
#include <stdint.h>

#include "local/client/primitive/family.h"

/*
 * One report.  Its function sends a hash to the symbol where hash * range >> 32 is the
 * symbol: hashes from a start on, `width` of them.  The start is taken off b already, so
 * that a candidate is supported where (a0 x0 + a1 x1 + b) >> 32, mod 2^32, is below width.
 * Width 0 supports nothing.
 */
struct sotto_olh_answer {
	uint64_t a0, a1, b;
	uint32_t width;
};

/* range >= 2 */
static inline struct sotto_olh_answer
sotto_olh_answer_of(const struct sotto_pair_hash *h, uint64_t symbol, uint32_t range)
{
	uint64_t start = ((symbol << 32) + range - 1) / range;
	uint64_t end = (((symbol + 1) << 32) + range - 1) / range;

	if (symbol >= range)
		return (struct sotto_olh_answer){.width = 0};
	return (struct sotto_olh_answer){h->a0, h->a1, h->b - (start << 32),
					 (uint32_t)(end - start)};
}

#define SOTTO_OLH_TOGETHER 4

/* out[i] += how many of the answers support key i; keys of 32 and of 64 bits. */
struct sotto_olh_kernel {
	void (*small)(const struct sotto_olh_answer answers[SOTTO_OLH_TOGETHER],
		      const uint32_t *low, size_t count, uint32_t *out);
	void (*wide)(const struct sotto_olh_answer answers[SOTTO_OLH_TOGETHER],
		     const uint64_t *keys, size_t count, uint32_t *out);
};

#define SOTTO_OLH_DECLARE(isa)                                                                 \
	void sotto_olh_small_##isa(const struct sotto_olh_answer answers[SOTTO_OLH_TOGETHER],  \
				   const uint32_t *low, size_t count, uint32_t *out);          \
	void sotto_olh_wide_##isa(const struct sotto_olh_answer answers[SOTTO_OLH_TOGETHER],   \
				  const uint64_t *keys, size_t count, uint32_t *out);

SOTTO_OLH_DECLARE(portable)
SOTTO_OLH_DECLARE(avx2)
SOTTO_OLH_DECLARE(avx512)
#undef SOTTO_OLH_DECLARE

/* The best that this processor has. */
struct sotto_olh_kernel sotto_olh_kernel_choose(void);

#endif
