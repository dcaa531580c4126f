/*
 * collections.h - reports of devices on their way into stores
 *
 * Each collection has a thread that takes what has come in and makes it durable with one
 * sync for all of it.
 *
 * (1) A batch is answered after the sync that made it durable, never before.
 * (2) A batch that comes again is counted once, and answered again.
 * (3) Where batches come faster than the disk takes them, they are refused, not kept.
 */
#ifndef SOTTO_COLLECTIONS_H
#define SOTTO_COLLECTIONS_H

#include "central/policy/policy.h"
#include "sotto/collect.h"

struct sotto_collections;
struct sotto_collection;

/* Opens the stores of all collections; a new one is made.  Fails: what opening a store does. */
SOTTO_MUST_CHECK enum sotto_status
sotto_collections_open(const struct sotto_policy_collection *list, size_t count,
		       struct sotto_collections **out, struct sotto_error *err);

/* One collection over a store that is open; the store stays the caller's. */
SOTTO_MUST_CHECK enum sotto_status sotto_collections_over(struct sotto_local_collector *store,
							  const char *name,
							  struct sotto_collections **out);

/* Finishes what has come in, and takes nothing more; then closes.  NULL is allowed. */
void sotto_collections_stop(struct sotto_collections *c);
void sotto_collections_close(struct sotto_collections *c);

/* NULL if there is none of that name. */
struct sotto_collection *sotto_collections_find(struct sotto_collections *c, const char *name);

/* The i-th; NULL past the last.  Its name. */
struct sotto_collection *sotto_collections_at(struct sotto_collections *c, size_t i);
const char *sotto_collection_name(const struct sotto_collection *c);

/* What became of a batch; status is not SOTTO_OK if the store failed. */
typedef void (*sotto_collection_done)(void *context, enum sotto_status status,
				      enum sotto_local_verdict verdict,
				      enum sotto_local_reason reason);

/*
 * Puts a batch in line; bytes are borrowed until done is called, from another thread.
 *
 * Fails:    SOTTO_ESTATE if too much waits, or the server stops; done is then not called.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_collection_add(struct sotto_collection *c, const uint8_t *bytes, size_t n,
		     sotto_collection_done done, void *context);

/* SOTTO_OK, or what the store failed with: it then takes nothing more. */
SOTTO_MUST_CHECK enum sotto_status
sotto_collection_health(struct sotto_collection *c, struct sotto_error *err);

/* A copy of what was counted and is durable; the caller frees it. */
SOTTO_MUST_CHECK enum sotto_status
sotto_collection_counted(struct sotto_collection *c, struct sotto_local_aggregate **out,
			 struct sotto_local_collector_counts *counts);

#endif
