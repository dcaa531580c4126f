/*
 * tape.h - a generator that replays given bytes
 *
 * At the end of the tape it answers SOTTO_EENTROPY.  It exists only here: the
 * product has no generator that can be told what to say.
 */
#ifndef SOTTO_TESTS_TAPE_H
#define SOTTO_TESTS_TAPE_H

#include <stddef.h>
#include <stdint.h>

#include "core/random/generator/random_source.h"

struct tape {
	struct sotto_rng rng;
	uint8_t *bytes; /* a copy: samplers wipe what they read */
	size_t length;
	size_t window; /* how many bytes a renewal shows at a time; 0: all */
};

/* A tape of n bytes, copied.  The samplers then see them `window` at a time. */
struct tape *tape_open(const void *bytes, size_t n, size_t window);

/* A tape of n pseudo-random bytes from a seed (AES-256-CTR keyed with it). */
struct tape *tape_open_random(uint64_t seed, size_t n, size_t window);

/* Other bytes on the same tape, to be read from their start. */
void tape_load(struct tape *t, const void *bytes, size_t n);

/* How many bytes have been read. */
size_t tape_used(const struct tape *t);
void tape_close(struct tape *t);

/* Pseudo-random bytes for building inputs. */
void tape_noise(uint64_t seed, uint8_t *out, size_t n);

/*
 * An endless repeatable generator, for statistical tests: fixed seed, so that
 * a rerun gives the same verdict.
 */
struct sotto_rng *stream_open(uint64_t seed);
void stream_close(struct sotto_rng *rng);

#endif
