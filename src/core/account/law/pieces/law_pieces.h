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

/* Nodes of a group are looked at so many times farther than is wanted: in blocks. */
#define SOTTO_PIECES_FARTHER 4.0

/* Masses at infinity are at most this. */
#define SOTTO_PIECES_INFINITE 0.2

struct sotto_part_list;
struct sotto_laplace_fold;

/*
 * One curve: Gaussian noise (a = mu) or a few draws of Laplace noise (a = epsilon of one), sampled at a rate below 1 or not; or a list of outcomes, and nothing
 * else.
 */
struct sotto_curve_part {
	bool laplace, sampled;
	double a, rate;
	enum sotto_direction direction;
	struct sotto_part_list *list;
	struct sotto_laplace_fold *fold; /* several draws of Laplace noise; or NULL */
	double farther; /* Gaussian noise: so many standard deviations more are looked at */
};

/*
 * P-mass of the losses above an epsilon, their Q-mass times e^epsilon, which is at most that whatever epsilon is, and delta; what p may be wrong by,
 * and each of them.
 */
struct sotto_part_tails {
	double p, yq, delta, p_error, error;
};

/*
 * A point of a quadrature: its loss, the log of its P-mass, and the size of what the mass is a difference of, over it; of Gaussian noise also how far out it is before
 * sampling, and what the mass is wrong by for that, in units u (law_pieces.md); else 0.
 */
struct sotto_part_point {
	double loss, log_mass, swell, reach, units;
};

