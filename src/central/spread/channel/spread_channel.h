/*
 * spread_channel.h - what a coordinator and one worker say to each other, encrypted
 *
 * The coordinator makes a key pair and a token for each question, and gives a worker a ticket
 * with its public key and the token (over a pipe, ssh or the scheduler).  The worker makes a
 * key pair of its own and begins.  Both keys of the channel, one for each direction, follow
 * from the secret that the two key pairs share and from the token (spread.md):
 *
 *	shared = X25519(own private, other's public)
 *	key    = HKDF-SHA256(shared || token, both public keys, direction)
 *
 * A frame is a header in the clear, then AES-256-GCM of its contents, with the number of the
 * frame as nonce and the header as further data.  Keys live in memory alone.
 */
#ifndef SOTTO_SPREAD_CHANNEL_H
#define SOTTO_SPREAD_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "sotto/status.h"

enum { SOTTO_CHANNEL_KEY = 32, SOTTO_CHANNEL_TAG = 16, SOTTO_CHANNEL_OPENING = 40 };

enum sotto_frame_type {
	SOTTO_FRAME_NONE,
	SOTTO_FRAME_HELLO, /* worker: who it is */
	SOTTO_FRAME_JOB, /* coordinator */
	SOTTO_FRAME_PARTIAL, /* worker: the end */
	SOTTO_FRAME_REFUSAL, /* worker: the other end */
	SOTTO_FRAME_STRAYS, /* worker: how many rows were in a wrong bucket; before a partial */
};

struct sotto_key_pair {
	uint8_t secret[SOTTO_CHANNEL_KEY], open[SOTTO_CHANNEL_KEY];
};

/* Fails: SOTTO_EENTROPY. */
SOTTO_MUST_CHECK enum sotto_status sotto_key_pair_make(struct sotto_key_pair *k);

/* What a worker is given: one line of text. */
struct sotto_ticket {
	uint8_t token[SOTTO_CHANNEL_KEY];
	uint8_t coordinator[SOTTO_CHANNEL_KEY]; /* its public key */
	uint32_t bucket;
	char address[256]; /* HOST:PORT of the coordinator; "-": whoever sent the ticket */
};

enum { SOTTO_TICKET_MAX = 512 };

/* With a line break at the end; SOTTO_TICKET_MAX bytes are enough. */
void sotto_ticket_write(const struct sotto_ticket *t, char *out, size_t size);

/* Fails: SOTTO_EPARSE for what is not a ticket of this version. */
SOTTO_MUST_CHECK enum sotto_status sotto_ticket_read(struct sotto_ticket *t, const char *line);

struct sotto_channel {
	uint8_t send_key[SOTTO_CHANNEL_KEY], receive_key[SOTTO_CHANNEL_KEY];
	uint64_t sent, received; /* frames */
};

/* The worker's side: what it sends first.  Fails: SOTTO_EENTROPY, SOTTO_EINVAL. */
SOTTO_MUST_CHECK enum sotto_status sotto_channel_begin(struct sotto_channel *c,
						       const struct sotto_ticket *t,
						       uint8_t opening[SOTTO_CHANNEL_OPENING]);

/* The coordinator's.  Fails: SOTTO_ECORRUPT for what no worker of this version sends. */
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_accept(struct sotto_channel *c, const struct sotto_key_pair *own,
		     const uint8_t token[SOTTO_CHANNEL_KEY],
		     const uint8_t opening[SOTTO_CHANNEL_OPENING]);

/* Appends a frame.  Fails: SOTTO_ERANGE past the buffer's cap, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_seal(struct sotto_channel *c, enum sotto_frame_type type, const void *bytes,
		   size_t n, struct sotto_buffer *out);

/*
 * How long the frame is that begins with these bytes; 0: not known yet.
 *
 * Fails:    SOTTO_ECORRUPT for what is not a frame, or announces more than `most` bytes.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_measure(const void *bytes, size_t n, uint64_t most, size_t *length);

/*
 * Reads a whole frame, in place.
 *
 * Fails:    SOTTO_ECORRUPT if it is not the next one that the other end has sent.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_unseal(struct sotto_channel *c, void *frame, size_t length,
		     enum sotto_frame_type *type, uint8_t **bytes, size_t *n);

void sotto_channel_release(struct sotto_channel *c);

#endif
