#include "mechanism/noisy_best.h"

#if defined(__x86_64__)
#define NOISY_BEST sotto_noisy_best_avx512
#include "mechanism/noisy_best_kernel.h"
#endif
