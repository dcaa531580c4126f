/*
 * clone_group_line.h - a group in shuffled reports on a line Re s = c: the nodes that its sums are taken from, and what they are wrong by
 */
#ifndef SOTTO_CLONE_GROUP_LINE_H
#define SOTTO_CLONE_GROUP_LINE_H

#include "core/account/law/clone_groups/clone_group.h"
#include "core/account/law/clones/clone_far.h"
#include "core/account/law/gathered/chebyshev_nodes.h"
#include "core/account/law/law.h"
#include "sotto/status.h"

struct sotto_clone_group_line {
	const struct sotto_clone_group *g;
	struct sotto_clone_group *own; /* made for a higher order; or NULL */
	struct sotto_chebyshev_nodes nodes;
	double whole[SOTTO_CLONE_GROUP_PEOPLE]; /* M of the list at shares c + j, over M(c) */
	double good_to, log_m, error;
	double first_sum_error,
		first_error; /* of M(c), when it was divided by: of the sum, and of all */
	double by_s2, by_s3; /* and |s(s+1)| times this, and |s^2(s+1)| times that besides */
	double by_s; /* of a hull, |s+1| times this, at all nodes */
	double bend; /* of the curve above its hull, on the mean (clone_lift.h) */
	double lift; /* |s(s+1)| times this for the curve as it stands; INFINITY if nothing is known of it */
	struct sotto_clone_far *far; /* once it is wanted */
};

/* For the line c and |t| up to t; without nodes if that is not possible.  release it in any case.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_clone_group_line_init(struct sotto_clone_group_line *st,
			    const struct sotto_clone_group *g, double c, double t);
void sotto_clone_group_line_release(struct sotto_clone_group_line *st);

/* Other nodes, for another t.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_clone_group_line_reach(struct sotto_clone_group_line *st, double c, double t);

/* What M(s)/M(c) from the nodes is wrong by at c + it. */
double
sotto_clone_group_line_error(const struct sotto_clone_group_line *st, double c, double t);

/* The sum over j of share_j(s) times M of the list, over M(c), less 1, at each node of a block. */
void sotto_clone_group_line_sum(const struct sotto_clone_group_line *st,
				const struct sotto_block *b, double *dr, double *di);

#endif
