/*
 * word_source.h - where an encoder's random words come from
 *
 * Either the caller's entropy (fresh at each report) or a ChaCha20 stream whose
 * key is derived from the device's key and the value (the same at each report:
 * that is memoization).  The first failure sticks; the words after it are zero
 * and the encoder throws the report away at the end.
 */
#ifndef SOTTO_WORD_SOURCE_H
#define SOTTO_WORD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/client.h"

struct sotto_stream {
	uint8_t buffer[64];
	unsigned used;
	bool failed;
	sotto_client_fill fill; /* NULL: ChaCha20 */
	void *context;
	uint8_t key[32];
	uint32_t counter;
};

/* What a derived stream is for: equal inputs of two purposes never meet. */
enum sotto_purpose {
	SOTTO_PURPOSE_GROUP = 1,
	SOTTO_PURPOSE_ANSWER = 2, /* PRR, or the memoized report of a value */
	SOTTO_PURPOSE_BUCKETS = 3,
	SOTTO_PURPOSE_ALPHA = 4,
	SOTTO_PURPOSE_GRID = 5,
	SOTTO_PURPOSE_TAG = 6,
};

void sotto_stream_fresh(struct sotto_stream *s, const struct sotto_client *client);

/* key = HMAC(device key, "sotto-ldp-1" || purpose || len || id || digest || len || input) */
void sotto_stream_derived(struct sotto_stream *s, const struct sotto_client *client,
			  enum sotto_purpose purpose, const void *input, size_t length);

uint32_t sotto_stream_word32(struct sotto_stream *s);
uint64_t sotto_stream_word64(struct sotto_stream *s);

/* Law: uniform on 0 .. n-1 by rejection; n >= 1. */
uint32_t sotto_stream_below(struct sotto_stream *s, uint32_t n);

/* Law: true with exactly this probability. */
bool sotto_stream_chance(struct sotto_stream *s, struct sotto_client_chance p);

/*
 * Law: bit i of the result is 1 with probability one if bit i of select is set,
 * else zero; bits are independent.  Work and words read depend on the chances and on random
 * words only: 32 words where chances are not short, and more for one mask in 10^8.
 */
uint32_t sotto_stream_mask(struct sotto_stream *s, uint32_t select,
			   struct sotto_client_chance zero, struct sotto_client_chance one);

/* Wipes; whether every word was really random. */
bool sotto_stream_end(struct sotto_stream *s);

#endif
