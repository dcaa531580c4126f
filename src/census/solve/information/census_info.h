/*
 * census_info.h - information about a node's cells, decoupled (marginals.md)
 *
 * Vectors are stored in a basis in which every information matrix is block diagonal: along each
 * regular axis the mean and orthonormal contrasts.  A coefficient belongs to the component T of
 * axes on which it is a contrast; a matrix is one places x places block for each T.
 */
#ifndef SOTTO_CENSUS_INFO_H
#define SOTTO_CENSUS_INFO_H

#include "census/plan/census_schema.h"

struct sotto_census_basis {
	const struct sotto_census_schema *schema;
	size_t places, regular, components;
	uint8_t *component; /* of each regular coefficient */
	size_t block; /* doubles of one matrix: components * places^2 */
	/* Information assigned where there is none (sotto_census_info_invert). */
	double faintest;
};

SOTTO_MUST_CHECK enum sotto_status
sotto_census_basis_init(struct sotto_census_basis *b, const struct sotto_census_schema *s);
void sotto_census_basis_release(struct sotto_census_basis *b);

/* Transform cells to coefficients and back, in place. */
void sotto_census_analyse(const struct sotto_census_basis *b, double *x);
void sotto_census_synthesise(const struct sotto_census_basis *b, double *x);

/* Adds to j what the queries of a plan's level say about one node: the sum of w M'M. */
void sotto_census_level_info(const struct sotto_census_basis *b, size_t plan_level, double *j);

/* Does the same without the queries that a known table answers: they cannot say more. */
void sotto_census_level_rest(const struct sotto_census_basis *b, size_t plan_level, double *j);

/* Zeroes the rows and columns of places that are not in mask. */
void sotto_census_info_mask(const struct sotto_census_basis *b, uint64_t mask, double *j);

/*
 * Computes the inverse on the places of mask, zero elsewhere.  A direction about which j says
 * nothing gets a variance beyond all others (marginals.md, "Nothing known").  work has 3 places^2
 * doubles.
 */
void sotto_census_info_invert(const struct sotto_census_basis *b, uint64_t mask,
			      const double *j, double *inverse, double *work);

/* Computes out = matrix x, or out += matrix x if add. */
void sotto_census_info_apply(const struct sotto_census_basis *b, const double *matrix,
			     const double *x, double *out, bool add);

/*
 * Writes the matrix as a sum over sets S of regular axes of blocks that act where two cells agree
 * on S: kernel[S][e][e'].
 */
void sotto_census_info_kernel(const struct sotto_census_basis *b, const double *j,
			      double *kernel);

/* Return the variance of the total, and of one cell of a query by its place, from a covariance. */
double
sotto_census_total_variance(const struct sotto_census_basis *b, const double *covariance);

#endif
