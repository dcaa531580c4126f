/* The bulk Gaussian block's joint law from every tape: 3-bit words, groups of 2 lane(s). */
#define TOY_GROUP 2
#include "testlib/sampler/toy_gauss_cases_kernel.h"
