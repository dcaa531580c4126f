/*
 * clone_far.h - how large M(s) of shuffled reports can be far out on a line
 *
 * There the sum over outcomes turns by much from one to the next, and summation by parts bounds it (clone_points.md).
 */
#ifndef SOTTO_CLONE_FAR_H
#define SOTTO_CLONE_FAR_H

#include <stdbool.h>

#include "core/account/law/clones/clone_pair.h"

enum { SOTTO_CLONE_RUNS = 48 };

/* Numbers of reports that are taken together. */
struct sotto_clone_run {
	double first,
		last; /* turns of 2 pi from one outcome to the next, at t = 1, least and most */
	double peak; /* the largest weight of one outcome */
	double whole; /* the weight of all */
	double bend; /* by how much the turn itself changes from one outcome to the next, at t = 1 */
};

struct sotto_clone_far {
	struct sotto_clone_run runs[SOTTO_CLONE_RUNS];
	double rest; /* what is not in the runs */
	bool known; /* false: nothing is known but that the bound is 1 */
};

/* For the line Re s = c; log_m is log M(c), or less. */
void sotto_clone_far_init(struct sotto_clone_far *far, const struct sotto_clone_pair *p,
			  double c, double log_m);

/* A bound of |M(c+it)|/M(c). */
double sotto_clone_far_bound(const struct sotto_clone_far *far, double t);

#endif
