/*
 * refusal.h - the reasons why a worker has no partial result
 */
#ifndef SOTTO_REFUSAL_H
#define SOTTO_REFUSAL_H

#include "central/engine/worker/worker_message.h"

/* X(NAME, is final, what the owner's log says) */
#define SOTTO_REFUSAL_LIST(X)                                                                  \
	X(VERSION, true, "a worker has another version of sotto or of the engine")             \
	X(FILES, true, "a worker found another file than the one that was sealed")             \
	X(HASH, true, "the engine of a worker hashes units in another way")                    \
	X(JOB, true, "a worker did not understand its job")                                    \
	X(ENGINE, false, "the engine of a worker failed")

enum sotto_refusal {
#define SOTTO_REFUSAL_ENUM(name, is_final, text) SOTTO_REFUSAL_##name,
	SOTTO_REFUSAL_LIST(SOTTO_REFUSAL_ENUM)
#undef SOTTO_REFUSAL_ENUM
};

/* Whether another attempt could end otherwise is not asked of a final one. */
bool sotto_refusal_is_final(enum sotto_refusal r);
const char *sotto_refusal_text(enum sotto_refusal r);

/* With the engine's words, which are for the owner's log alone. */
SOTTO_MUST_CHECK enum sotto_status
sotto_refusal_put(struct sotto_buffer *b, enum sotto_refusal r, const char *detail);
bool sotto_refusal_take(const void *message, size_t size, enum sotto_refusal *r,
			const char **detail);

#endif
