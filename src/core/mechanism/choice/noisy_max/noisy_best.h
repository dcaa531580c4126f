/*
 * noisy_best.h - finds the best of a run of noisy scores, fast on this CPU
 */
#ifndef SOTTO_NOISY_BEST_H
#define SOTTO_NOISY_BEST_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/noise.h"

enum { NOISY_BEST_LANES = 512 };

/* The value 2^64 high + low, and the first lane that has it. */
struct sotto_noisy_best {
	int64_t high;
	uint64_t low;
	size_t lane;
};

/*
 * Finds the largest of 2^bits (scores[i] ^ flip) + noise[i], 0 < n <= NOISY_BEST_LANES.  flip is
 * -1 to find the least score (~x reverses the order of all int64_t), else 0.
 */
typedef struct sotto_noisy_best (*sotto_noisy_best_function)(const struct sotto_exact *scores,
							     const int64_t *noise, size_t n,
							     unsigned bits, int64_t flip);

struct sotto_noisy_best sotto_noisy_best_portable(const struct sotto_exact *scores,
						  const int64_t *noise, size_t n, unsigned bits,
						  int64_t flip);
#if defined(__x86_64__)
struct sotto_noisy_best sotto_noisy_best_avx2(const struct sotto_exact *scores,
					      const int64_t *noise, size_t n, unsigned bits,
					      int64_t flip);
struct sotto_noisy_best sotto_noisy_best_avx512(const struct sotto_exact *scores,
						const int64_t *noise, size_t n, unsigned bits,
						int64_t flip);
#endif

/* Returns the fastest function that this CPU can run. */
sotto_noisy_best_function sotto_noisy_best_path(void);

#endif
