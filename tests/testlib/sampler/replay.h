/*
 * replay.h - what a tape means to the block sampler, read by the definition
 *
 * Slow and plain: the digits that a tape gives to each plane of each draw are
 * collected in the order that planes_block.md states, and every draw is then
 * made by the core from exactly those digits.  It can also write the tape while
 * it reads it, so that what is rare (ties, ties of ties, a list that overflows,
 * tails) happens all the time.
 */
#ifndef SOTTO_TESTS_REPLAY_H
#define SOTTO_TESTS_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/random/laplace/planes.h"

/* How often, in 1/256, a written tape has what would be rare. */
struct replay_odds {
	unsigned tied_head; /* a head equal to the plane's */
	unsigned tied_word; /* a word equal to the next digits */
	unsigned zero_word; /* a word of zeros: below almost every digits */
};

/* Bytes that are enough for a tape of n draws with such odds. */
size_t replay_room(const struct sotto_planes *p, size_t n);

/*
 * Reads n draws from the tape as sotto_planes_fill must; returns how many bytes
 * that takes.  The tape has room for replay_room bytes.
 */
size_t replay_fill(const struct sotto_planes *p, const uint8_t *tape, int64_t *out, size_t n);

/* The same, writing the tape from the seed as it goes. */
size_t replay_write(const struct sotto_planes *p, uint64_t seed, const struct replay_odds *odds,
		    uint8_t *tape, int64_t *out, size_t n);

/* Bytes of a fill of n draws in which nothing rare happens: a constant of the scale and n. */
size_t replay_plain_bytes(const struct sotto_planes *p, size_t n);

#endif
