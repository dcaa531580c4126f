#include "local/dots.h"

#if defined(__AVX2__)
#define NAME sotto_dots_avx2
#include "local/dots_kernel.h"
#endif
