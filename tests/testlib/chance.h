/*
 * chance.h - a small fixed-seed generator for making test cases, never noise
 */
#ifndef SOTTO_TESTS_CHANCE_H
#define SOTTO_TESTS_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct chance {
	uint64_t state;
};

/* splitmix64 */
static inline uint64_t chance_word(struct chance *c)
{
	uint64_t z = (c->state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline unsigned chance_below(struct chance *c, unsigned n)
{
	return (unsigned)(chance_word(c) % n);
}

static inline bool chance_in(struct chance *c, unsigned n)
{
	return chance_below(c, n) == 0;
}

#endif
