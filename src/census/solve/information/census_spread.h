/*
 * census_spread.h - how far off the estimate of a node's cells may be, if something is not known
 * at all
 *
 * The covariance of the error is finite + r unknown, as r grows without bound (marginals.md,
 * "Nothing known").  Both are matrices as in census_info.h, so a spread is 2 basis.block doubles:
 * first the finite part, then the unknown one.  The latter is the projection on the directions in
 * which nothing is known, or a sum of such projections.  A sum of cells whose vector is not
 * orthogonal to it is unknown.
 */
#ifndef SOTTO_CENSUS_SPREAD_H
#define SOTTO_CENSUS_SPREAD_H

#include "census/solve/information/census_info.h"

/* Return how many doubles a spread has, and the work array of the functions below. */
size_t sotto_census_spread_size(const struct sotto_census_basis *b);
size_t sotto_census_spread_work(const struct sotto_census_basis *b);

/*
 * Sets s so that nothing is known about the places of mask, and the others are known to be empty.
 */
void sotto_census_spread_forget(const struct sotto_census_basis *b, uint64_t mask, double *s);

/* Adds the spread of an independent error to sum. */
void sotto_census_spread_add(const struct sotto_census_basis *b, const double *more,
			     double *sum);

/*
 * Includes a measurement with this information.  It moves the estimate z to z + gain (h - info
 * z); gain is one matrix.
 */
void sotto_census_spread_measure(const struct sotto_census_basis *b, const double *info,
				 double *s, double *gain, double *work);

/*
 * Makes the total known.  If it exceeds the estimated one by `lack`, the mean of place e moves by
 * share[e] lack.
 */
void sotto_census_spread_fix_total(const struct sotto_census_basis *b, double *s, double *share,
				   double *work);

/* Returns the variance of the total; infinite if it is unknown.  s may be a sum. */
double sotto_census_spread_total(const struct sotto_census_basis *b, const double *s);

/* How a family divides what its parent has beyond the sum of its children. */
struct sotto_census_shares {
	const double *sum; /* of the children's spreads */
	double *memory; /* 3 basis.block doubles */
};
void sotto_census_shares_init(struct sotto_census_shares *f, const struct sotto_census_basis *b,
			      const double *sum, double *memory, double *work);

/*
 * Computes a child's share a (one matrix) in x_c = z_c + a (x - Z), and its spread, which was the
 * one from below and becomes the one from all measurements; v is that of the parent.
 */
void sotto_census_shares_apply(const struct sotto_census_shares *f,
			       const struct sotto_census_basis *b, const double *v,
			       double *child, double *a, double *work);

#endif
