/*
 * law_pieces_people.h - a black-box group of people in an event, from the tails of one person's loss
 *
 * With y = e^x and S = 1 + y + ... + y^(k-1) the curve f of one person becomes g(y^k) = f(y) S(y) (law_group.md).
 */
#ifndef SOTTO_LAW_PIECES_PEOPLE_H
#define SOTTO_LAW_PIECES_PEOPLE_H

#include <stdbool.h>

#include "core/account/law/pieces/law_pieces.h"

/* Larger groups are not looked at. */
enum { SOTTO_PEOPLE_MAX = 8 };

/* g at k x, the P-mass above there, and what both are wrong by. */
struct sotto_group_tails {
	double g, p, error;
};

struct sotto_group_tails
sotto_group_tails(const struct sotto_part_tails *t, double x, double k);

/* S at x, which is what a mass may grow by. */
double sotto_group_factor(double x, double k);

/*
 * The P-mass of the group at a point of a quadrature where one person has P-mass exp(log_mass) over so long a stretch of losses; an
 * atom is over none.  *swell is the size of what it is a difference of, over it.
 */
double sotto_group_mass(const struct sotto_part_tails *t, double x, double log_mass,
			double stretch, double k, double *swell);

/* A loss, the tails there, and the density of P in the loss. */
struct sotto_group_edge {
	double x, density;
	struct sotto_part_tails tails;
};

/* Whether g is certainly concave there, where one person's density is at most so much of the larger of its values. */
bool sotto_group_is_concave(const struct sotto_group_edge *left,
			    const struct sotto_group_edge *right, double most, double k);

/*
 * What the P-density of the group's loss is at least between two losses of one person, where that person's is at least so much of the smaller
 * of its values there; 0 if it may be less, and the curve not convex.
 */
double sotto_group_density_down(const struct sotto_group_edge *left,
				const struct sotto_group_edge *right, double least, double k);

#endif
