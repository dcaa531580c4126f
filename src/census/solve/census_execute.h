/*
 * census_execute.h - turns measurements into whole numbers, streamed subtree by subtree
 */
#ifndef SOTTO_CENSUS_EXECUTE_H
#define SOTTO_CENSUS_EXECUTE_H

#include "census/measure/census_measure.h"

/* Receives the results.  Batches end in the order of their nodes. */
struct sotto_census_sink {
	void *context;
	enum sotto_status (*begin)(void *context, void **batch);
	/* Receives the cells of a node that are not 0. */
	enum sotto_status (*node)(void *context, void *batch, size_t node,
				  const uint32_t *cells, const int64_t *counts, size_t n);
	enum sotto_status (*end)(void *context, void *batch);
};

struct sotto_census_options {
	unsigned threads; /* at least 1 */
	size_t done; /* batches that the sink has already; they are not made again */
	void (*progress)(void *context, uint64_t done, uint64_t total);
	void *progress_context;
};

/* Draws, estimates, rounds and delivers every node.  Fails as the steps do. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_execute(const struct sotto_census_plan *plan,
		     const struct sotto_census_schema *schema,
		     const struct sotto_census_shape *shape,
		     const struct sotto_census_measurement *measurement,
		     const struct sotto_census_options *options,
		     const struct sotto_census_sink *sink, uint64_t *draws);

#endif
