/*
 * worker_message.h - what a worker and the process that started it say to each other
 *
 * A message is a header of 16 bytes (a mark, its type, the length of what follows) and
 * fields: numbers of 32 and 64 bits in the machine's order, since both ends are on one
 * machine, and texts (length, bytes, a NUL).  Each request has one reply of the same type,
 * which begins with a status, a sentence for people and the engine's own words.
 *
 * To add a request: one line in SOTTO_WORKER_LIST, a function in worker_loop.c that handles
 * it, and a function in engine_client.c that sends it.
 */
#ifndef SOTTO_WORKER_MESSAGE_H
#define SOTTO_WORKER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "central/engine/engine.h"
#include "core/base/buffer.h"

/* Both sides say which build they are of, first of all: others are not understood. */
extern const char sotto_worker_build[];

enum { SOTTO_WORKER_PROTOCOL = 1, SOTTO_WORKER_HEADER = 16, SOTTO_WORKER_DETAIL = 2000 };

/*
 * No request to an engine is longer.  A reply is as long as the memory of the worker at most, and has no other
 * limit: how many groups with private keys there are may depend on one unit, and so would a
 * failure at a limit of our own.
 */
#define SOTTO_WORKER_REQUEST_MAX ((uint64_t)256 << 20)

/* X(NAME, handler) */
#define SOTTO_WORKER_LIST(X)                                                                   \
	X(HELLO, hello) /* protocol, version, threads, memory */                               \
	X(POSTGRES, use_postgres) /* whether there is a text, connection string */             \
	X(ADBC, use_adbc) /* driver, address; the reply ends with shares_moment */             \
	X(EXECUTE, execute) /* SQL */                                                          \
	X(LOCK, lock) /* number of paths, paths, number of folders, folders */                 \
	X(PREPARE, prepare) /* SQL, seconds */                                                 \
	X(FINISH, finish)                                                                      \
	X(RUN, run) /* SQL; the reply ends with a result */

enum sotto_worker_type {
	SOTTO_WORKER_NONE,
#define SOTTO_WORKER_ENUM(name, handler) SOTTO_WORKER_##name,
	SOTTO_WORKER_LIST(SOTTO_WORKER_ENUM)
#undef SOTTO_WORKER_ENUM
};

struct sotto_worker_header {
	uint32_t type;
	uint64_t length;
};

void sotto_worker_header_write(const struct sotto_worker_header *h,
			       uint8_t out[SOTTO_WORKER_HEADER]);

/* False for what is not a header, or announces more than most bytes. */
bool sotto_worker_header_read(const uint8_t in[SOTTO_WORKER_HEADER], uint64_t most,
			      struct sotto_worker_header *h);

/* ---- writing ------------------------------------------------------------------ */

/* Fail: SOTTO_ERANGE past the buffer's cap, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_worker_put_u32(struct sotto_buffer *b, uint32_t x);
SOTTO_MUST_CHECK enum sotto_status sotto_worker_put_u64(struct sotto_buffer *b, uint64_t x);
SOTTO_MUST_CHECK enum sotto_status
sotto_worker_put_text(struct sotto_buffer *b, const char *text);
SOTTO_MUST_CHECK enum sotto_status
sotto_worker_put_texts(struct sotto_buffer *b, const char *const *texts, size_t count);

/* ---- reading ------------------------------------------------------------------ */

/* Fields that were not read yet. */
struct sotto_worker_fields {
	const uint8_t *next, *end;
};

/* False, and nothing is read, if the fields do not hold it. */
bool sotto_worker_take(struct sotto_worker_fields *f, void *out, size_t n);
bool sotto_worker_take_u32(struct sotto_worker_fields *f, uint32_t *out);
bool sotto_worker_take_u64(struct sotto_worker_fields *f, uint64_t *out);

/* Borrowed from the message; without a NUL inside. */
bool sotto_worker_take_text(struct sotto_worker_fields *f, const char **out);

/* *out is malloc'd, its texts are borrowed.  Fails: SOTTO_ECORRUPT, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_worker_take_texts(struct sotto_worker_fields *f, const char ***out, size_t *count);

/* What every reply begins with; both texts are borrowed. */
struct sotto_worker_outcome {
	enum sotto_status status;
	const char *sentence;
	const char *detail;
};

SOTTO_MUST_CHECK enum sotto_status
sotto_worker_put_outcome(struct sotto_buffer *b, const struct sotto_worker_outcome *o);
bool sotto_worker_take_outcome(struct sotto_worker_fields *f, struct sotto_worker_outcome *o);

#endif
