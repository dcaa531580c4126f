/*
 * law_between.h - the law of an event of which the curve is known to lie between two polygons (between.md)
 */
#ifndef SOTTO_LAW_BETWEEN_H
#define SOTTO_LAW_BETWEEN_H

#include <stdbool.h>

#include "core/account/integral/work.h"
#include "core/account/law/between/between_polygons.h"
#include "core/account/law/law.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* Beside at least so many distinct events; fewer have sharper ways. */
enum { SOTTO_LAW_BETWEEN_TERMS = 3 };

/* Whether e has such a law. */
bool sotto_law_between_possible(const struct sotto_event *e, enum sotto_neighbours neighbours);

/*
 * Its law, of such a share; top is set, the count stays as it is, as does of_many.  *left_out is what its curve may be too low by.  Fails:
 * SOTTO_EREFUSED; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_law_between_of(struct sotto_law *law, const struct sotto_event *e,
		     const struct sotto_between_share *share, struct sotto_work *work,
		     double *left_out);

/* The law in the middle of two polygons, which are released; otherwise as above.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_law_between_polygons(struct sotto_law *law, struct sotto_polygons *p, double top,
			   struct sotto_work *work);

#endif
