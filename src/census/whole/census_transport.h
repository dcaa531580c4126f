/*
 * census_transport.h - finds whole numbers for a table whose row and column sums are given
 *
 * The wanted cells are fractions of a unit: want[i] / unit.  Costs are sums of |x unit - want|,
 * integers, so that "optimal" is exact.  Proofs: rounding.md.
 */
#ifndef SOTTO_CENSUS_TRANSPORT_H
#define SOTTO_CENSUS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/census.h"
#include "sotto/rng.h"
#include "sotto/status.h"

struct sotto_transport {
	size_t rows, columns;
	int64_t unit; /* up to 2^40 */
	const int64_t *want; /* row by row */
	const int64_t *row_sums, *column_sums; /* whole numbers with the same total */
	const int64_t *low, *high; /* of each cell */
	const int64_t *weights; /* of each column, in costs; NULL: 1 */
	int64_t *x; /* the result */
};

/* Memory for tables up to this many rows and columns; grows as needed.  Start from zeros. */
struct sotto_transport_work {
	void *memory;
	size_t size;
};

void sotto_transport_work_release(struct sotto_transport_work *w);

/*
 * Fills x.  L1 is optimal within low and high; UNBIASED sets each cell to its floor or ceiling
 * and keeps its mean, and needs wanted cells that have the sums exactly.
 *
 * Fails:    SOTTO_EINFEASIBLE if no table has these sums within low and high; SOTTO_ENOMEM;
 *           SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_transport_round(const struct sotto_transport *t, enum sotto_rounding rounding,
		      struct sotto_rng *rng, struct sotto_transport_work *work);

#endif
