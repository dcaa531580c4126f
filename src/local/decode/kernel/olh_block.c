/* Support counts of local hashing; chooses the fastest way at run time. */
#include "local/decode/kernel/olh.h"

#define SMALL sotto_olh_small_portable
#define WIDE sotto_olh_wide_portable
#include "local/decode/kernel/olh_kernel.h"

struct sotto_olh_kernel sotto_olh_kernel_choose(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
		return (struct sotto_olh_kernel){sotto_olh_small_avx512, sotto_olh_wide_avx512};
	if (__builtin_cpu_supports("avx2"))
		return (struct sotto_olh_kernel){sotto_olh_small_avx2, sotto_olh_wide_avx2};
#endif
	return (struct sotto_olh_kernel){sotto_olh_small_portable, sotto_olh_wide_portable};
}
