/*
 * timing.h - does the time of a call depend on what it draws?
 *
 * Welch's t-test in the manner of dudect (Reparaz, Balasch and Verbauwhede 2017):
 * calls of two classes, mixed at random, on tapes that are copied to the same
 * place before the call is timed; the slowest tenth (interrupts) is left out for
 * both classes alike.  abs(t) above 4.5 means that the classes differ.
 */
#ifndef SOTTO_TESTS_TIMING_H
#define SOTTO_TESTS_TIMING_H

#include <stddef.h>
#include <stdint.h>

#include "random/source.h"

struct timing_subject {
	/* The timed call, reading at most tape_bytes of randomness from rng. */
	void (*call)(void *context, struct sotto_rng *rng);
	/* 0 or 1 by what the call has just drawn, -1 to leave it out. */
	int (*class_of)(void *context);
	void *context;
	size_t tape_bytes;
};

/* Outcomes of class 0 against those of class 1, over so many calls with random tapes. */
double timing_t_by_outcome(const struct timing_subject *s, size_t calls, uint64_t seed);

/* One tape again and again against random ones. */
double timing_t_fixed(const struct timing_subject *s, size_t calls, uint64_t seed);

#endif
