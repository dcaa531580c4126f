/*
 * convolved_clones.h - shuffled reports, and groups in them, as lists of outcomes above and below them
 *
 * From the polygons that their curve lies between (between.md): a value of the curve itself takes long.
 */
#ifndef SOTTO_CONVOLVED_CLONES_H
#define SOTTO_CONVOLVED_CLONES_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/between/between_polygons.h"
#include "core/account/law/cells/law_cells.h"
#include "sotto/status.h"

/* Whether e has such lists. */
bool sotto_convolved_clones_possible(const struct sotto_event *e,
				     enum sotto_neighbours neighbours);

/* What each of those in t may take: as little as possible in a rough cut, which may be as wide as it comes. */
SOTTO_MUST_CHECK enum sotto_status
sotto_convolved_clones_share(const struct sotto_terms *t, const struct sotto_cutting *cutting,
			     struct sotto_between_share *out);

/* Both lists; release them in any case.  Fails: SOTTO_EREFUSED; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_convolved_clones_of(struct sotto_cuts *c, const struct sotto_event *e,
			  const struct sotto_between_share *share, struct sotto_work *work);

#endif
