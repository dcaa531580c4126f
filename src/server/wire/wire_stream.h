/*
 * wire_stream.h - reads and writes one connection, plain or with TLS, with deadlines
 *
 * Every read has a deadline for all of its bytes, so a connection that sends them one by one is
 * closed.  Writes are buffered until sotto_stream_flush.
 */
#ifndef SOTTO_WIRE_STREAM_H
#define SOTTO_WIRE_STREAM_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"

struct sotto_wire_stream {
	int socket;
	SSL *tls; /* NULL: plain */
	struct sotto_buffer out;
	int64_t deadline; /* for all reads and writes, in milliseconds of the clock; 0: none */
	bool failed; /* closed or timed out: nothing more is read or sent */
};

void sotto_stream_init(struct sotto_wire_stream *s, int socket);
void sotto_stream_release(struct sotto_wire_stream *s);

/* Switches to TLS.  Returns false if the handshake fails. */
bool sotto_stream_encrypt(struct sotto_wire_stream *s, SSL_CTX *context, int seconds);

/* Waits for input.  Returns false at its end, or once the wake descriptor is readable. */
bool sotto_stream_wait(struct sotto_wire_stream *s, int wake);

/* Gives all further reads and writes together this many seconds; 0: no limit. */
void sotto_stream_limit(struct sotto_wire_stream *s, int seconds);

/* Has the other side hung up? */
bool sotto_stream_is_gone(const struct sotto_wire_stream *s);

/* Reads n bytes within the given number of seconds. */
bool sotto_stream_read(struct sotto_wire_stream *s, void *out, size_t n, int seconds);

void sotto_stream_put(struct sotto_wire_stream *s, const void *bytes, size_t n);
bool sotto_stream_flush(struct sotto_wire_stream *s, int seconds);

/* Sends the buffer once it exceeds a megabyte, so that an answer may have any size. */
void sotto_stream_drain(struct sotto_wire_stream *s);

#endif
