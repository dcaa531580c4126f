/*
 * channel_sparse.h - solves square systems of fractions with few entries
 */
#ifndef SOTTO_INSIDE_CHANNEL_SPARSE_H
#define SOTTO_INSIDE_CHANNEL_SPARSE_H

#include <gmp.h>

#include "channel/matrix/channel_matrix.h"

struct sotto_sparse_cell {
	size_t column;
	mpq_t value;
};

struct sotto_sparse_row {
	struct sotto_sparse_cell *cells; /* sorted by column, none 0 */
	size_t count, room;
};

struct sotto_sparse {
	size_t n;
	struct sotto_sparse_row *rows;
	mpq_t *right;
};

/* Makes a system of zeros.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_sparse_new(size_t n, struct sotto_sparse **out);
void sotto_sparse_free(struct sotto_sparse *s);

/* Sets a cell; each at most once.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sparse_set(struct sotto_sparse *s, size_t row, size_t column, const mpq_t value);

/*
 * Computes the solution, one column; s is consumed.  Each step takes the shortest remaining row
 * as pivot.
 * Fails:    SOTTO_EINVAL if it is singular, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sparse_solve(struct sotto_sparse *s, struct sotto_matrix **out);

#endif
