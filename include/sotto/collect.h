/*
 * sotto/collect.h - local differential privacy on the server: accepting and counting reports
 */
#ifndef SOTTO_COLLECT_H
#define SOTTO_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/client.h"
#include "sotto/status.h"

/*
 * ---- What a collection has counted so far
 *
 * An aggregate has only integer counters, so adding aggregates is exact, associative and
 * commutative, and any batch system can divide the work.  For OLH and PEM the aggregate
 * contains the reports themselves.
 */

struct sotto_local_aggregate;

/* An empty aggregate.  Fails: SOTTO_EINVAL, SOTTO_ERANGE past 2^32 counters, SOTTO_ENOMEM. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_new(const struct sotto_client_params *params,
			  struct sotto_local_aggregate **out);
SOTTO_API void sotto_local_aggregate_free(struct sotto_local_aggregate *a);

/* Counts n reports that were already checked.  Fails: SOTTO_ENOMEM; nothing is counted then. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_add(struct sotto_local_aggregate *a, const uint8_t *reports, size_t n);

/*
 * Adds counts made elsewhere: reports per group (or NULL), one number per cell.
 * Fails: SOTTO_EINVAL if a cell exceeds the reports that could have set it;
 *        SOTTO_ESTATE for OLH and PEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_import(struct sotto_local_aggregate *a, uint64_t reports,
			     const uint64_t *groups, const uint64_t *cells);

/*
 * Records what the aggregate contains: items first .. last that the source
 * (a collector) accepted.  Two aggregates that cover the same items are never added.
 * Fails: SOTTO_ESTATE if they are covered already, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_cover(struct sotto_local_aggregate *a, const uint8_t source[16],
			    uint64_t first, uint64_t last);

/*
 * into += from.  The bytes of the result do not depend on the order.
 * Fails: SOTTO_EINVAL if the parameters differ, SOTTO_ESTATE if both cover the
 *        same items, SOTTO_ENOMEM; into is then unchanged.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_merge(struct sotto_local_aggregate *into,
			    struct sotto_local_aggregate *from, struct sotto_error *err);

/* Borrowed until the next change; the counters are those of src/local/protocol/report_shape.h. */
struct sotto_local_counts {
	const struct sotto_client_params *params;
	uint64_t reports;
	const uint64_t *groups;
	size_t group_count;
	const uint64_t *cells;
	size_t cell_count;
	const uint8_t *log; /* kept reports */
	size_t log_reports;
};

SOTTO_API struct sotto_local_counts
sotto_local_aggregate_counts(struct sotto_local_aggregate *a);

/*
 * Writes or reads a snapshot file.  It is written to another name, synced and renamed, so a
 * reader sees either the complete old file or the complete new one.  Equal aggregates have
 * equal files.
 *
 * Fails: SOTTO_EIO; loading also SOTTO_ECORRUPT, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_store(struct sotto_local_aggregate *a, const char *path,
			    struct sotto_error *err);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_load(const char *path, struct sotto_local_aggregate **out,
			   struct sotto_error *err);

/*
 * ---- Batches of reports, and a store that never counts one twice
 *
 * A batch is one upload: a header with the parameters of its reports, and blocks
 * of reports, all with checksums.  It names no device.  The collector appends
 * batches to segments; acknowledged batches survive any crash, and a batch that is
 * sent again is acknowledged again but counted once.  Formats and argument:
 * src/local/collect/collector.md.
 */

#define SOTTO_LOCAL_BATCH_HEADER SOTTO_CLIENT_BATCH_HEADER
#define SOTTO_LOCAL_BATCH_REPORTS_MAX SOTTO_CLIENT_BATCH_REPORTS_MAX

struct sotto_local_batch {
	struct sotto_client_params params;
	uint8_t id[16]; /* random per upload, never per device */
	uint64_t from, until; /* when the reports were made; any unit, e.g. hours */
	uint64_t reports;
	double epsilon; /* of one report, as the sender states it; 0 if it does not */
};

/*
 * The whole batch as bytes that the caller frees.
 * Fails: SOTTO_EINVAL if a report is not one, SOTTO_ERANGE, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_batch_make(const struct sotto_local_batch *batch, const uint8_t *reports,
		       uint8_t **out, size_t *length);

/* Why a batch was not taken: a name for statistics, and the end of "the batch was rejected: ...". */
#define SOTTO_LOCAL_REASONS(X)                                                                 \
	X(NONE, "none", "nothing is wrong with it")                                            \
	X(SHORT, "wrong length", "it is shorter or longer than its header says")               \
	X(MAGIC, "not a batch", "it is not a batch of reports")                                \
	X(VERSION, "unknown version",                                                          \
	  "this collector does not know the version of its format")                            \
	X(HEADER, "damaged header", "its header is damaged")                                   \
	X(PARAMETERS, "other collection",                                                      \
	  "it was made with the parameters of another collection")                             \
	X(BLOCK, "damaged reports", "its reports were damaged on the way: a checksum differs") \
	X(REPORT, "impossible report",                                                         \
	  "it holds a report that no device of this collection makes")                         \
	X(COHORT, "unknown cohort",                                                            \
	  "it holds a report of a cohort, group or row that does not exist")                   \
	X(PADDING, "padding", "it holds a report with unused bits that are not zero")          \
	X(MANY, "too many reports",                                                            \
	  "it holds more reports than this collector takes in one batch")

