/*
 * census_exact_tree.h - estimates on a small tree in exact rationals
 *
 * The problem is that of census_tree.h, together with covariances, the non-negative optimum and
 * whole numbers.  It is for teaching, for checking, and the second implementation with which the
 * fast one is compared.  Formulas: ../tree/tree.md.
 */
#ifndef SOTTO_CENSUS_EXACT_TREE_H
#define SOTTO_CENSUS_EXACT_TREE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "sotto/status.h"

/* A variance or a bound: a rational or infinity. */
struct sotto_extended {
	mpq_t q;
	bool infinite;
};

struct sotto_exact_node {
	const char *path; /* for messages; borrowed */
	size_t parent; /* of the root: itself */
	size_t first, count; /* children */
	mpq_t value;
	struct sotto_extended variance; /* infinite: not measured */
	mpq_t lower;
	struct sotto_extended upper;
	mpq_t y; /* the measurement that is used: pooled along only children if requested */
	struct sotto_extended s;
	/* results */
	mpq_t z, a, estimate, optimum;
	struct sotto_extended t, v;
	mpz_t whole;
	/* what the bounds of the node and of the nodes below allow */
	mpq_t low;
	struct sotto_extended high;
};

struct sotto_exact_tree {
	struct sotto_exact_node *nodes; /* the root first, children after their parent */
	size_t n;
	bool subtrees; /* false: top-down */
	bool bypass; /* top-down: an only child uses its parent's measurement too */
	mpq_t objective, objective_parent_by_parent;
};

void sotto_exact_node_init(struct sotto_exact_node *node);
void sotto_exact_tree_init(struct sotto_exact_tree *t);
void sotto_exact_tree_release(struct sotto_exact_tree *t);

/*
 * Checks the constraints and computes every result.
 *
 * Fails:    SOTTO_EINFEASIBLE, err names node and constraint; SOTTO_ESTATE if the root is not
 *           determined; SOTTO_ERANGE if the numbers become too long; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_exact_tree_solve(struct sotto_exact_tree *t, struct sotto_error *err);

/*
 * Checks the length of a number: exact numbers are as long as those they are made from, and the
 * root's enters all below it.
 *
 * Fails:    SOTTO_ERANGE if n numbers of this length would take minutes or gigabytes.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_exact_tree_check_length(const struct sotto_exact_tree *t, const mpq_t q);

/* Computes only the least-squares estimates (census_exact_tree.c). */
SOTTO_MUST_CHECK enum sotto_status
sotto_exact_tree_estimate(struct sotto_exact_tree *t, struct sotto_error *err);

/* Computes the covariance of two estimates; infinite if either has no finite variance. */
void sotto_exact_tree_covariance(const struct sotto_exact_tree *t, size_t a, size_t b,
				 struct sotto_extended *out);

/*
 * Computes the variance of the sum of g times each estimate (census_exact_tree_sum.c); g is
 * consumed.  A sum may be known although its terms are not: siblings without a measurement, taken
 * together.
 */
void sotto_exact_tree_sum_variance(const struct sotto_exact_tree *t, mpq_t *g,
				   struct sotto_extended *out);

/* Sets low and high of every node (census_exact_bounds.c).  Fails: SOTTO_EINFEASIBLE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_exact_tree_bound(struct sotto_exact_tree *t, struct sotto_error *err);

/* Computes the global non-negative optimum within the bounds (census_exact_optimum.c). */
SOTTO_MUST_CHECK enum sotto_status sotto_exact_tree_optimum(struct sotto_exact_tree *t);

/*
 * True if `optimum` is within low and high of every node, adds up, and has a price at each node
 * at which it should be neither more nor less: then it is the optimum (../tree/tree.md,
 * "Bounds").  False also if out of memory (census_exact_tree_optimal.c).
 */
bool sotto_exact_tree_is_optimal(const struct sotto_exact_tree *t);

/* Computes `optimum` node by node from the root, as the top-down algorithm does. */
SOTTO_MUST_CHECK enum sotto_status sotto_exact_tree_descend(struct sotto_exact_tree *t);

/* Computes whole numbers: the global optimum, or node by node (census_exact_whole.c). */
SOTTO_MUST_CHECK enum sotto_status sotto_exact_tree_whole(struct sotto_exact_tree *t);

/* Computes the sum of (optimum - value)^2 / variance over the measured nodes. */
void sotto_exact_tree_objective(const struct sotto_exact_tree *t, mpq_t out);

#endif
