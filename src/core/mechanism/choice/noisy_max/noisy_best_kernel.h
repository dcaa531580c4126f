/*
 * noisy_best_kernel.h - finds the best of up to NOISY_BEST_LANES noisy scores with plain loops
 *
 * A file for each instruction set includes it with NOISY_BEST set to the function's name; the
 * compiler vectorizes the loops.  A noisy score is 128 bits wide, kept as a signed high and an
 * unsigned low word (with its top bit flipped, so that signed comparison orders it).  There are
 * three passes: the largest high word, the largest low word among those, the first lane that has
 * both.  Every step is done for every lane.
 */
#include <stddef.h>
#include <stdint.h>

#include "core/mechanism/choice/noisy_max/noisy_best.h"

static inline int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

struct sotto_noisy_best NOISY_BEST(const struct sotto_exact *scores, const int64_t *noise,
				   size_t n, unsigned bits, int64_t flip) {
	int64_t high[NOISY_BEST_LANES], low[NOISY_BEST_LANES];
	int64_t best_high = INT64_MIN, best_low = INT64_MIN, first = NOISY_BEST_LANES;
	unsigned above =
		bits ? 64 - bits : 63; /* a shift by 64 is undefined; 63 gives the sign */

	for (size_t i = 0; i < n; i++) {
		int64_t score = scores[i].secret ^ flip;
		uint64_t sum = ((uint64_t)score << bits) + (uint64_t)noise[i];

		high[i] = (score >> above) + (sum < (uint64_t)noise[i]);
		low[i] = (int64_t)(sum ^ UINT64_C(1) << 63);
		best_high = larger(best_high, high[i]);
	}
	for (size_t i = 0; i < n; i++) {
		int64_t in_play = -(int64_t)(high[i] == best_high);

		best_low = larger(best_low, (low[i] & in_play) | (INT64_MIN & ~in_play));
	}
	for (size_t i = 0; i < n; i++) {
		int64_t here = -(int64_t)((high[i] == best_high) & (low[i] == best_low));
		int64_t lane = ((int64_t)i & here) | (NOISY_BEST_LANES & ~here);

		first = lane < first ? lane : first;
	}
	return (struct sotto_noisy_best){best_high, (uint64_t)best_low ^ UINT64_C(1) << 63,
					 (size_t)first};
}
