/*
 * clone_above.h - how far the curve of some shuffled reports may lie above that of others (clone_above.md)
 */
#ifndef SOTTO_CLONE_ABOVE_H
#define SOTTO_CLONE_ABOVE_H

#include "core/account/integral/work.h"
#include "core/account/law/clones/clone_pair.h"
#include "core/account/law/gathered/law_rise.h"
#include "sotto/status.h"

/*
 * Adds to *rise, whose orders are set, what the curve of one may lie above that of the other.  Fails: SOTTO_EREFUSED if that would take too long;
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_clone_above_add(const struct sotto_clone_pair *one, const struct sotto_clone_pair *other,
		      struct sotto_work *work, struct sotto_rise *rise);

#endif
