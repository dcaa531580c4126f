/*
 * channel_columns.h - the best mechanism on a tree by exact column generation
 */
#ifndef SOTTO_INSIDE_CHANNEL_COLUMNS_H
#define SOTTO_INSIDE_CHANNEL_COLUMNS_H

#include <stdbool.h>

#include "channel/optimal/channel_tree.h"

/*
 * False where fractions would grow too long: the program of optimal.md is for those.  patient
 * allows seconds, otherwise it is a tenth of one.
 */
bool sotto_columns_suit(const struct sotto_channel_tree *tree, size_t guesses, bool patient);

/*
 * The best channel whose outputs are guesses, and its utility; q has prior times gain, a row
 * for each guess.  channel may be NULL.  No solver and no rounding: the utility is the
 * optimum of the tree's alphas.  Fails: SOTTO_ESTATE if it takes very many steps, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_columns_find(const struct sotto_channel_tree *tree, const struct sotto_matrix *q,
		   mpq_t utility, struct sotto_matrix **channel);

#endif
