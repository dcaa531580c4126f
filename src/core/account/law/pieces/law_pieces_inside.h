/*
 * law_pieces_inside.h - the law of pieces on a line Re s = c: its points, what they may be wrong by, and how large M(s) can be far out
 *
 * For law_pieces_class.c and the files that it is made of (law_pieces.md).
 */
#ifndef SOTTO_LAW_PIECES_INSIDE_H
#define SOTTO_LAW_PIECES_INSIDE_H

#include "core/account/law/gathered/law_gathered.h"
#include "core/account/law/pieces/law_pieces.h"

/* Errors from which on nothing is claimed. */
#define SOTTO_PIECES_HOPELESS 0.01

/* The error of M(s)/M(c): (fixed + by_s |s| + by_s2 |s(s+1)| + by_t t) over the mass of the finite part. */
struct sotto_pieces_errors {
	double fixed, by_s, by_s2, by_t, finite;
};

struct sotto_pieces_line {
	struct sotto_ladder ladder; /* first, for sotto_ladder_decay */
	struct sotto_part_point *points; /* log_mass becomes the weight; weights sum to 1 */
	size_t n, seams; /* the first are the seams */
	bool remade; /* for more nodes */
	bool is_brief; /* places that points were gathered in (law_pieces_brief.h), */
	double size; /* of weights of this size together */
	double good_to, log_m, spread;
	struct sotto_pieces_errors errors;
	double first_error; /* of M(c), when it was divided by */
	size_t *ends; /* of each piece, in the list */
	size_t *smooth; /* where its atoms end, which come first */
	double *weight; /* of the others */
	double far; /* beyond this t only the size is bounded */
	struct sotto_heavy heavy; /* the heaviest atoms, as weights; once they are wanted */
	double light; /* weight of the other atoms */
	double floor,
		floor_variation; /* of a group: weight below its floors, and what it falls with t by */
};

/* The part that piece i is of; NULL where the curve is straight. */
static inline const struct sotto_curve_part *
sotto_piece_part(const struct sotto_pieces *p, size_t i)
{
	return p->pieces[i].part == SOTTO_STRAIGHT ? NULL : &p->parts[p->pieces[i].part];
}

/* What does not depend on the points: tails, doubts, seams and parameters. */
struct sotto_pieces_errors
sotto_pieces_errors_of(const struct sotto_pieces *p, double c, double log_m);

/* At s = c + it. */
double sotto_pieces_error_at(const struct sotto_pieces_errors *e, double c, double t);

/* Points for nodes up to t; none if that is not possible. */
void sotto_pieces_make_points(const struct sotto_law *law, double c, double t,
			      struct sotto_pieces_line *st);

/* What all pieces come to at t and beyond, atoms apart: each has its weight at most, and its density's variation over t. */
double sotto_pieces_smooth_bound(const struct sotto_pieces *p,
				 const struct sotto_pieces_line *st, double c, double t);

/* Adds what points with these weights are wrong by from rounding, and finds how far losses are spread. */
void sotto_pieces_add_rounding(const struct sotto_pieces *p, double c,
			       struct sotto_pieces_line *st);

/* Finds the heaviest atoms, unless some are known already, floors, and the ladder of bounds. */
void sotto_pieces_weigh(const struct sotto_law *law, double c, struct sotto_pieces_line *st);

#endif
