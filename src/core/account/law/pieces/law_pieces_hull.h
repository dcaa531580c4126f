/*
 * law_pieces_hull.h - the hull of a group's curve while it is found: corners, lines, and what they may be wrong by
 *
 * For law_pieces_hull.c and the files that it is made of (law_pieces.md).
 */
#ifndef SOTTO_LAW_PIECES_HULL_H
#define SOTTO_LAW_PIECES_HULL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/law/pieces/law_pieces.h"
#include "core/account/law/pieces/law_pieces_people.h"

/* Masses at infinity that are smaller are left out. */
#define SOTTO_HULL_NOTHING 1e-20

/* A loss of one person where the curve may turn, and what the part on its right says. */
struct sotto_hull_corner {
	struct sotto_group_edge at;
	size_t part; /* on its right */
	double floor; /* up to the next corner the group's P-density, at least; where it is not 0 the curve is that part's and convex */
	bool concave; /* up to the next corner */
	double g, error;
};

/* A line of the hull: from one corner to another, and its ends, once they are tangent. */
struct sotto_hull_line {
	size_t from, to; /* from is SIZE_MAX for E = 0 */
	double x0, g0, x1, g1;
	double error0, error1; /* of both values */
	double *harms; /* how far it may be above the curve from its start up to each corner after the first that it passes */
	size_t n_harms;
	double harm; /* the same anywhere, with all errors */
	double before, after; /* the largest harm of it and all before it, and after it */
};

struct sotto_hull {
	struct sotto_pieces *p; /* of one person; then of the group */
	double k, beside;
	struct sotto_hull_corner *corners;
	size_t n, room;
	double hidden; /* how far the curve may be above 1 - E below the first corner */
	size_t *on; /* corners of the hull */
	size_t n_on;
	struct sotto_hull_line *lines;
	size_t n_lines;
	struct sotto_pieces out;
	size_t out_room;
	struct sotto_work *work;
};

/* What a part says at a loss of one person; and with the error that it has as the largest curve, if it is on top there. */
struct sotto_group_edge sotto_hull_own_edge(const struct sotto_hull *h, size_t part, double x);
struct sotto_group_edge sotto_hull_edge(const struct sotto_hull *h, size_t part, double x);

/* All corners, and those on the hull.  Fail: SOTTO_EREFUSED if there are none; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_hull_find_corners(struct sotto_hull *h);
SOTTO_MUST_CHECK enum sotto_status sotto_hull_find_edges(struct sotto_hull *h);

/* Whether the hull may be the curve from corner i to the next. */
static inline bool sotto_hull_is_arc(const struct sotto_hull *h, size_t i)
{
	return h->corners[i].floor > 0;
}

/* The lines, each with its ends where it is tangent.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_hull_find_lines(struct sotto_hull *h);

/* The line at x. */
double
sotto_hull_line_at(const struct sotto_hull *h, const struct sotto_hull_line *l, double x);

/* The doubt that a loss of one person belongs to. */
int sotto_hull_doubt(const struct sotto_hull *h, double x);

/* Charges all lines with how far they may be above the curve.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_hull_charge(struct sotto_hull *h);

#endif
