/*
 * census_tree.h - one number for each node of a tree: best estimates, exactly or in doubles
 *
 * A tree is two arrays: the children of node v are first[v] .. first[v]+count[v]-1, all of them
 * after v; node 0 is the root.  Each node may have been measured, y with variance s; s = 0 is an
 * invariant, s = infinity was not measured.  Formulas and proofs: tree.md.
 */
#ifndef SOTTO_CENSUS_TREE_H
#define SOTTO_CENSUS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

/*
 * A tree of n nodes: the children of v are first[v] .. first[v]+count[v]-1, all after v; node
 * 0 is the root.  y are measurements with variances s: 0 is an invariant, infinity is none.
 */
struct sotto_tree {
	size_t n;
	const uint32_t *first, *count;
};

/*
 * Computes the best linear unbiased estimates x and their variances v, arrays of n, in linear
 * time.
 *
 * y and s must not overlap x and v, which are written also on failure.
 *
 * Fails:    SOTTO_EINFEASIBLE, SOTTO_ESTATE if nothing determines the root.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_tree_gls(const struct sotto_tree *tree,
						  const double *y, const double *s, double *x,
						  double *v);

/* Measurements y with variances s, and bounds; arrays of the tree's n. */
struct sotto_tree_measures {
	const double *y, *s;
	const double *low, *high; /* whole numbers; NULL: 0, and no upper bound */
};

/*
 * Computes the optimum within the bounds: x minimises the sum of (x - y)^2/s.  Nodes that nothing
 * determines share the rest equally.
 *
 * Fails:    SOTTO_EINFEASIBLE, the constraints at and right below node *bad contradict each
 *           other; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_tree_nnls(const struct sotto_tree *tree,
						   const struct sotto_tree_measures *m,
						   double *x, size_t *bad);

/*
 * Computes the whole numbers within the bounds that minimise the same sum; x is the result of
 * sotto_tree_nnls.  If the sum does not decide between siblings, the one with the lower lot gets
 * the unit; without lots (NULL) the first one, which is then too large on average.
 *
 * Fails:    SOTTO_EINFEASIBLE, SOTTO_ERANGE for numbers beyond 2^52, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_tree_round(const struct sotto_tree *tree, const struct sotto_tree_measures *m,
		 const double *x, const uint64_t *lots, int64_t *whole);

#endif
