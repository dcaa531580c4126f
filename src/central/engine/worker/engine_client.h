/*
 * engine_client.h - one request to a worker and its reply
 */
#ifndef SOTTO_ENGINE_CLIENT_H
#define SOTTO_ENGINE_CLIENT_H

#include "central/engine/engine.h"
#include "central/engine/worker/worker_launch.h"
#include "central/engine/worker/worker_message.h"

struct sotto_engine {
	struct sotto_worker worker;
	uint64_t memory; /* that the worker may have: none of its replies is longer */
	uint64_t deadline; /* on the monotonic clock, nanoseconds; UINT64_MAX: none */
	uint64_t work_end; /* on the clock of the process, nanoseconds; UINT64_MAX: none */
	char detail[SOTTO_WORKER_DETAIL];
};

/* A reply whose fields were read up to what belongs to its type. */
struct sotto_worker_reply {
	void *message;
	size_t size;
	struct sotto_worker_outcome outcome;
	struct sotto_worker_fields rest;
};

/* The status that the worker replied; its words are kept.  The caller releases the reply. */
enum sotto_status sotto_engine_call(struct sotto_engine *e, enum sotto_worker_type type,
				    const struct sotto_buffer *request,
				    struct sotto_worker_reply *out);

void sotto_worker_reply_release(struct sotto_worker_reply *r);

/* How it ended, if it had, is what its owner wants to know. */
void sotto_engine_lose(struct sotto_engine *e, enum sotto_status why);

#endif
