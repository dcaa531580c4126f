/*
 * census_truth.h - the private counts: of every leaf, sparse
 *
 * Only census_truth.c fills them and only measure.c reads them.
 */
#ifndef SOTTO_CENSUS_TRUTH_H
#define SOTTO_CENSUS_TRUTH_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/noise.h"
#include "sotto/status.h"

/* Counts of 2^32 - 1 and more are in `large`, in order. */
struct sotto_census_truth {
	size_t leaves;
	uint64_t *starts; /* entries of leaf i: starts[i] .. starts[i+1]-1 */
	uint32_t *cells;
	uint32_t *counts;
	struct sotto_census_large {
		uint64_t entry;
		struct sotto_exact count;
	} * large;
	size_t large_count;
};

/* One count as it comes. */
struct sotto_census_entry {
	uint32_t leaf, cell;
	struct sotto_exact count;
};

/* Sorts the entries, joins equal places, wipes them.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_truth_init(struct sotto_census_truth *t, size_t leaves,
			struct sotto_census_entry *entries, size_t count);
void sotto_census_truth_release(struct sotto_census_truth *t);

#endif
