/* rank_tree.h - values at given ranks, from a tree of noisy counts */
#ifndef SOTTO_RANK_TREE_H
#define SOTTO_RANK_TREE_H

#include "core/mechanism/quantile/quantile.h"

/* The tree over the given number of values whose ranks err least. */
struct sotto_rank_tree sotto_rank_tree_best(int64_t outcomes, bool gaussian);

/*
 * Looks for each rank by going down the tree; a count is published once, however many
 * ranks pass it.  A rank with an offset is looked for from its side, so that it is an
 * end of an interval (quantile.md).
 *
 * Privacy:  that of all counts of the tree with that noise.
 * Time:     depends on h->n and the noisy counts only, but for addresses.
 * Fails:    SOTTO_ERANGE beyond 2^40 values; SOTTO_ENOMEM; SOTTO_EENTROPY; out is then
 *           of no use.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_rank_tree_publish(const struct sotto_rank_tree *t, const struct sotto_rank_noise *noise,
			struct sotto_rng *rng, const struct sotto_histogram *h,
			const struct sotto_rank *ranks, size_t count, struct sotto_noisy *out);

/*
 * Half values: with probability at least 1 - beta the noise moves no count of values
 * below the wanted one, as the tree adds it up, further than this.  scale is that of
 * Laplace noise, or sigma.
 */
int64_t sotto_rank_tree_error_up(const struct sotto_rank_tree *t, bool gaussian, double scale,
				 double beta);

#endif
