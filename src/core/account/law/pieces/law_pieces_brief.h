/*
 * law_pieces_brief.h - the points of a group's pieces, gathered in a few places, for the orders and nodes that are wanted beside many others
 *
 * A quadrature that is good for all orders has a thousand points and more; near the real line, at orders of which a loss times the order is some units,
 * some dozens of places say the same (law_pieces.md).
 */
#ifndef SOTTO_LAW_PIECES_BRIEF_H
#define SOTTO_LAW_PIECES_BRIEF_H

#include "core/account/law/gathered/gathered_list.h"
#include "core/account/law/pieces/law_pieces_inside.h"

/* Errors are known at so many orders: 0, and others that double. */
enum { SOTTO_BRIEF_LEVELS = 5 };

/* At an order, or between two: what the points are wrong by, the sum of the sizes of their weights, and of those of negative ones. */
struct sotto_brief_level {
	double fixed, by_t, size, negative;
};

struct sotto_pieces_brief {
	struct sotto_gathered_list list;
	double order,
		far; /* for Re s up to the one, |Im s| up to the other; and farther out with fewer digits */
	struct sotto_brief_level levels[SOTTO_BRIEF_LEVELS]; /* the last at the order */
	struct sotto_heavy atoms; /* the heaviest, at half the order */
};

/*
 * Makes them of n points, the seams first, and ends where each piece ends in the list, which are good for these orders and nodes up to far; for these nodes or fewer, but the least;
 * NULL where the list would be too long.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_pieces_brief_of(const struct sotto_pieces *p, const struct sotto_part_point *points,
		      size_t n, const size_t *ends, double order, double least, double far,
		      struct sotto_pieces_brief **out);
void sotto_pieces_brief_free(struct sotto_pieces_brief *b);

/* As the class's (law.h), for s up to the order. */
void sotto_pieces_brief_cumulants(const struct sotto_pieces *p, double s, double k[3]);

/* Points for a line at an order up to that, with all that sotto_pieces_weigh tells but floors.  False without memory. */
bool sotto_pieces_brief_line(const struct sotto_law *law, double c,
			     struct sotto_pieces_line *st);

/* What they are wrong by up to t, as sotto_pieces_error_at. */
double sotto_pieces_brief_error(const struct sotto_law *law, double c, double t,
				const struct sotto_pieces_line *st);

#endif
