/*
 * census_info.h - information about a node's cells, decoupled (marginals.md)
 *
 * Vectors are held in a basis in which every information matrix falls apart: along each
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
	double faintest; /* information where there is none (sotto_census_info_invert) */
};

SOTTO_MUST_CHECK enum sotto_status
sotto_census_basis_init(struct sotto_census_basis *b, const struct sotto_census_schema *s);
void sotto_census_basis_release(struct sotto_census_basis *b);

/* Cells to coefficients and back, in place. */
void sotto_census_analyse(const struct sotto_census_basis *b, double *x);
void sotto_census_synthesise(const struct sotto_census_basis *b, double *x);

/* What the queries of a plan's level tell about one node: sum of w M'M.  Adds to j. */
void sotto_census_level_info(const struct sotto_census_basis *b, size_t plan_level, double *j);

/* The same without the queries that a known table answers: they cannot tell more. */
void sotto_census_level_rest(const struct sotto_census_basis *b, size_t plan_level, double *j);

/* Zeroes the rows and columns of places that are not in mask. */
void sotto_census_info_mask(const struct sotto_census_basis *b, uint64_t mask, double *j);

/*
 * The inverse on the places of mask, zero elsewhere.  Where j says nothing about some
 * direction, that direction gets a variance beyond all others (marginals.md, "Nothing known").
 * work: 3 places^2 doubles.
 */
void sotto_census_info_invert(const struct sotto_census_basis *b, uint64_t mask,
			      const double *j, double *inverse, double *work);

/* out (+)= matrix x */
void sotto_census_info_apply(const struct sotto_census_basis *b, const double *matrix,
			     const double *x, double *out, bool add);

/*
 * The matrix as a sum over sets S of regular axes of blocks that act where two cells agree on
 * S: kernel[S][e][e'].
 */
void sotto_census_info_kernel(const struct sotto_census_basis *b, const double *j,
			      double *kernel);

/* Variance of the total, and of one cell of a query by its place; from a covariance. */
double
sotto_census_total_variance(const struct sotto_census_basis *b, const double *covariance);

#endif
