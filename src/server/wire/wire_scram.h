/*
 * wire_scram.h - SCRAM-SHA-256 (RFC 5802, RFC 7677), the server's side
 *
 * Three texts go to and fro; no key is ever sent.  A name that nobody has goes through the
 * same exchange and fails at its end.
 */
#ifndef SOTTO_WIRE_SCRAM_H
#define SOTTO_WIRE_SCRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "server/people/people.h"

enum { SOTTO_SCRAM_TEXT = 512 };

struct sotto_scram {
	char client_first[SOTTO_SCRAM_TEXT]; /* without its header */
	char server_first[SOTTO_SCRAM_TEXT];
	char nonce[SOTTO_SCRAM_TEXT]; /* of both */
};

/* The client's first text in, the server's out; false if it is not one. */
bool sotto_scram_begin(struct sotto_scram *x, const struct sotto_scram_print *print,
		       const char *client, size_t length);

/* The client's last text in; true if the key is right, and `out` has the server's last. */
bool sotto_scram_finish(struct sotto_scram *x, const struct sotto_scram_print *print,
			const char *client, size_t length, char out[SOTTO_SCRAM_TEXT]);

#endif
