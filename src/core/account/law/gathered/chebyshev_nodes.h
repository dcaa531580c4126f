/*
 * chebyshev_nodes.h - many weighted losses as few, for sums of weight exp(i t loss)
 *
 * Each exp(i t loss) is taken from its values at Chebyshev points of the whole range, so the weights of these are
 * sums over all losses (clone_points.md).
 */
#ifndef SOTTO_CHEBYSHEV_NODES_H
#define SOTTO_CHEBYSHEV_NODES_H

#include <stddef.h>

#include "sotto/status.h"

enum { SOTTO_CHEBYSHEV_MAX = 512 };

struct sotto_chebyshev_nodes {
	double *loss, *weight; /* one allocation: free loss */
	size_t n;
	double size; /* sum of |weight| */
	double error; /* of the sum at any |t| up to the one asked for, where the weights given sum to 1 */
};

/*
 * The nodes for n losses with positive weights that sum to 1, for |t| up to t.  Fails: SOTTO_EREFUSED if more than the most would be
 * needed; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_chebyshev_nodes_of(struct sotto_chebyshev_nodes *out, const double *loss,
			 const double *weight, size_t n, double t);

#endif
