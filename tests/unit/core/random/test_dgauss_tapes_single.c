/* The bulk Gaussian block's joint law from every tape: 3-bit words, groups of 1 lane(s). */
#define TOY_GROUP 1
#include "testlib/sampler/toy_gauss_cases_kernel.h"
