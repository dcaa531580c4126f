/*
 * wire_scram.h - SCRAM-SHA-256 (RFC 5802, RFC 7677), the server's side
 *
 * Client and server exchange four texts; no key is ever sent.  An unknown name goes through the
 * same exchange and fails at its end.
 */
#ifndef SOTTO_WIRE_SCRAM_H
#define SOTTO_WIRE_SCRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "server/people/people.h"

enum { SOTTO_SCRAM_TEXT = 512 };

struct sotto_scram {
	char client_first[SOTTO_SCRAM_TEXT]; /* without the GS2 header */
	char server_first[SOTTO_SCRAM_TEXT];
	char nonce[SOTTO_SCRAM_TEXT]; /* the client's, then the server's */
};

/* Reads the client's first text and makes the server's; false if the text is malformed. */
bool sotto_scram_begin(struct sotto_scram *x, const struct sotto_scram_print *print,
		       const char *client, size_t length);

/* Reads the client's last text; true if the key is right, and `out` then has the server's last. */
bool sotto_scram_finish(struct sotto_scram *x, const struct sotto_scram_print *print,
			const char *client, size_t length, char out[SOTTO_SCRAM_TEXT]);

#endif
