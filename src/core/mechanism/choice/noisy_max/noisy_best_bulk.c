/* The best of a run of noisy scores; chooses the fastest way at run time. */
#include "core/mechanism/choice/noisy_max/noisy_best.h"

#define NOISY_BEST sotto_noisy_best_portable
#include "core/mechanism/choice/noisy_max/noisy_best_kernel.h"

sotto_noisy_best_function sotto_noisy_best_path(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi"))
		return sotto_noisy_best_avx512;
	if (__builtin_cpu_supports("avx2"))
		return sotto_noisy_best_avx2;
#endif
	return sotto_noisy_best_portable;
}