/* What a part needs for a line Re s = c, up to t; and for how many people, as a black box. */
struct sotto_part_reach {
	double c, t, people;
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

/*
 * Losses in ascending order, from from to to as far as they are finite, at which all atoms are and between which the density is smooth.  At most
 * SOTTO_PLACES.  Returns how many.
 */
enum { SOTTO_PLACES = (1 << 13) + 2 };
size_t sotto_part_places(const struct sotto_curve_part *p, double from, double to, double *out);

/*
 * The P-density of the loss; between two losses, no atom between, it is at least *down times the smaller of its values there and at most *up times the larger;
 * and a loss in the middle of them.
 */
double sotto_part_density(const struct sotto_curve_part *p, double loss);
void sotto_part_change(const struct sotto_curve_part *p, double from, double to, double *down,
		       double *up);
double sotto_part_middle(const struct sotto_curve_part *p, double from, double to);

/* How many of them are atoms, which come first: of a list all. */
size_t sotto_part_atoms(const struct sotto_curve_part *p, double from, double to);

/* What the points' sum over all of a part may differ from its M(s) by, relative to M(c). */
double sotto_part_points_error(const struct sotto_curve_part *p, double c);

/* The P-mass of the losses in (from, to] that is not known to fall with t, roughly. */
double sotto_part_steady(const struct sotto_curve_part *p, double from, double to);

/* The largest loss before sampling that is looked at. */
double sotto_part_reach(const struct sotto_curve_part *p);

/* Steps (work.h) that the tails take. */
double sotto_part_tail_steps(const struct sotto_curve_part *p);

/* No loss is larger than this. */
double sotto_part_top(const struct sotto_curve_part *p);

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

/* The list, for a group of so many people.  Fails: SOTTO_EREFUSED if it would be too long; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_part_list_of(const struct sotto_event *e, enum sotto_direction direction, double people,
		   struct sotto_work *work, struct sotto_part_list **out);
void sotto_part_list_free(struct sotto_part_list *l);

/* As the functions above of a part. */
struct sotto_part_tails sotto_part_list_tails(const struct sotto_part_list *l, double epsilon);
void sotto_part_list_range(const struct sotto_part_list *l, double *low, double *high);
size_t sotto_part_list_points(const struct sotto_part_list *l, double from, double to,
			      struct sotto_part_point *out);
size_t
sotto_part_list_places(const struct sotto_part_list *l, double from, double to, double *out);
double sotto_part_list_log_m_up(const struct sotto_part_list *l, double c, double *slope);

/* The root of the mean squared loss. */
double sotto_part_list_spread(const struct sotto_part_list *l);

/* What masses are wrong by, relative; losses, absolute; and the mass that is not listed at most. */
double sotto_part_list_error(const struct sotto_part_list *l);
double sotto_part_list_loss_error(const struct sotto_part_list *l);
double sotto_part_list_left_out(const struct sotto_part_list *l);
double sotto_part_list_left_grown(const struct sotto_part_list *l); /* in a group */
double sotto_part_list_infinite(const struct sotto_part_list *l);
double sotto_part_list_missing(const struct sotto_part_list *l);

/* Part number part is on top from the last piece's end to this loss of one person; or the curve is straight there. */
#define SOTTO_STRAIGHT ((size_t)-1)
struct sotto_piece {
	size_t part;
	double to;
};

/* An atom where two pieces meet: its P-mass, negative where a part takes over that was on top all but errors before; what that is wrong by, and how far apart the curves are. */
struct sotto_seam {
	double loss, mass, error, gap;
};

/* Up to this loss, from the last such place, the integral of what the curve may be wrong by; and what it may be wrong by at all losses up to it. */
struct sotto_doubt {
	double to, harm, flat;
};
enum { SOTTO_DOUBTS = 64 };

/* Beyond all losses: the P-mass at infinity, good to a relative error, and by how much the first and the last piece are too low. */
struct sotto_ends {
	double infinite, error;
	double low, below; /* at E times this, up to the loss low */
	double high, above; /* from high on */
};

/* From one loss to another the P-density is at least this. */
struct sotto_floor {
	double from, to, density;
};

struct sotto_pieces_brief;

struct sotto_pieces {
	struct sotto_curve_part *parts;
	size_t n_parts;
	struct sotto_piece *pieces; /* losses ascending; the last goes to INFINITY */
	struct sotto_seam *seams; /* one fewer */
	size_t n;
	struct sotto_doubt doubts[SOTTO_DOUBTS];
	struct sotto_ends ends;
	double people; /* a black-box group of so many, of which the hull is meant; 1 for one */
	struct sotto_floor *floors; /* of a group's convex pieces; losses ascending */
	size_t n_floors;
	struct sotto_work *work; /* borrowed, or NULL */
	double group_left_out; /* what it lacks besides what its parts do */
	struct sotto_pieces_brief *brief; /* or NULL (law_pieces_brief.h) */
};

/* Whether every part is a list. */
bool sotto_pieces_are_listed(const struct sotto_pieces *p);

/* What the pieces lack of their parts, at most. */
double sotto_pieces_left_out(const struct sotto_pieces *p);

/* No finite loss is larger than this. */
double sotto_pieces_top(const struct sotto_pieces *p);

/* The P-mass at infinity, or a bit less; what is missing is left out. */
double sotto_pieces_infinite(const struct sotto_pieces *p);

/*
 * Whether e is disjoint cells of such parts, of which one is worst, where nobody is replaced, who is in two; a black-box group of
 * people in such cells, or in one part; or a sample of several draws of Laplace noise.
 */
bool sotto_pieces_possible(const struct sotto_event *e, enum sotto_neighbours neighbours);

/*
 * The pieces of e in one direction, as a law of the class below; top and count stay as they are.  Fails:
 * SOTTO_EREFUSED if curves are so close to each other that it cannot be told which is on top; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_law_pieces_of(struct sotto_law *law, const struct sotto_event *e,
		    enum sotto_direction direction, struct sotto_work *work);

/*
 * All points of the finite part for a line Re s = c and up to t, the seams first, and where each piece ends in the list, if ends is not NULL.  The caller frees *out.  0 if
 * there would be too many, or no memory.
 */
size_t sotto_pieces_points(const struct sotto_pieces *p, double c, double t,
			   struct sotto_part_point **out, size_t *ends);

/* The class of such a law: pieces; loss and mass (as logarithms) are n points for the real line up to b. */
extern const struct sotto_law_class sotto_law_pieces;

/* log of the P-mass of all that is not known to fall with t, roughly: atoms and sampled pieces. */
double sotto_pieces_log_steady(const struct sotto_pieces *p);

/*
 * Pieces of a group of so many people, from those of one: the hull of its curve (law_pieces.md).  Fails: SOTTO_EREFUSED if digits would be
 * lost; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_pieces_group(struct sotto_pieces *p, double people, struct sotto_work *work);

/* Which part is on top where.  Fails as sotto_law_pieces_of. */
SOTTO_MUST_CHECK enum sotto_status
sotto_pieces_find(struct sotto_pieces *p, struct sotto_work *work);
void sotto_pieces_free(struct sotto_pieces *p);

#endif
