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

/* Losses ascending within each number of clones, with their P-masses. */
struct sotto_clone_points {
	double *loss, *mass;
	size_t n, capacity;
	double error; /* of M(s) for Re s = c, |Im s| <= t, relative to M(c) */
	double whole_error; /* of M(s) for every 0 < s <= c: absolute, and relative as well, since M(s) >= 1 */
};

/*
 * The points for Re s = c, |Im s| <= t, and for all real s up to c; release with free() of loss.  Fails: SOTTO_EREFUSED if there would
 * be too many, or if nothing could be said; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_clone_points_for(const struct sotto_clone_pair *p, double c, double t,
		       struct sotto_work *work, struct sotto_clone_points *out);

/* Whether wide steps have room at order c, so that points are some thousand at most. */
bool sotto_clone_points_are_few(const struct sotto_clone_pair *p, double c);

#endif
