/* Dot products of one row with four; chooses the fastest way at run time. */
#include "local/rappor/regression/dots.h"

#define NAME sotto_dots_portable
#include "local/rappor/regression/dots_kernel.h"

sotto_dots sotto_dots_choose(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f"))
		return sotto_dots_avx512;
	if (__builtin_cpu_supports("avx2"))
		return sotto_dots_avx2;
#endif
	return sotto_dots_portable;
}
