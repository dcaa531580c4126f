/*
 * all_tapes.h - a sampler's law from every tape of small words, without a p-value
 *
 * A sampler that stops after some words stops there on every longer tape, so
 * the tapes form a tree and only those read to their end need to be made
 * longer: a tape that stops after `used` of `length` words stands for all
 * 2^(word_bits (length - used)) tapes that begin with it.
 *
 *	for (bool more = all_tapes_first(&t, 4, 6); more; more = all_tapes_next(&t)) {
 *		st = draw(scale, &t, &z);
 *		tally_add(&tally, &t, st, &z);
 *	}
 *	tally_check(&tally, law);
 */
#ifndef SOTTO_TESTS_ALL_TAPES_H
#define SOTTO_TESTS_ALL_TAPES_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

enum { ALL_TAPES_LENGTH = 32 };

struct all_tapes {
	unsigned word_bits; /* at most 8 */
	unsigned length; /* in words; word_bits * length is at most 62 */
	unsigned used;
	uint8_t words[ALL_TAPES_LENGTH];
};

/* Always true: there is a first tape. */
bool all_tapes_first(struct all_tapes *t, unsigned word_bits, unsigned length);
bool all_tapes_next(struct all_tapes *t);

/* The next n words of the tape; SOTTO_EENTROPY, and none of them, past its end. */
SOTTO_MUST_CHECK enum sotto_status all_tapes_read(struct all_tapes *t, size_t n, uint8_t *out);

/* Masses of the outcomes of up to 4 lanes, each in -range .. range, or further out. */
struct tally {
	unsigned lanes;
	unsigned range;
	uint64_t *mass; /* (2 range + 1)^lanes of them, the last lane running fastest */
	uint64_t further; /* some lane beyond the range */
	uint64_t undecided;
	uint64_t total; /* 2^(word_bits length) */
};

void tally_init(struct tally *y, const struct all_tapes *t, unsigned lanes, unsigned range);
void tally_release(struct tally *y);

void tally_add(struct tally *y, const struct all_tapes *t, enum sotto_status st,
	       const int64_t *out);

/* The mass of one outcome in the range. */
uint64_t tally_mass(const struct tally *y, const int64_t *out);

/*
 * How many outcomes break mass <= P <= mass + undecided, where P is the product
 * of law[range + z] over the lanes; also those beyond the range taken together,
 * and a sum that is not the total.  0 means that the sampler has this law.
 */
unsigned tally_faults(const struct tally *y, mpq_t *law);

#endif
