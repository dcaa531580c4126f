/*
 * channel_matrix.h - inside of a matrix of exact fractions
 *
 * Cells are GMP fractions in lowest terms.
 */
#ifndef SOTTO_INSIDE_CHANNEL_MATRIX_H
#define SOTTO_INSIDE_CHANNEL_MATRIX_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "sotto/channel.h"

struct sotto_matrix {
	size_t rows;
	size_t columns;
	mpq_t *cells; /* row after row */
};

/* More cells than this are refused: a fraction takes at least about 50 bytes. */
enum { SOTTO_MATRIX_CELLS_MAX = 1 << 24 };

static inline mpq_ptr sotto_matrix_at(const struct sotto_matrix *m, size_t row, size_t column)
{
	return m->cells[row * m->columns + column];
}

/* Copies a matrix.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_matrix_copy(const struct sotto_matrix *m, struct sotto_matrix **out);

void sotto_matrix_row_sum(mpq_t sum, const struct sotto_matrix *m, size_t row);

/*
 * Solves a x = b by elimination; a is square and unchanged, b has one or more columns.  Fails:
 * SOTTO_EINVAL if a is singular, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_matrix_solve(const struct sotto_matrix *a,
						      const struct sotto_matrix *b,
						      struct sotto_matrix **out);

/* Computes a b: a channel followed by a remap.  Fails: SOTTO_EINVAL if sizes do not fit. */
SOTTO_MUST_CHECK enum sotto_status sotto_matrix_product(const struct sotto_matrix *a,
							const struct sotto_matrix *b,
							struct sotto_matrix **out);

#endif
