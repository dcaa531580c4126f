/*
 * law_clone_group.h - the law of a black-box group in shuffled reports, beside other events
 *
 * Of few clones from the corners of the hull of its curve (clone_hull.h); of many from M(s) of one person, as the curve is next to convex as it stands
 * (clone_group.md).
 */
#ifndef SOTTO_LAW_CLONE_GROUP_H
#define SOTTO_LAW_CLONE_GROUP_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/integral/work.h"
#include "core/account/law/law.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* Beside at least so many distinct events: fewer are cut into cells as fine as can be. */
enum { SOTTO_CLONE_GROUP_TERMS = 3 };

/* Whether e is such a group. */
bool sotto_clone_group_possible(const struct sotto_event *e);

/* The least gain for which a group's hull is made beside those of t: all of them together are to take no more than a part of a second. */
double sotto_clone_groups_limit(const struct sotto_terms *t);

/* Whether it gets this law where such a gain is the least; else its curve is only known to lie between two polygons. */
bool sotto_clone_group_is_taken(const struct sotto_event *e, double least_gain);

/*
 * Its law; top is set, the count stays as it is, as does of_many.  *left_out is what its curve may be too low by.  Fails: SOTTO_EREFUSED;
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_law_clone_group_of(struct sotto_law *law, const struct sotto_event *e, double least_gain,
			 struct sotto_work *work, double *left_out);

/* The class of such a law. */
extern const struct sotto_law_class sotto_clone_group_class;

#endif
