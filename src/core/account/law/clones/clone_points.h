/*
 * clone_points.h - the law of shuffled reports in a few hundred points
 *
 * The clone pair has about as many outcomes as there are clones, but its masses are values of a function that is smooth and
 * falls like a normal density: sums over wide steps are as good (clone_points.md).
 */
#ifndef SOTTO_CLONE_POINTS_H
#define SOTTO_CLONE_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/integral/work.h"
#include "core/account/law/clones/clone_pair.h"
#include "sotto/status.h"

/* Points in all, at most. */
enum { SOTTO_CLONE_POINTS_MAX = 1 << 16 };

/*
 * Losses that are not negative, with their P-masses.  An outcome and the one with the two numbers of reports exchanged have opposite losses: the
 * other half has mass exp(-loss) at -loss (gathered_list.h).
 */
struct sotto_clone_points {
	double *loss, *mass; /* one allocation: free loss */
	size_t n, capacity;
	double error; /* of M(s) relative to M(c), for every 0 < c = Re s up to the order and every |Im s| up to t */
};

/*
 * The points for an order.  Fails: SOTTO_EREFUSED if there would be too many, or if nothing could be said; SOTTO_ENOMEM.
 */
struct sotto_clone_order;
SOTTO_MUST_CHECK enum sotto_status
sotto_clone_points_for(const struct sotto_clone_pair *p, const struct sotto_clone_order *order,
		       struct sotto_work *work, struct sotto_clone_points *out);

/*
 * All outcomes, for every order and every t: where no clone at all is not rare.  The error is without that of the losses, some u of each.  Fails as
 * above.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_clone_points_all(const struct sotto_clone_pair *p,
							  struct sotto_work *work,
							  struct sotto_clone_points *out);

/* Whether there would not be too many. */
bool sotto_clone_points_are_few(const struct sotto_clone_pair *p,
				const struct sotto_clone_order *order);

#endif
