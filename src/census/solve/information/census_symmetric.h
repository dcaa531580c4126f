/*
 * census_symmetric.h - small dense matrices, row by row; symmetric ones and their inverses
 */
#ifndef SOTTO_CENSUS_SYMMETRIC_H
#define SOTTO_CENSUS_SYMMETRIC_H

#include <stdbool.h>
#include <stddef.h>

/* Computes out = a b, where a is rows x inner and b is inner x columns. */
void sotto_small_multiply(size_t rows, size_t inner, size_t columns, const double *a,
			  const double *b, double *out);

/* Computes out = a s a' for a symmetric s, exactly symmetric.  a is rows x n; work: rows x n. */
void sotto_small_sandwich(size_t rows, size_t n, const double *a, const double *s, double *out,
			  double *work);

/* Factors a = L L' in place (Cholesky); false if a is not clearly positive definite. */
bool sotto_symmetric_factor(double *a, size_t n);

/* Computes the inverse of L L'. */
void sotto_symmetric_invert_factor(const double *l, size_t n, double *out);

/* Computes eigenvalues, and eigenvectors as rows (Jacobi's rotations).  Destroys a. */
void sotto_symmetric_decompose(double *a, size_t n, double *values, double *vectors);

/*
 * Computes the Moore-Penrose inverse of a positive semidefinite a, and the projection on its
 * range (unless NULL).  Eigenvalues up to `floor`, or 10^-11 of the largest, count as zero.
 * work: 2 n^2 + n doubles.
 */
void sotto_symmetric_invert(size_t n, const double *a, double floor, double *inverse,
			    double *range, double *work);

/* Computes x := a^-1 x for an invertible a; x has n columns.  Destroys a. */
void sotto_small_solve(size_t n, double *a, double *x);

#endif
