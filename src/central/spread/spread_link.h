/*
 * spread_link.h - the coordinator's end of one worker
 *
 * Bytes come in pieces, from many workers at once: what was received is kept until a frame is
 * whole.
 */
#ifndef SOTTO_SPREAD_LINK_H
#define SOTTO_SPREAD_LINK_H

#include "central/spread/channel/spread_channel.h"
#include "central/spread/launcher/spread_process.h"

enum sotto_link_state {
	SOTTO_LINK_OPENING, /* its public key is to come */
	SOTTO_LINK_HELLO, /* who it is; from then on it is known to hold the token */
	SOTTO_LINK_JOB, /* it has a job */
	SOTTO_LINK_ENDED,
};

struct sotto_link {
	struct sotto_spread_process process; /* none if it has connected itself */
	int socket; /* of the process, or its own */
	enum sotto_link_state state;
	struct sotto_channel channel;
	struct sotto_buffer in, out;
	size_t out_at; /* sent already */
	uint32_t bucket;
	uint8_t opening[SOTTO_CHANNEL_OPENING]; /* with its public key */
	size_t polled; /* where its socket stands among what is waited for; its words follow */
	uint64_t arrival; /* its place among those that have connected */
	uint64_t most; /* bytes that a partial has */
	uint64_t strays; /* rows in a wrong bucket, as it says */
};

/* most: how long a partial may be. */
void sotto_link_init(struct sotto_link *l, uint64_t most);
void sotto_link_release(struct sotto_link *l);
bool sotto_link_is_free(const struct sotto_link *l);

/* Sends what is waiting, as far as it goes.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status sotto_link_send(struct sotto_link *l);

/* Receives some of what there is.  Fails: SOTTO_EIO at the end of it, SOTTO_ERANGE, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_link_receive(struct sotto_link *l);

/*
 * The next whole frame of what was received, decrypted in place; *type is SOTTO_FRAME_NONE
 * if there is none yet.  It is wiped by _drop.
 *
 * Fails:    SOTTO_ECORRUPT.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_link_next(struct sotto_link *l,
						   enum sotto_frame_type *type, uint8_t **bytes,
						   size_t *n, size_t *length);
void sotto_link_drop(struct sotto_link *l, size_t length);

#endif
