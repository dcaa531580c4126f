/*
 * census_noise.h - exact noise that is a function of (key, node, query, cell)
 *
 * Each release has one secret key.  Every draw comes from a counter-mode cipher at its own place,
 * so results depend neither on threads nor on order, and asking again gives the same noise.  Law
 * and argument: noise.md.
 */
#ifndef SOTTO_CENSUS_NOISE_H
#define SOTTO_CENSUS_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

enum { SOTTO_NOISE_KEY_BYTES = 32 };

/* A discrete Gaussian or Laplace law that is ready to draw from; immutable, shared by threads. */
struct sotto_noise_law;

/*
 * Makes a law; scale is sigma^2 or b.  Fails: SOTTO_ERANGE for scales beyond the samplers'
 * ranges, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_noise_law_new(bool gaussian,
						       const struct sotto_rational *scale,
						       struct sotto_noise_law **out);
void sotto_noise_law_free(struct sotto_noise_law *law);

/* The cipher of one thread. */
struct sotto_noise;

SOTTO_MUST_CHECK enum sotto_status
sotto_noise_open(const uint8_t key[SOTTO_NOISE_KEY_BYTES], struct sotto_noise **out);
void sotto_noise_close(struct sotto_noise *n);

/* Where a draw belongs. */
struct sotto_noise_place {
	uint32_t node;
	uint16_t query;
};

/*
 * Law:      out[i] is the law's draw at (place, cells[i]); cells NULL: first, first+1, ...  Draws
 *           at different places are independent for anybody who does not know the key.
 * Fails:    SOTTO_EENTROPY; out is then meaningless.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_noise_draw(struct sotto_noise *n, const struct sotto_noise_law *law,
		 struct sotto_noise_place place, const uint32_t *cells, uint32_t first,
		 size_t count, int64_t *out);

/* Does the same with given 64-bit words instead of the cipher's: for tests of the rare path. */
SOTTO_MUST_CHECK enum sotto_status sotto_noise_from_word(const struct sotto_noise_law *law,
							 uint64_t word, struct sotto_rng *more,
							 int64_t *out);

/* Returns a generator that reads the second stream of a place; valid until the next call on n. */
struct sotto_rng *
sotto_noise_stream(struct sotto_noise *n, struct sotto_noise_place place, uint32_t cell);

#endif
