/*
 * Asks the processor at each call which kernel it can run: AVX-512, AVX2 or the portable one.
 */
#include "local/aggregate/bitsum.h"

void sotto_bitsum_add(uint64_t *counters, size_t bytes, const uint8_t *vectors, size_t n)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
		sotto_bitsum_avx512(counters, bytes, vectors, n);
		return;
	}
	if (__builtin_cpu_supports("avx2")) {
		sotto_bitsum_avx2(counters, bytes, vectors, n);
		return;
	}
#endif
	sotto_bitsum_portable(counters, bytes, vectors, n);
}

struct sotto_bitsum_steps sotto_bitsum_steps_choose(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
		return (struct sotto_bitsum_steps){sotto_bitsum_fold_avx512,
						   sotto_bitsum_drop_avx512};
	if (__builtin_cpu_supports("avx2"))
		return (struct sotto_bitsum_steps){sotto_bitsum_fold_avx2,
						   sotto_bitsum_drop_avx2};
#endif
	return (struct sotto_bitsum_steps){sotto_bitsum_fold_portable,
					   sotto_bitsum_drop_portable};
}