enum sotto_local_reason {
#define SOTTO_LOCAL_REASON_ENUM(name, text, sentence) SOTTO_LOCAL_REASON_##name,
	SOTTO_LOCAL_REASONS(SOTTO_LOCAL_REASON_ENUM)
#undef SOTTO_LOCAL_REASON_ENUM
		SOTTO_LOCAL_REASON_COUNT
};

SOTTO_API const char *sotto_local_reason_name(enum sotto_local_reason reason);

/* The same in a sentence, for whoever sent the batch. */
SOTTO_API const char *sotto_local_reason_sentence(enum sotto_local_reason reason);

/*
 * Reads the header at the start of bytes and the length of the whole batch.
 * *reason says what is wrong; SHORT means that more bytes may cure it.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_batch_read(const uint8_t *bytes, size_t n, struct sotto_local_batch *out,
		       size_t *length, enum sotto_local_reason *reason);

struct sotto_local_collector;

enum sotto_local_verdict {
	SOTTO_LOCAL_ACCEPTED,
	SOTTO_LOCAL_DUPLICATE,
	SOTTO_LOCAL_REJECTED,
};

struct sotto_local_collector_counts {
	uint64_t accepted, duplicate; /* batches since the collector was opened */
	uint64_t rejected[SOTTO_LOCAL_REASON_COUNT];
	uint64_t reports; /* in the store, all time */
	uint64_t batches;
	uint64_t cut; /* bytes of an unfinished write that recovery removed */
};

/*
 * Opens a store, or creates it if it does not exist and params is given.  Reads
 * what is on disk; an unfinished write at the end is cut off.
 *
 * Fails: SOTTO_EMISSING if there is neither a store nor params, SOTTO_EINVAL if params
 *        differ from the store's, SOTTO_ECORRUPT if acknowledged bytes are
 *        damaged (nothing is dropped silently), SOTTO_ESTATE if another process
 *        has it, SOTTO_EIO, SOTTO_ENOMEM, SOTTO_EENTROPY.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_collector_open(const char *directory, const struct sotto_client_params *params,
			   struct sotto_local_collector **out, struct sotto_error *err);
SOTTO_API void sotto_local_collector_close(struct sotto_local_collector *c);

/*
 * Takes one batch.  Acknowledge an accepted or duplicate batch only after the
 * next successful commit; until then a crash can lose it.
 *
 * Fails: SOTTO_EIO, SOTTO_ENOMEM; the collector then accepts nothing more.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_collector_take(struct sotto_local_collector *c, const uint8_t *batch, size_t n,
			   enum sotto_local_verdict *verdict, enum sotto_local_reason *reason);

/*
 * From now on rejects new batches of more than so many reports.  An upload from one device
 * holds few; a limit where anybody may send keeps one request from posing as millions.
 * Without a call the limit is SOTTO_LOCAL_BATCH_REPORTS_MAX.
 *
 * Fails: SOTTO_ERANGE for 0 or more than that.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_collector_limit(struct sotto_local_collector *c, uint64_t reports);

/* Makes all batches taken so far durable, with one sync.  Fails: SOTTO_EIO. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_collector_commit(struct sotto_local_collector *c, struct sotto_error *err);

/*
 * Folds all segments into one checkpoint and removes them; batch ids are kept.
 * Fails: SOTTO_EIO; the store is then unchanged.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_collector_compact(struct sotto_local_collector *c, struct sotto_error *err);

/* Borrowed: everything counted so far, committed or not. */
SOTTO_API struct sotto_local_aggregate *
sotto_local_collector_aggregate(struct sotto_local_collector *c);
SOTTO_API struct sotto_local_collector_counts
sotto_local_collector_counts(const struct sotto_local_collector *c);
SOTTO_API const struct sotto_client_params *
sotto_local_collector_params(const struct sotto_local_collector *c);

/*
 * Reads every byte of a store again, without changing it.
 * Fails: SOTTO_ECORRUPT if it is damaged or has an unfinished write at the end; err says
 *        where.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_collector_verify(const char *directory, struct sotto_error *err);

#endif
