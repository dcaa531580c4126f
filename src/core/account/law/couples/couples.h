/*
 * couples.h - disjoint cells of which somebody who is replaced leaves one and enters another: the largest curve of all couples of them,
 * between two polygons (couples.md)
 */
#ifndef SOTTO_COUPLES_H
#define SOTTO_COUPLES_H

#include <stdbool.h>

#include "core/account/integral/work.h"
#include "core/account/law/between/between_share.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* Of more cells nothing is known. */
enum { SOTTO_COUPLE_CELLS = 8 };

/* Three cells and more, of noise that exchanging P and Q leaves as it is. */
bool sotto_couples_possible(const struct sotto_event *e, enum sotto_neighbours neighbours);

/* Beside so many distinct events: fewer can be cut finely if the curves of two cells are quickly computed. */
size_t sotto_couples_terms(const struct sotto_event *e);

/* About how many outcomes of shuffled reports it has, and its couples times their largest loss. */
double sotto_couples_outcomes(const struct sotto_event *e);
double sotto_couples_size(const struct sotto_event *e);

/* Both polygons, and the largest finite loss.  Fails: SOTTO_EREFUSED; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_couples_polygons(const struct sotto_event *e, const struct sotto_between_share *share,
		       struct sotto_work *work, struct sotto_polygons *out, double *top);

#endif
