/*
 * cholesky.h - symmetric positive systems, dense
 */
#ifndef SOTTO_CHOLESKY_H
#define SOTTO_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * a (n by n, row-major, lower triangle read) becomes its factor L.  A pivot that
 * falls below 1e-9 of its start belongs to a column that the ones before it
 * explain: it is marked in dropped and left out.
 */
void sotto_cholesky_factor(double *a, size_t n, bool *dropped);

/* Solves L L' x = b in place. */
void sotto_cholesky_solve(const double *l, size_t n, const bool *dropped, double *b);

/* out[i] = the i-th diagonal element of the inverse of L L'; l is overwritten. */
void sotto_cholesky_inverse_diagonal(double *l, size_t n, const bool *dropped, double *out);

/*
 * The whole inverse, n by n, from what _inverse_diagonal left in l; rows and
 * columns of dropped ones are zero.
 */
void sotto_cholesky_inverse(const double *l, size_t n, const bool *dropped, double *out);

#endif
