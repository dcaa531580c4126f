/* Sums of bits by position; chooses the fastest way at run time. */
#include "local/aggregate/bitsum.h"

#include <stdbool.h>
#include <string.h>

void sotto_bitsum_naive(uint64_t *counters, size_t bytes, const uint8_t *vectors, size_t n)
{
	for (size_t v = 0; v < n; v++, vectors += bytes)
		for (size_t i = 0; i < bytes; i++)
			for (unsigned b = 0; b < 8; b++)
				counters[8 * i + b] += vectors[i] >> b & 1;
}

#define VEC uint64_t
#define NAME sotto_bitsum_portable
#define FOLD sotto_bitsum_fold_portable
#define DROP sotto_bitsum_drop_portable
static inline uint64_t load_word(const uint8_t *p)
{
	uint64_t x;

	memcpy(&x, p, 8);
	return x;
}
#define LOAD(p) load_word(p)
#define ADD(a, b, c, high, low)                                                                \
	do {                                                                                   \
		VEC a_ = (a), b_ = (b), c_ = (c), x_ = a_ ^ b_;                                \
		(high) = (a_ & b_) | (x_ & c_);                                                \
		(low) = x_ ^ c_;                                                               \
	} while (0)
#define REGISTER "r"
#include "local/aggregate/bitsum_kernel.h"
