/*
 * aggregate.h - the inside of struct sotto_local_aggregate
 */
#ifndef SOTTO_LOCAL_AGGREGATE_INTERNAL_H
#define SOTTO_LOCAL_AGGREGATE_INTERNAL_H

#include "local/intake.h"
#include "local/shape.h"
#include "sotto/local_aggregate.h"

struct sotto_cover {
	uint8_t source[16];
	uint64_t first, last;
};

struct sotto_local_aggregate {
	struct sotto_client_params params;
	struct sotto_shape shape;
	size_t stride; /* bytes of a report */
	uint64_t reports;
	uint64_t *groups, *cells;
	uint8_t *log;
	size_t log_capacity; /* in bytes; log_used of them hold reports */
	size_t log_used;
	struct sotto_cover *covers; /* sorted, disjoint, neighbours joined */
	size_t cover_count;
	struct sotto_intake *intake; /* reports not yet in the cells */
};

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
