/*
 * census_rational_matrix.h - small dense matrices of exact rationals
 *
 * Information matrices may be singular; the questions asked here have an answer even then
 * (marginals.md, "Singular information").
 */
#ifndef SOTTO_CENSUS_RATIONAL_MATRIX_H
#define SOTTO_CENSUS_RATIONAL_MATRIX_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "sotto/status.h"

struct sotto_rational_matrix {
	size_t rows, columns;
	mpq_t *cells; /* row by row */
};

/* Makes a matrix of zeros.  Fails: SOTTO_ENOMEM.  Pair with _release. */
SOTTO_MUST_CHECK enum sotto_status
sotto_rational_matrix_init(struct sotto_rational_matrix *m, size_t rows, size_t columns);
void sotto_rational_matrix_release(struct sotto_rational_matrix *m);
void sotto_rational_matrix_copy(struct sotto_rational_matrix *to,
				const struct sotto_rational_matrix *from);

static inline mpq_ptr
sotto_rational_at(const struct sotto_rational_matrix *m, size_t row, size_t column)
{
	return m->cells[row * m->columns + column];
}

/* Computes a += factor b. */
void sotto_rational_matrix_add(struct sotto_rational_matrix *a,
			       const struct sotto_rational_matrix *b, const mpq_t factor);

/* The steps that solve a x = f for any f: rows of unknowns, then conditions on f. */
struct sotto_rational_inverse {
	struct sotto_rational_matrix steps;
	size_t *where, rank; /* the row of each unknown; SIZE_MAX: free */
};

/* Prepares the steps for a square matrix.  Fails: SOTTO_ENOMEM.  Pair with _release in any case. */
SOTTO_MUST_CHECK enum sotto_status
sotto_rational_inverse_init(struct sotto_rational_inverse *v,
			    const struct sotto_rational_matrix *a);
void sotto_rational_inverse_release(struct sotto_rational_inverse *v);

/*
 * Computes f' a^- f, where f is 1 in the marked places and 0 elsewhere; false if a x = f has no
 * solution.
 */
bool sotto_rational_inverse_form(const struct sotto_rational_inverse *v, const bool *marked,
				 mpq_t out);

/* Sets a to the parallel sum a (a+b)^- b of two positive semidefinite matrices. */
SOTTO_MUST_CHECK enum sotto_status
sotto_rational_matrix_parallel(struct sotto_rational_matrix *a,
			       const struct sotto_rational_matrix *b);

#endif
