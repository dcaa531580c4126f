/*
 * wire_stream.h - bytes of one connection, plain or under TLS, with deadlines
 *
 * Every read has a moment by which all of its bytes are there; a connection that drips is
 * closed.  What is written is kept until sotto_stream_flush.
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
	int64_t deadline; /* of everything, in milliseconds of the clock; 0: none */
	bool failed; /* it was closed, or took too long: nothing more is read or sent */
};

void sotto_stream_init(struct sotto_wire_stream *s, int socket);
void sotto_stream_release(struct sotto_wire_stream *s);

/* Goes on under TLS.  False if the other side does not. */
bool sotto_stream_encrypt(struct sotto_wire_stream *s, SSL_CTX *context, int seconds);

/* Waits until something comes, or the wake descriptor is readable.  False then, or at the end. */
bool sotto_stream_wait(struct sotto_wire_stream *s, int wake);

/* From now on all reads and writes together have so many seconds; 0: as many as they like. */
void sotto_stream_limit(struct sotto_wire_stream *s, int seconds);

/* Has the other side hung up? */
bool sotto_stream_is_gone(const struct sotto_wire_stream *s);

/* n bytes within the given number of seconds. */
bool sotto_stream_read(struct sotto_wire_stream *s, void *out, size_t n, int seconds);

void sotto_stream_put(struct sotto_wire_stream *s, const void *bytes, size_t n);
bool sotto_stream_flush(struct sotto_wire_stream *s, int seconds);

/* Sends what is kept once it is more than a megabyte, so that an answer may be of any size. */
void sotto_stream_drain(struct sotto_wire_stream *s);

#endif
