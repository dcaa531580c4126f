/* Dot products of one row with four, compiled for AVX-512. */
#include "local/rappor/regression/dots.h"

#if defined(__AVX512F__)
#define NAME sotto_dots_avx512
#include "local/rappor/regression/dots_kernel.h"
#endif
