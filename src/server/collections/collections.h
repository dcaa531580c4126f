/*
 * collections.h - writes the reports of devices into their stores
 *
 * Each collection has a thread that takes all batches that have arrived and makes them durable
 * with a single sync.
 *
 * (1) A batch is answered after the sync that made it durable, never before.
 * (2) A batch that is sent again is answered again, but counted once.
 * (3) If batches arrive faster than the disk can take them, they are refused, not kept in memory.
 * (4) If a store cannot be written, its batches are refused until it can.
 */
#ifndef SOTTO_COLLECTIONS_H
#define SOTTO_COLLECTIONS_H

#include "central/policy/policy.h"
#include "sotto/collect.h"

struct sotto_collections;
struct sotto_collection;

/* Opens the stores of all collections and creates missing ones.  Fails as opening a store does. */
SOTTO_MUST_CHECK enum sotto_status
sotto_collections_open(const struct sotto_policy_collection *list, size_t count,
		       struct sotto_collections **out, struct sotto_error *err);

/* Makes a single collection over an open store, which still belongs to the caller. */
SOTTO_MUST_CHECK enum sotto_status sotto_collections_over(struct sotto_local_collector *store,
							  const char *name,
							  struct sotto_collections **out);

/* Stop: finish what has arrived and take nothing more.  Close: free everything; NULL is allowed. */
void sotto_collections_stop(struct sotto_collections *c);
void sotto_collections_close(struct sotto_collections *c);

/* NULL if there is no collection of that name. */
struct sotto_collection *sotto_collections_find(struct sotto_collections *c, const char *name);

/* The i-th collection, or NULL past the last one; the name of a collection. */
struct sotto_collection *sotto_collections_at(struct sotto_collections *c, size_t i);
const char *sotto_collection_name(const struct sotto_collection *c);

/* Tells what became of a batch; status is not SOTTO_OK if the store failed. */
typedef void (*sotto_collection_done)(void *context, enum sotto_status status,
				      enum sotto_local_verdict verdict,
				      enum sotto_local_reason reason);

/*
 * Queues a batch; bytes are borrowed until another thread calls done.
 *
 * Fails:    SOTTO_ESTATE if the queue is full or the server is stopping; done is then not called.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_collection_add(struct sotto_collection *c, const uint8_t *bytes, size_t n,
		     sotto_collection_done done, void *context);

/*
 * SOTTO_OK, or the failure of the store.  A store that was opened here is tried again from time to
 * time; another one takes nothing more.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_collection_health(struct sotto_collection *c, struct sotto_error *err);

/* Copies the counts that are durable; the caller frees the copy. */
SOTTO_MUST_CHECK enum sotto_status
sotto_collection_counted(struct sotto_collection *c, struct sotto_local_aggregate **out,
			 struct sotto_local_collector_counts *counts);

#endif
