/*
 * clone_lift.h - how far a group's curve in shuffled reports may lie above its hull, and how large its M(s) is far out (clone_group.md)
 */
#ifndef SOTTO_CLONE_LIFT_H
#define SOTTO_CLONE_LIFT_H

#include <stdbool.h>

#include "core/account/law/clones/clone_far.h"
#include "core/account/law/clones/clone_pair.h"

/*
 * On any cell from one outcome to the next but one, the integral of e^(c epsilon) times the curve less its hull is at most bend times that of
 * e^(c epsilon)(P(>x) - Q(>x))C(e^x), x = epsilon/k, all of one person, C(y) the sum of j(k-j)y^j; and rest M(o)/(c(c+1)) besides for all cells
 * together, o = kc + k - 1.
 */
struct sotto_clone_lift {
	double bend, rest;
	double aside; /* besides, in all: rows and cells that are rare, and bend more */
	double cell; /* how long a cell is in epsilon, at most */
	double whole; /* a bound of the integral over all cells, and of what is besides, without M */
	bool known;
};

struct sotto_clone_lift
sotto_clone_lift_of(const struct sotto_clone_pair *p, double k, double c);

/* A bound of |sum over j of share_j(c+it) M(k(c+it)+j)| over e^log_m, of one person's M, at t/k (clone_far.h). */
void sotto_clone_group_far_init(struct sotto_clone_far *far, const struct sotto_clone_pair *p,
				double k, double c, double log_m);

#endif
