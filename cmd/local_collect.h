/*
 * local_collect.h - the ways reports and counts come in
 */
#ifndef SOTTO_CMD_LOCAL_COLLECT_H
#define SOTTO_CMD_LOCAL_COLLECT_H

#include "local.h"

struct collect_settings {
	const char *store, *params, *snapshot, *import;
	struct option_count listen;
	bool compact, verify;
};

/* --import: the counts of a counts.csv as an aggregate for decode and merge. */
enum outcome local_import(const struct invocation *call, struct sotto_error *err);

/* A commit is made after so many batches or milliseconds, whichever is first. */
enum { COMMIT_BATCHES = 100, COMMIT_MILLISECONDS = 250 };

/* Bytes that have arrived and the batches in them. */
struct batch_stream {
	uint8_t *bytes;
	size_t used, room;
};

/* Adds bytes; takes the first whole batch.  NULL if there is none; it is borrowed till _drop. */
void batch_stream_add(struct batch_stream *s, const uint8_t *bytes, size_t n);

enum batch_stream_state {
	BATCH_NONE, /* more bytes are needed */
	BATCH_WHOLE,
	BATCH_BROKEN /* not a batch: the rest of the stream means nothing */
};
enum batch_stream_state batch_stream_next(const struct batch_stream *s, size_t *length);
void batch_stream_drop(struct batch_stream *s, size_t n);
void batch_stream_release(struct batch_stream *s);

/*
 * What one peer may ask for: bytes of a batch; time from one batch to the end of the next,
 * however many bytes come meanwhile; and time in all, after which it may finish the batch
 * at hand and has to connect anew.
 */
struct listen_limits {
	size_t batch_bytes;
	int64_t batch_ms;
	int64_t connection_ms;
};

/*
 * Takes batches on 127.0.0.1:port until SIGINT or SIGTERM.  Each is answered
 * after its commit by a line: accepted, duplicate, or rejected and the reason;
 * "rejected size" and "rejected busy" are batches past a limit, and end the
 * connection.  Where places or memory run out, the peer that has kept one longest without
 * a whole batch gives way.  Prints "listening on 127.0.0.1:PORT" first.
 */
enum outcome local_listen(struct sotto_local_collector *c, uint16_t port,
			  const struct listen_limits *limits, FILE *out,
			  struct sotto_error *err);

#endif
