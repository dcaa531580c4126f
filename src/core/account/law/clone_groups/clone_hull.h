/*
 * clone_hull.h - the outcomes of a black-box group in shuffled reports: corners of the hull of its curve (clone_group.md)
 */
#ifndef SOTTO_CLONE_HULL_H
#define SOTTO_CLONE_HULL_H

#include <stddef.h>

#include "core/account/integral/work.h"
#include "core/account/law/clones/clone_pair.h"
#include "sotto/status.h"

/*
 * Losses that are not negative, growing, and their P-masses, as half of all (clone_points.h).  The law that they make has a curve within
 * a part curve_error of the true one, whose slopes are within a part slope_error, once losses are moved by up to moved and all but left_out is looked at.
 */
struct sotto_clone_hull {
	double *loss, *mass; /* one allocation: free loss */
	size_t n;
	double curve_error, slope_error, moved, left_out;
};

/* Fails: SOTTO_EREFUSED if there are more outcomes than the most, or digits are lost; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_clone_hull_of(const struct sotto_clone_pair *p, size_t people, size_t most,
		    struct sotto_work *work, struct sotto_clone_hull *out);

#endif
