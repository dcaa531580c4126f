/* The block sampler's joint law from every tape: 4-bit heads and words, groups of two lanes. */
#define TOY_GROUP 2
#define TOY_BITS 4
#include "testlib/sampler/toy_block_kernel.h"

static const struct toy_shape shapes[] = {{1, 17, 0, 2, 2, 0.13}};

#include "testlib/sampler/toy_block_cases_kernel.h"
