/* The block sampler's joint law from every tape: 2-bit heads and words, two groups of two lanes. */
#define TOY_GROUP 2
#define TOY_BITS 2
#include "testlib/sampler/toy_block_kernel.h"

static const struct toy_shape shapes[] = {{2, 5, 1, 2, 5, 0.11},
					  {1, 5, 0, 2, 7, 0.024},
					  {1, 5, 0, 4, 4, 0.4},
					  {2, 3, 2, 2, 3, 0.42}};

#include "testlib/sampler/toy_block_cases_kernel.h"
