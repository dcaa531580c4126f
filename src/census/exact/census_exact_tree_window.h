/*
 * census_exact_tree_window.h - guesses near which prices the optimum of a tree lies
 *
 * The guess is in doubles, so that only short parts of exact curves have to be made;
 * sotto_exact_tree_is_optimal, which relies on no guess, verifies the result.
 */
#ifndef SOTTO_CENSUS_EXACT_TREE_WINDOW_H
#define SOTTO_CENSUS_EXACT_TREE_WINDOW_H

#include "census/exact/census_exact_tree.h"

/* The prices that the children of a node may have; an infinite end is no limit. */
struct sotto_exact_window {
	struct sotto_extended left, right;
};

/*
 * Returns the windows of all nodes; NULL if doubles are not precise enough for the tree.  Free
 * with _free.
 */
struct sotto_exact_window *sotto_exact_windows_new(const struct sotto_exact_tree *t);
void sotto_exact_windows_free(struct sotto_exact_window *w, size_t n);

#endif
