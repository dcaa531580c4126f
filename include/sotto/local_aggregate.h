/*
 * sotto/local_aggregate.h - what a collection has counted so far
 *
 * Integer counters only: sums of aggregates are exact, associative and
 * commutative, so any batch system can spread the work.  OLH and PEM keep the
 * reports themselves.
 */
#ifndef SOTTO_LOCAL_AGGREGATE_H
#define SOTTO_LOCAL_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/client.h"
#include "sotto/error.h"

struct sotto_local_aggregate;

/* Starts at zero.  Fails: SOTTO_EINVAL, SOTTO_ERANGE past 2^32 counters, SOTTO_ENOMEM. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_new(const struct sotto_client_params *params,
			  struct sotto_local_aggregate **out);
SOTTO_API void sotto_local_aggregate_free(struct sotto_local_aggregate *a);

/*
 * Looks at n reports of sotto_client_report_bytes each: every number in range,
 * lists ascending, padding zero.
 *
 * Fails: SOTTO_EINVAL for a report that no client can have sent.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_reports_check(const struct sotto_client_params *params, const uint8_t *reports,
			  size_t n);

/* Counts n reports that were checked.  Fails: SOTTO_ENOMEM; nothing was counted then. */
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
 * Says what is in the aggregate: the numbers first .. last of what the source
 * (a collector) took in.  Two aggregates that cover the same are never added.
 * Fails: SOTTO_ESTATE if that is covered already, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_cover(struct sotto_local_aggregate *a, const uint8_t source[16],
			    uint64_t first, uint64_t last);

/*
 * into += from.  The bytes of the result do not depend on the order.
 * Fails: SOTTO_EINVAL if the parameters differ, SOTTO_ESTATE if both cover the
 *        same, SOTTO_ENOMEM; into is then unchanged.
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
 * A snapshot file: written aside, synced, renamed, directory synced; a reader
 * sees the old or the new one, whole.  Equal aggregates have equal files.
 *
 * Fails: SOTTO_EIO; loading also SOTTO_ECORRUPT, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_store(struct sotto_local_aggregate *a, const char *path,
			    struct sotto_error *err);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_load(const char *path, struct sotto_local_aggregate **out,
			   struct sotto_error *err);

/* The same on bytes in memory. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_parse(const uint8_t *bytes, size_t n, struct sotto_local_aggregate **out,
			    struct sotto_error *err);

#endif
