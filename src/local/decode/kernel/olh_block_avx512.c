/* Support counts of local hashing, compiled for AVX-512. */
#include "local/decode/kernel/olh.h"

#if defined(__AVX512DQ__)
#define SMALL sotto_olh_small_avx512
#define WIDE sotto_olh_wide_avx512
#include "local/decode/kernel/olh_kernel.h"
#endif
