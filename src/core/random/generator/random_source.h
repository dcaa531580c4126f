/*
 * random_source.h - where a sampler's random bytes come from
 *
 * Inside the library a generator is a window of unread bytes and a function that renews it.  The
 * product ships one, the CSPRNG of rng.c; the tests have a tape.  A sampler calls
 * sotto_source_ready once at its start and then takes bytes in order: that order is the
 * definition of its tape.
 */
#ifndef SOTTO_RANDOM_SOURCE_H
#define SOTTO_RANDOM_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/wipe.h"
#include "sotto/rng.h"
#include "sotto/status.h"

enum { SOTTO_SCRATCH_BYTES = 160 * 1024 };

struct sotto_rng {
	uint8_t *next; /* the unread bytes are [next, end) */
	uint8_t *end;
	/* 0 in a forked child and after a failure: the window must then be renewed first. */
	const volatile uint64_t *alive;
	/* Renews the window, so that it has at least one unread byte. */
	enum sotto_status (*renew)(struct sotto_rng *rng);
	/* SOTTO_SCRATCH_BYTES that never reach a child or a core file, 64-byte aligned. */
	void *scratch;
};

SOTTO_MUST_CHECK static inline enum sotto_status sotto_source_ready(struct sotto_rng *rng)
{
	return *rng->alive ? SOTTO_OK : rng->renew(rng);
}

/* Copies the next n bytes out, across renewals.  Fails: SOTTO_EENTROPY. */
SOTTO_MUST_CHECK enum sotto_status
sotto_source_copy(struct sotto_rng *rng, void *out, size_t n);

/*
 * Returns the next n bytes in one piece: in place if the window holds them, else copied to spare,
 * which has room for n.  Borrowed until the next call on rng; wipe them with sotto_wipe after
 * use.
 */
SOTTO_MUST_CHECK static inline enum sotto_status
sotto_source_take(struct sotto_rng *rng, size_t n, uint8_t *spare, uint8_t **bytes)
{
	if ((size_t)(rng->end - rng->next) >= n) {
		*bytes = rng->next;
		rng->next += n;
		return SOTTO_OK;
	}
	*bytes = spare;
	return sotto_source_copy(rng, spare, n);
}

/* Copies out the next n little-endian words.  Fails: SOTTO_EENTROPY. */
SOTTO_MUST_CHECK static inline enum sotto_status
sotto_source_words(struct sotto_rng *rng, size_t n, uint64_t *words)
{
	enum sotto_status st = sotto_source_copy(rng, words, 8 * n);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (size_t i = 0; st == SOTTO_OK && i < n; i++)
		words[i] = __builtin_bswap64(words[i]);
#endif
	return st;
}

static inline uint64_t sotto_load_word(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* Reads the next 8 bytes as a little-endian word. */
SOTTO_MUST_CHECK static inline enum sotto_status
sotto_source_word(struct sotto_rng *rng, uint64_t *out)
{
	uint8_t spare[8], *bytes;
	enum sotto_status st = sotto_source_take(rng, 8, spare, &bytes);

	if (st != SOTTO_OK)
		return st;
	*out = sotto_load_word(bytes);
	sotto_wipe(bytes, 8);
	return SOTTO_OK;
}

#endif
