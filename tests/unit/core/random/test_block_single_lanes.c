/* The block sampler's law from every tape: 4-bit heads and words, groups of one lane. */
#define TOY_GROUP 1
#define TOY_BITS 4
#include "testlib/sampler/toy_block_kernel.h"

static const struct toy_shape shapes[] = {{1, 5, 1, 1, 3, 0.005},
					  {1, 17, 0, 1, 4, 0.004},
					  {1, 17, 0, 2, 2, 0.13},
					  {2, 5, 2, 1, 2, 0.04}};

#include "testlib/sampler/toy_block_cases_kernel.h"
