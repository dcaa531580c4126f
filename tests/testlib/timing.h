/*
 * timing.h - does the time of a call depend on what it draws?
 *
 * Welch's t-test in the manner of dudect (Reparaz, Balasch and Verbauwhede 2017):
 * two classes of tapes, interleaved at random, each copied to the same place
 * before the call is timed; the slowest tenth (interrupts) is left out for both
 * classes alike.  abs(t) above 4.5 means that the classes differ.
 */
#ifndef SOTTO_TESTS_TIMING_H
#define SOTTO_TESTS_TIMING_H

#include <stddef.h>
#include <stdint.h>

#include "random/source.h"

struct timing_subject {
	/* The timed call; it reads its randomness from rng. */
	void (*call)(void *context, struct sotto_rng *rng);
	void *context;
	size_t tape_bytes;
	size_t tapes; /* in each class */
	uint8_t *classes[2]; /* tapes * tape_bytes each */
};

/* Room for the tapes of both classes. */
void timing_subject_init(struct timing_subject *s, size_t tapes, size_t tape_bytes);
void timing_subject_release(struct timing_subject *s);

/* Welch's t over so many calls. */
double timing_t(const struct timing_subject *s, size_t calls, uint64_t seed);

#endif
