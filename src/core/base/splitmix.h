/*
 * splitmix.h - repeatable public numbers (splitmix64: Steele, Lea and Flood 2014)
 *
 * For made-up data, samples of known laws and the order of ties.  Whoever knows the state knows all
 * numbers that follow, so noise never comes from here: that is core/random.
 */
#ifndef SOTTO_SPLITMIX_H
#define SOTTO_SPLITMIX_H

#include <stdint.h>

/* Returns the next 64 bits and advances the state, which starts as any seed. */
static inline uint64_t sotto_splitmix(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Returns the next number strictly between 0 and 1, in steps of 2^-53. */
static inline double sotto_splitmix_unit(uint64_t *state)
{
	return ((double)(sotto_splitmix(state) >> 11) + 0.5) * 0x1p-53;
}

#endif
