/*
 * rank_tree.h - finds the values at given ranks from a tree of noisy counts
 */
#ifndef SOTTO_RANK_TREE_H
#define SOTTO_RANK_TREE_H

#include "core/mechanism/quantile/quantile.h"

/* Returns the tree over this many values whose ranks have the least error. */
struct sotto_rank_tree sotto_rank_tree_best(int64_t outcomes, bool gaussian);

/*
 * Finds each rank by going down the tree; a count is published once, even if several ranks pass
 * it.  A rank with an offset is approached from its side, so that it is an end of an interval
 * (quantile.md).
 *
 * Privacy:  that of all counts of the tree with that noise.
 * Time:     depends only on h->n and the noisy counts, except for addresses.
 * Fails:    SOTTO_ERANGE beyond 2^40 values; SOTTO_ENOMEM; SOTTO_EENTROPY; out must then not be
 *           used.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_rank_tree_publish(const struct sotto_rank_tree *t, const struct sotto_rank_noise *noise,
			struct sotto_rng *rng, const struct sotto_histogram *h,
			const struct sotto_rank *ranks, size_t count, struct sotto_noisy *out);

/*
 * Returns a number of half values: with probability at least 1 - beta the noise changes no count
 * of values below the wanted one, as the tree adds it up, by more.  scale is that of Laplace
 * noise, or sigma.
 */
int64_t sotto_rank_tree_error_up(const struct sotto_rank_tree *t, bool gaussian, double scale,
				 double beta);

#endif
