/*
 * census_final_counts.h - a node's final counts, sparse
 */
#ifndef SOTTO_CENSUS_FINAL_COUNTS_H
#define SOTTO_CENSUS_FINAL_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_census_counts {
	size_t n;
	uint32_t *cells; /* sorted by group, then by number */
	int64_t *counts;
};

void sotto_census_counts_release(struct sotto_census_counts *c);

/* Keeps the cells of a row that are not 0.  Fails: SOTTO_ENOMEM; pair with _release even then. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_counts_keep(struct sotto_census_counts *out, const uint32_t *cells,
			 const int64_t *row, size_t cell_count);
SOTTO_MUST_CHECK enum sotto_status
sotto_census_counts_copy(struct sotto_census_counts *out,
			 const struct sotto_census_counts *from);

#endif
