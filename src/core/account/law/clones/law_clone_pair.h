/*
 * law_clone_pair.h - the law of shuffled reports beside others, by M(s)
 *
 * Points of wide steps, or outcomes one by one (clone_points.h), gathered in a list (law_gathered.h): M(s) is good to some 1e-12.
 */
#ifndef SOTTO_LAW_CLONE_PAIR_H
#define SOTTO_LAW_CLONE_PAIR_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/integral/work.h"
#include "core/account/law/clones/clone_pair.h"
#include "core/account/law/law.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* Beside at least so many distinct events: fewer are cut into cells as fine as can be.  Of more than the second each may be less sharp. */
enum { SOTTO_CLONE_PAIR_TERMS = 7, SOTTO_CLONE_PAIR_FEW = 64 };

/* Whether e is shuffled reports that have such a law, and whether it is used beside so many terms. */
bool sotto_clone_pair_possible(const struct sotto_event *e);
bool sotto_clone_pair_is_used(const struct sotto_event *e, size_t terms);

/* Its law beside others, all of this scale; the count stays as it is, as does of_many.  Fails: SOTTO_EREFUSED; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_law_clone_pair_of(struct sotto_law *law, const struct sotto_event *e, double scale,
			struct sotto_work *work);

/*
 * Raises the law just made of e so that its curve is above those of others too, which are told by their pairs: M(s) is then known as far as they lie above e's.
 * Fails: SOTTO_EREFUSED if that would take too long; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_law_clone_pair_raise(struct sotto_law *law, const struct sotto_clone_pair *others,
			   size_t n);

#endif
