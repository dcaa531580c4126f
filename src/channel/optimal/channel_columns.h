/*
 * channel_columns.h - finds the best mechanism on a tree by exact column generation
 */
#ifndef SOTTO_INSIDE_CHANNEL_COLUMNS_H
#define SOTTO_INSIDE_CHANNEL_COLUMNS_H

#include <stdbool.h>

#include "channel/optimal/channel_tree.h"

/*
 * False if fractions would grow too long: then the program of optimal.md is used.  patient allows
 * seconds instead of a tenth of one.
 */
bool sotto_columns_suit(const struct sotto_channel_tree *tree, size_t guesses, bool patient);

/*
 * Finds the best channel whose outputs are guesses, and its utility; q has prior times gain, a
 * row for each guess.  channel may be NULL.  There is no solver and no rounding: the utility is
 * the optimum for the tree's alphas.  Fails: SOTTO_ESTATE after very many steps, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_columns_find(const struct sotto_channel_tree *tree, const struct sotto_matrix *q,
		   mpq_t utility, struct sotto_matrix **channel);

#endif
