/* Dot products of one row with four, compiled for AVX2. */
#include "local/rappor/regression/dots.h"

#if defined(__AVX2__)
#define NAME sotto_dots_avx2
#include "local/rappor/regression/dots_kernel.h"
#endif
