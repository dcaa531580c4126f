/* Chooses the fastest block sampler that this processor has. */
#include "core/random/laplace/sampler_block.h"

const struct sotto_block_path *sotto_block_path_best(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
	    __builtin_cpu_supports("avx512vbmi"))
		return &sotto_block_avx512;
	if (__builtin_cpu_supports("avx2"))
		return &sotto_block_avx2;
#endif
	return &sotto_block_portable;
}
