/*
 * channel_tree.h - the cone of private columns on a tree
 *
 * A column v of a private channel has v_i <= v_j / a_e on every edge e.  On a tree its extreme
 * rays have one of the two extreme ratios on each edge, so the best of them is found in one pass
 * from the leaves to the root: certificate.md.
 */
#ifndef SOTTO_INSIDE_CHANNEL_TREE_H
#define SOTTO_INSIDE_CHANNEL_TREE_H

#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_matrix.h"
#include "sotto/utility.h"

/* A tree whose parents come before their children. */
struct sotto_channel_tree {
	size_t n;
	size_t *order; /* nodes, the root first */
	size_t *parent; /* of each node; itself for the root */
	struct sotto_matrix *alpha; /* of the edge to the parent */
};

/*
 * Orders the tree; pair a success with _release.  Fails: SOTTO_ERANGE as sotto_powers_init,
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_tree_init(struct sotto_channel_tree *t, const struct sotto_graph *graph,
			const struct sotto_eps *eps, enum sotto_alpha_side side);
void sotto_channel_tree_release(struct sotto_channel_tree *t);

/* True if some alpha is 1: epsilon is 0, or so small that the fraction above it is 1. */
bool sotto_channel_tree_is_flat(const struct sotto_channel_tree *t);

/*
 * Computes the greatest sum over i of (q_i - lam_i) v_i over private columns with v = 1 at the
 * root, which is f of the root; all f_i together tell which column it is.  Returns the sign.
 */
int sotto_channel_tree_best(const struct sotto_channel_tree *t, const mpq_t *q,
			    const mpq_t *lam, mpq_t *f);

/* Writes the column that belongs to f: n places. */
void sotto_channel_tree_column(const struct sotto_channel_tree *t, const mpq_t *f,
			       mpq_t *column);

#endif
