/*
 * couples.h - disjoint cells of which somebody who is replaced leaves one and enters another: which couple of cells costs most, and how far
 * others are above it where they cost more (couples.md)
 */
#ifndef SOTTO_COUPLES_H
#define SOTTO_COUPLES_H

#include <stdbool.h>

#include "core/account/integral/work.h"
#include "core/account/law/between/between_share.h"
#include "core/account/law/between/mirrored.h"
#include "core/account/law/gathered/law_rise.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* Of more cells nothing is known. */
enum { SOTTO_COUPLE_CELLS = 8 };

/* Three cells and more, of noise that exchanging P and Q leaves as it is. */
bool sotto_couples_possible(const struct sotto_event *e, enum sotto_neighbours neighbours);

/* Beside so many distinct events: fewer can be cut finely if the curves of two cells are quickly computed. */
size_t sotto_couples_terms(const struct sotto_event *e);

/* How fine a lattice is: places, products of masses, and outcomes of shuffled reports that are looked at, at most. */
struct sotto_couples_fineness {
	double places, products, outcomes;
};

/*
 * How fine it is at first, and what the area of errors is to be at most, if being finer does not leave less than so much work; up to which order, over the spread
 * of the loss, errors are told.
 */
struct sotto_couples_share {
	struct sotto_couples_fineness first;
	double wanted, kept, order;
};

/*
 * The curve of the largest couple is that of two children and, from E = 1 on, what is above it: straight in E between the points, and but for left_out an error
 * at a place that comes to these areas.
 */
struct sotto_largest_couple {
	size_t one, other;
	struct sotto_points above;
	struct sotto_rise error;
	double left_out, top; /* nothing is above the curve beyond this loss */
};

/* Free above.x.  Fails: SOTTO_EREFUSED; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_couples_largest(const struct sotto_event *e, const struct sotto_couples_share *share,
		      struct sotto_work *work, struct sotto_largest_couple *out);

/* Both polygons around it, and the largest finite loss.  Fails as above. */
SOTTO_MUST_CHECK enum sotto_status
sotto_couples_polygons(const struct sotto_event *e, const struct sotto_couples_fineness *f,
		       struct sotto_work *work, struct sotto_polygons *out, double *top);

#endif
