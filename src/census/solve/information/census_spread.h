/*
 * census_spread.h - how far the estimate of a node's cells may be off, if some things are not known at all
 *
 * The covariance of the error is finite + r unknown, as r grows without end (marginals.md, "Nothing
 * known").  Both are matrices as in census_info.h, so a spread is 2 basis.block doubles: first the
 * finite part, then the unknown one.  That is the projection on the directions in which nothing is
 * known, or a sum of such.  A sum of cells whose vector it leaves is known to nobody.
 */
#ifndef SOTTO_CENSUS_SPREAD_H
#define SOTTO_CENSUS_SPREAD_H

#include "census/solve/information/census_info.h"

/* Doubles of a spread, and of the work that the functions below need. */
size_t sotto_census_spread_size(const struct sotto_census_basis *b);
size_t sotto_census_spread_work(const struct sotto_census_basis *b);

/* Nothing is known of the places of mask; the others are known to be empty. */
void sotto_census_spread_forget(const struct sotto_census_basis *b, uint64_t mask, double *s);

/* Independent errors add up. */
void sotto_census_spread_add(const struct sotto_census_basis *b, const double *more,
			     double *sum);

/*
 * A measurement with this information.  It moves the estimate z to z + gain (h - info z); gain
 * is one matrix.
 */
void sotto_census_spread_measure(const struct sotto_census_basis *b, const double *info,
				 double *s, double *gain, double *work);

/*
 * The total becomes known.  If it is beyond the estimated one by `lack`, the mean of place e
 * moves by share[e] lack.
 */
void sotto_census_spread_fix_total(const struct sotto_census_basis *b, double *s, double *share,
				   double *work);

/* The variance of the total; infinite if nobody knows it.  s may be a sum. */
double sotto_census_spread_total(const struct sotto_census_basis *b, const double *s);

/* How a family shares what its parent has beyond the sum of its children. */
struct sotto_census_shares {
	const double *sum; /* of the children's spreads */
	double *memory; /* 3 basis.block doubles */
};
void sotto_census_shares_init(struct sotto_census_shares *f, const struct sotto_census_basis *b,
			      const double *sum, double *memory, double *work);

/*
 * x_c = z_c + a (x - Z): a child's share (one matrix), and its spread, which was that from below
 * and becomes that in all; v: the parent's in all.
 */
void sotto_census_shares_apply(const struct sotto_census_shares *f,
			       const struct sotto_census_basis *b, const double *v,
			       double *child, double *a, double *work);

#endif
