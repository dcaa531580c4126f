/*
 * census_symmetric.h - square matrices of a few rows, row by row; symmetric ones and their inverses
 */
#ifndef SOTTO_CENSUS_SYMMETRIC_H
#define SOTTO_CENSUS_SYMMETRIC_H

#include <stdbool.h>
#include <stddef.h>

/* out = a b, where a is rows x inner and b is inner x columns. */
void sotto_small_multiply(size_t rows, size_t inner, size_t columns, const double *a,
			  const double *b, double *out);

/* out = a s a' for a symmetric s, exactly symmetric.  a is rows x n; work: rows x n. */
void sotto_small_sandwich(size_t rows, size_t n, const double *a, const double *s, double *out,
			  double *work);

/* Cholesky in place (lower); false if a is not clearly positive definite. */
bool sotto_symmetric_factor(double *a, size_t n);

/* The inverse of L L'. */
void sotto_symmetric_invert_factor(const double *l, size_t n, double *out);

/* Eigenvalues, and eigenvectors as rows (Jacobi's rotations).  Destroys a. */
void sotto_symmetric_decompose(double *a, size_t n, double *values, double *vectors);

/*
 * The Moore-Penrose inverse of a positive semidefinite a, and the projection on its range (NULL: not
 * wanted).  Eigenvalues up to `floor`, or 10^-11 of the largest, are zero.
 * work: 2 n^2 + n doubles.
 */
void sotto_symmetric_invert(size_t n, const double *a, double floor, double *inverse,
			    double *range, double *work);

/* x := a^-1 x for a square a that has one; x has n columns.  Destroys a. */
void sotto_small_solve(size_t n, double *a, double *x);

#endif
