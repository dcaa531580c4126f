/* The inner loops of the non-negative optimum; chooses the fastest at run time. */
#include "census/solve/family/census_loops.h"

#define LOOPS sotto_census_loops_portable
#include "census/solve/family/census_loops_kernel.h"

const struct sotto_census_loops *sotto_census_loops_choose(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		return &sotto_census_loops_avx2;
#endif
	return &sotto_census_loops_portable;
}
