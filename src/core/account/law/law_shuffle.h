/*
 * law_shuffle.h - K(s) of shuffled reports on the real line, rounded up
 *
 * A law without nodes: of M(s) for complex s nothing is claimed but |M(s)| <= M(c).  It serves Renyi
 * curves (argument in shuffle_curve.md).
 */
#ifndef SOTTO_LAW_SHUFFLE_H
#define SOTTO_LAW_SHUFFLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/law/law.h"
#include "sotto/account.h"

extern const struct sotto_law_class sotto_law_shuffle;

/* False if there are so few clones that nothing better than epsilon0 would be known. */
bool sotto_law_shuffle_fits(const struct sotto_event *e);

/*
 * Sets all but the count.  events is how many are priced together: of many less is kept, since low orders count.
 * Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_law_shuffle_init(struct sotto_law *law, const struct sotto_event *e, size_t events);

/* What that takes (work.h). */
double sotto_law_shuffle_steps(const struct sotto_event *e, size_t events);

#endif
