/*
 * law_group.h - a black-box group of people in a sampled Gaussian event, where its curve is convex as it stands
 *
 * With f the inner curve and y = e^(epsilon/k) the group's is f(y)(1 + y + ... + y^(k-1)).  Where that is convex in e^epsilon it
 * is the curve of a law, whose M(s) is a sum of k values of the inner one (law_group.md).
 */
#ifndef SOTTO_LAW_GROUP_H
#define SOTTO_LAW_GROUP_H

#include <stdbool.h>

#include "core/account/law/law.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* Whether e is such a group. */
bool sotto_group_possible(const struct sotto_event *e);

/* Its law; top and count stay as they are.  Fails: SOTTO_EREFUSED; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_law_group_of(struct sotto_law *law,
						      const struct sotto_event *e,
						      enum sotto_direction direction);

/* Whether the group's curve was proved convex: mu and rate of the inner event, k people. */
bool sotto_group_is_convex(double mu, double rate, double k);

#endif
