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

#include "core/random/generator/random_source.h"

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

typedef double (*timing_function)(const struct timing_subject *, size_t, uint64_t);

/*
 * Checks that abs(t) is below 4.5 at least once in three: other programs make it
 * large by accident, and seldom three times in a row; a leak makes it every time.
 */
void timing_check_even(const struct timing_subject *s, timing_function t, size_t calls,
		       const char *name);

/* Checks that a planted leak makes it larger, at least once in three. */
void timing_check_caught(const struct timing_subject *s, size_t calls);

#endif
