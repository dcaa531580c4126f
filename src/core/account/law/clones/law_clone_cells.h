/*
 * law_clone_cells.h - shuffled reports in more than two disjoint cells, of which a person who is replaced leaves one and enters another
 *
 * The two widest, each raised by the others as far as these lie above it (clone_above.md).
 */
#ifndef SOTTO_LAW_CLONE_CELLS_H
#define SOTTO_LAW_CLONE_CELLS_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/law.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* Beside at least so many distinct events. */
enum { SOTTO_CLONE_CELLS_TERMS = 2 };

/* Whether e is such cells. */
bool sotto_clone_cells_possible(const struct sotto_event *e, enum sotto_neighbours neighbours);

/* The scale of all losses of shuffled reports together, in cells and not: the root of the sum of squares. */
double sotto_clone_pairs_scale(const struct sotto_terms *t);

/* The law of the widest, or the second; otherwise as sotto_law_clone_pair_of. */
SOTTO_MUST_CHECK enum sotto_status
sotto_law_clone_cell_of(struct sotto_law *law, const struct sotto_event *e, bool second,
			double scale, struct sotto_work *work);

#endif
