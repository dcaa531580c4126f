/*
 * clone_group.h - a group in shuffled reports as a gathered list: of the corners of its hull, or of one person's outcomes (clone_group.md)
 */
#ifndef SOTTO_CLONE_GROUP_H
#define SOTTO_CLONE_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/integral/complex.h"
#include "core/account/integral/work.h"
#include "core/account/law/clones/clone_pair.h"
#include "core/account/law/gathered/gathered_list.h"
#include "core/account/law/gathered/law_gathered.h"
#include "sotto/status.h"

/* People in a group, and outcomes of one hull, at most. */
enum { SOTTO_CLONE_GROUP_PEOPLE = 32, SOTTO_CLONE_GROUP_OUTCOMES = 280000 };

/* Where M(s) is the sum over j < shares of share_j(s) times that of the list at shares s + j: one, or as many as there are people. */
struct sotto_clone_group {
	struct sotto_clone_pair pair;
	size_t people, shares;
	struct sotto_gathered_list list;
	double order, far; /* for Re s up to the one, |Im s| up to the other */
	double error; /* of the list's M at the highest order, relative */
	double curve_error, slope_error, moved; /* of a hull (clone_hull.h) */
	struct sotto_heavy heavy; /* of a hull; */
	bool heavy_is_all; /* these are all of its corners */
	size_t corners; /* of a hull: how many there are */
	double top_mass, gap; /* of the largest loss, and to the next; 0 if that is not known */
	struct sotto_work *work; /* borrowed, or NULL */
};

/* What the mass of the largest loss may be wrong by, relative, where it is known. */
#define SOTTO_CLONE_GROUP_TOP_ERROR 1e-10

/* k times that of one person. */
double sotto_clone_group_scale(const struct sotto_clone_pair *p, size_t people);

/* What a list is to be: of a hull, one of many laws, good for orders up to this. */
struct sotto_clone_group_wish {
	bool hull, of_many;
	double order;
};

/* Makes it, for that order or a lower one.  *left_out is what the curve may be too low by.  Fails: SOTTO_EREFUSED; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_clone_group_new(const struct sotto_clone_pair *p, size_t people,
		      const struct sotto_clone_group_wish *wish, struct sotto_work *work,
		      struct sotto_clone_group **out, double *left_out);
void sotto_clone_group_free(struct sotto_clone_group *g);

/*
 * n s(s+1)/((ns+j)(ns+j+1)): at most 1 in size, and of sum 1 over j.  Less what the curve lies above its hull, where that is bend times (P(>x) -
 * Q(>x))C (clone_lift.h).
 */
struct cx sotto_clone_group_share(double n, double j, struct cx s, double bend);

/* log M of the group from the list, rounded up, at an order that it is good for; its derivatives roughly. */
void sotto_clone_group_cumulants(const struct sotto_clone_group *g, double s, double k[3]);

/* Of a hull: E[L^2 e^(cL); L > 0] over M(c), rounded up; and with that what |s(s+1)| is multiplied by in the error. */
double sotto_clone_group_square_up(const struct sotto_clone_group *g, double c, double log_m);
double sotto_clone_group_by_s2(const struct sotto_clone_group *g, double square);

#endif
