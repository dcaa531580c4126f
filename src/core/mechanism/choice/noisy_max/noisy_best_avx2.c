/* The best of a run of noisy scores, compiled for AVX2. */
#include "core/mechanism/choice/noisy_max/noisy_best.h"

#if defined(__x86_64__)
#define NOISY_BEST sotto_noisy_best_avx2
#include "core/mechanism/choice/noisy_max/noisy_best_kernel.h"
#endif
