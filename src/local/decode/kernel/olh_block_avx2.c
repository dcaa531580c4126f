/* Support counts of local hashing, compiled for AVX2. */
#include "local/decode/kernel/olh.h"

#if defined(__AVX2__)
#define SMALL sotto_olh_small_avx2
#define WIDE sotto_olh_wide_avx2
#include "local/decode/kernel/olh_kernel.h"
#endif
