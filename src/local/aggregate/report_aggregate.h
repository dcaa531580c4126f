/*
 * report_aggregate.h - the inside of struct sotto_local_aggregate
 */
#ifndef SOTTO_REPORT_AGGREGATE_H
#define SOTTO_REPORT_AGGREGATE_H

#include "local/aggregate/intake.h"
#include "local/protocol/report_shape.h"
#include "sotto/collect.h"

struct sotto_cover {
	uint8_t source[16];
	uint64_t first, last;
};

struct sotto_local_aggregate {
	struct sotto_client_params params;
	struct sotto_report_shape shape;
	size_t stride; /* bytes of a report */
	uint64_t reports;
	uint64_t *groups, *cells;
	uint8_t *log;
	size_t log_capacity; /* in bytes; log_used of them hold reports */
	size_t log_used;
	struct sotto_cover *covers; /* sorted, disjoint, neighbours joined */
	size_t cover_count;
	struct sotto_report_intake *intake; /* reports not yet in the cells */
};

/* So that sums of two never wrap. */
#define SOTTO_AGGREGATE_REPORTS_MAX ((uint64_t)1 << 62)

/* Whether counts can be those of the given number of reports. */
bool sotto_aggregate_sound(const struct sotto_local_aggregate *a, uint64_t reports,
			   const uint64_t *groups, const uint64_t *cells);

/* Covers as _cover leaves them, all at once.  Fails: SOTTO_ESTATE for others, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_aggregate_set_covers(struct sotto_local_aggregate *a,
							      const struct sotto_cover *covers,
							      size_t n);

/* Empties the intake into the cells; sorts the log. */
void sotto_aggregate_settle(struct sotto_local_aggregate *a);

/*
 * Brings the counts of `from` into `into`, and leaves it empty.  Both have the same
 * parameters and keep no reports.
 */
void sotto_aggregate_pour(struct sotto_local_aggregate *into,
			  struct sotto_local_aggregate *from);

/* Forgets the counts of an aggregate that keeps no reports. */
void sotto_aggregate_clear(struct sotto_local_aggregate *a);

#endif
