/* The inner loops of the non-negative optimum, compiled for AVX2. */
#include "census/solve/family/census_loops.h"

#if defined(__AVX2__)
#define LOOPS sotto_census_loops_avx2
#include "census/solve/family/census_loops_kernel.h"
#endif
