/*
 * collector.h - the inside of a collector, and its files
 *
 *   checkpoint        everything folded so far, and the ids of its batches
 *   segment-NNNNNNNN  batches since then (segment.h)
 *   lock              held while a collector is open
 */
#ifndef SOTTO_COLLECTOR_H
#define SOTTO_COLLECTOR_H

#include "local/collect/idset.h"
#include "sotto/collect.h"

#define SOTTO_SEGMENT_READ_MAX ((size_t)1 << 32)

struct sotto_local_collector {
	char *directory;
	int lock;
	int fd; /* of the open segment, or -1 */
	uint64_t segment; /* its number; all before it are whole */
	uint64_t covered; /* segments up to this one are in the checkpoint */
	uint64_t size; /* bytes in the open segment */
	uint64_t committed; /* of them, those that are surely on the disk */
	uint32_t uncommitted; /* batches */
	uint64_t batch_reports; /* the most in a new batch; 0: what the format allows */
	bool failed;
	bool full; /* and that is why */
	uint8_t id[16];
	uint64_t sequence; /* batches counted, all time */
	struct sotto_client_params params;
	struct sotto_local_aggregate *aggregate;
	struct sotto_local_aggregate *draft; /* empty between calls, or NULL */
	struct sotto_idset ids;
	struct sotto_local_collector_counts counts;
};

/*
 * Opens a store again that has failed, say because the disk was full: what was not committed is
 * cut off and no longer counted.  Where that fails, *c stays as it is.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_collector_reopen(struct sotto_local_collector **c, struct sotto_error *err);

/* A path in the store that the caller frees; NULL without memory. */
char *sotto_collector_path(const char *directory, const char *name);
char *sotto_collector_segment_path(const char *directory, uint64_t number);

/*
 * Writes the checkpoint that covers the segments up to this one.
 * Reading fills id, covered, sequence, ids, aggregate, params and the counts.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_checkpoint_write(struct sotto_local_collector *c,
							  uint64_t covered,
							  struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_checkpoint_load(struct sotto_local_collector *c, struct sotto_error *err);

/* What looking at a batch has found. */
struct sotto_collector_look {
	struct sotto_local_batch batch;
	enum sotto_local_reason reason;
	bool known; /* its id has been counted */
	bool drafted; /* its reports are in the draft */
};

/*
 * Looks at every byte of a batch.  Nothing else may be done with the collector
 * between that and _add, if the batch is new: its reports may be in the draft.
 * Fails: SOTTO_EPARSE and look->reason; the draft is empty then.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_collector_check(struct sotto_local_collector *c,
							 const uint8_t *bytes, size_t n,
							 struct sotto_collector_look *look);

/* Counts a batch that was found good and new. */
SOTTO_MUST_CHECK enum sotto_status sotto_collector_add(struct sotto_local_collector *c,
						       const uint8_t *bytes,
						       const struct sotto_collector_look *look);

bool sotto_collector_has_params(const struct sotto_local_collector *c,
				const struct sotto_client_params *params);

/* Frees the counts; the directory and the descriptors are the opener's. */
void sotto_collector_release(struct sotto_local_collector *c);

/* Counts one whole batch; a sotto_segment_visit whose context is the collector. */
SOTTO_MUST_CHECK enum sotto_status
sotto_collector_count(void *context, const uint8_t *bytes, size_t n);

/*
 * Counts the batches of a segment up to its last commit, which is after *committed of its *size
 * bytes.  Fails: SOTTO_EMISSING without that file, SOTTO_EIO, SOTTO_ECORRUPT, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_collector_count_segment(struct sotto_local_collector *c, const char *path,
			      uint64_t number, size_t *size, size_t *committed,
			      struct sotto_error *err);

#endif
