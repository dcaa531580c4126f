/*
 * law_pieces.h - the largest of several curves as one law: pieces of its parts' laws, and an atom wherever
 * another part comes to be on top
 *
 * For disjoint cells that hold Gaussian and Laplace noise, sampled or not, and discrete noise.  Each piece is integrated by
 * Gauss-Legendre panels, so that M(s) is good to some 1e-13 with a hundred points (law_pieces.md).
 */
#ifndef SOTTO_LAW_PIECES_H
#define SOTTO_LAW_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/integral/work.h"
#include "core/account/law/law.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* Beside at least so many events: fewer are cut into cells as fine as can be. */
enum { SOTTO_PIECES_TERMS = 7 };
/* Beside so many nodes far out are nothing, whatever does not fall. */
enum { SOTTO_PIECES_MANY = 32 };
/*
 * Else only where what does not fall with t, of all laws, multiplies to less than the exponential of this: before, far
 * nodes count too, for which points would have to lie ever closer.
 */
#define SOTTO_PIECES_STEADY (-28)

struct sotto_part_list;

/*
 * One curve: Gaussian noise (a = mu) or Laplace noise (a = epsilon), sampled at a rate below 1 or not; or a list of outcomes, and nothing
 * else.
 */
struct sotto_curve_part {
	bool laplace, sampled;
	double a, rate;
	enum sotto_direction direction;
	struct sotto_part_list *list;
};

/* P- and Q-mass of the losses above an epsilon, and delta there; what p and delta may be wrong by. */
struct sotto_part_tails {
	double p, q, delta, error;
};

/* A point of a quadrature: its loss, and the log of its P-mass. */
struct sotto_part_point {
	double loss, log_mass;
};

/* What a part needs for a line Re s = c, up to t. */
struct sotto_part_reach {
	double c, t;
};

/* The tails at epsilon. */
struct sotto_part_tails sotto_part_tails(const struct sotto_curve_part *p, double epsilon);

/* The losses beyond which nothing counts. */
void sotto_part_range(const struct sotto_curve_part *p, double *low, double *high);

/* A bound of the integral of exp(c loss) beyond the range, under P. */
double sotto_part_tail(const struct sotto_curve_part *p, double c);

/* Writes the points of the losses in (from, to], unless out is NULL, and says how many; more than the most if far too many. */
enum { SOTTO_POINTS_MAX = 1 << 14 };
size_t sotto_part_points(const struct sotto_curve_part *p, double from, double to,
			 const struct sotto_part_reach *reach, struct sotto_part_point *out);

/* How many of them are atoms, which come first: at most two, or all of a list. */
size_t sotto_part_atoms(const struct sotto_curve_part *p, double from, double to);

/* What the points' sum over all of a part may differ from its M(s) by, relative to M(c). */
double sotto_part_points_error(const struct sotto_curve_part *p, double c);

/* About the standard deviation of the loss: it tells which orders are wanted. */
double sotto_part_scale(const struct sotto_curve_part *p);

/* A bound of log M(c) of a part, with its slope. */
double sotto_part_log_m_up(const struct sotto_curve_part *p, double c, double *slope);

/*
 * A bound, for all t, of t |integral of exp(s loss)| over the losses in (from, to], atoms apart; INFINITY if none
 * is known.
 */
double sotto_part_variation(const struct sotto_curve_part *p, double from, double to, double c);

/* Whether e is discrete noise of which the outcomes can be listed, with its repetitions. */
bool sotto_part_list_possible(const struct sotto_event *e);

/* The list.  Fails: SOTTO_EREFUSED if it would be too long; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_part_list_of(const struct sotto_event *e, enum sotto_direction direction,
		   struct sotto_work *work, struct sotto_part_list **out);
void sotto_part_list_free(struct sotto_part_list *l);

/* As the functions above of a part. */
struct sotto_part_tails sotto_part_list_tails(const struct sotto_part_list *l, double epsilon);
void sotto_part_list_range(const struct sotto_part_list *l, double *low, double *high);
size_t sotto_part_list_points(const struct sotto_part_list *l, double from, double to,
			      struct sotto_part_point *out);
double sotto_part_list_log_m_up(const struct sotto_part_list *l, double c, double *slope);

/* The root of the mean squared loss. */
double sotto_part_list_spread(const struct sotto_part_list *l);

/* What masses are wrong by, relative; losses, absolute; and the mass that is not listed at most. */
double sotto_part_list_error(const struct sotto_part_list *l);
double sotto_part_list_loss_error(const struct sotto_part_list *l);
double sotto_part_list_left_out(const struct sotto_part_list *l);

/* Part number part is on top from the last piece's end to this loss. */
struct sotto_piece {
	size_t part;
	double to;
};

/* An atom where two pieces meet: its P-mass, what that is wrong by, and how far apart the curves are. */
struct sotto_seam {
	double loss, mass, error, gap;
};

/* Up to this loss, from the last such place, the integral of what the curve may be too low by. */
struct sotto_doubt {
	double to, harm;
};
enum { SOTTO_DOUBTS = 16 };

struct sotto_pieces {
	struct sotto_curve_part *parts;
	size_t n_parts;
	struct sotto_piece *pieces; /* losses ascending; the last goes to INFINITY */
	struct sotto_seam *seams; /* one fewer */
	size_t n;
	struct sotto_doubt doubts[SOTTO_DOUBTS];
};

/* Whether every part is a list. */
bool sotto_pieces_are_listed(const struct sotto_pieces *p);

/* What the pieces lack of listed parts, at most. */
double sotto_pieces_left_out(const struct sotto_pieces *p);

/* Whether e is disjoint cells of such parts, of which one is worst: who is replaced is in two. */
bool sotto_pieces_possible(const struct sotto_event *e, enum sotto_neighbours neighbours);

/*
 * The pieces of e in one direction, as a law of the class below; top and count stay as they are.  Fails:
 * SOTTO_EREFUSED if curves are so close to each other that it cannot be told which is on top; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_law_pieces_of(struct sotto_law *law, const struct sotto_event *e,
		    enum sotto_direction direction, struct sotto_work *work);

/*
 * All points for a line, the seams first, and where each piece ends in the list, if ends is not NULL.  The caller frees *out.  0 if
 * there would be too many, or no memory.
 */
size_t sotto_pieces_points(const struct sotto_pieces *p, const struct sotto_part_reach *reach,
			   struct sotto_part_point **out, size_t *ends);

/* The class of such a law: pieces; loss and mass (as logarithms) are n points for the real line up to b. */
extern const struct sotto_law_class sotto_law_pieces;

/* log of the P-mass of all that is not known to fall with t, roughly: atoms and sampled pieces. */
double sotto_pieces_log_steady(const struct sotto_pieces *p);

/* Which part is on top where.  Fails as sotto_law_pieces_of. */
SOTTO_MUST_CHECK enum sotto_status
sotto_pieces_find(struct sotto_pieces *p, struct sotto_work *work);
void sotto_pieces_free(struct sotto_pieces *p);

#endif
