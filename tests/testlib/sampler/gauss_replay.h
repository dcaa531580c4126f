/*
 * gauss_replay.h - what a tape means to bulk Gaussian draws, read by the definition
 *
 * Slow and plain: every candidate is decided by comparing its digits with the
 * certified expansion of its acceptance.  Which heads are left open to the list
 * is asked of the portable judge, and everything else that judge says is checked.
 * It can also write the tape while it reads it, so that what is rare (ties, ties
 * of ties, a list that overflows, tails) happens all the time.
 */
#ifndef SOTTO_TESTS_GAUSS_REPLAY_H
#define SOTTO_TESTS_GAUSS_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "core/random/gaussian/dgauss_law.h"

/* How often, in 1/256, a written tape has what would be rare. */
struct gauss_odds {
	unsigned tied_head; /* the first digits of the acceptance */
	unsigned tied_word; /* its next digits */
	unsigned tail; /* a candidate in the tail */
	unsigned rejected; /* a head of ones */
};

struct gauss_replay {
	const struct sotto_dgauss *law;
	uint8_t *tape;
	size_t at, room;
	const struct gauss_odds *odds; /* NULL: the tape is only read */
	uint64_t state;
	/* What happened, so that a test can ask whether the rare did. */
	size_t misjudged; /* heads that the judge decided wrongly: must be 0 */
	size_t left_over, tied_words, tails_settled, tails_accepted, plans;
};

/* Bytes that are enough for n draws. */
size_t gauss_replay_room(const struct sotto_dgauss *law, size_t n);

/* Reads n draws, as sotto_dgauss_fill must from n = 5 on. */
void gauss_replay_fill(struct gauss_replay *r, int64_t *out, size_t n);

/* Bytes of a fill of n draws in which nothing rare happens: a constant of the law and n. */
size_t gauss_replay_plain_bytes(const struct sotto_dgauss *law, size_t n);

#endif
