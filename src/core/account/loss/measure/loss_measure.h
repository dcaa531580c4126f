/*
 * loss_measure.h - the loss distribution of a whole workload in one direction
 *
 * Infinite losses apart, it is a sum of independent losses: one Gaussian (all real
 * Gaussian events together) and the laws in the list.
 */
#ifndef SOTTO_LOSS_MEASURE_H
#define SOTTO_LOSS_MEASURE_H

#include <gmp.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/account/event/workload_terms.h"
#include "core/account/integral/work.h"
#include "core/account/law/cells/law_cells.h"
#include "core/account/law/law.h"
#include "sotto/status.h"

struct sotto_loss_measure {
	double mu2; /* of the Gaussian part; relative error at most 2 u */
	struct sotto_law *laws;
	size_t n, capacity;
	mpfr_t log_finite; /* log of the probability that the loss is finite, <= 0 */
	bool finite_is_sharp; /* log_finite is good to 2^-560, not only to 2^-140 */
	mpfr_t left_out; /* bound of the mass that no double holds: the laws lack it */
	double top, top_low; /* the largest finite loss, rounded both ways; or INFINITY */
	double log_top_mass; /* of the largest loss; -INFINITY if that is no atom */
	bool of_many; /* so many distinct events that each may be less sharp */
	bool lattice; /* all finite losses lie in offset + spacing * integers */
	mpq_t spacing, offset;
	struct sotto_work *work; /* borrowed, or NULL */
	size_t *leaders; /* of very many laws: those that weigh most, and some of the others; or NULL */
	size_t n_leaders, n_sampled;
	double grain; /* variance that cutting has added, or taken away, roughly: not to be sharper than that */
	double log_steady; /* of all pieces: log of what does not fall with t (law_pieces.h) */
	bool has_pieces;
	bool has_lists; /* lists of outcomes, and pieces: far out only their size is known */
	bool rough; /* contours as sharp as they can be said too little: be content with less */
	bool has_clones; /* shuffled reports, of which only the size is known far out: to be rough about */
	double log_kept; /* lower sides: log of the mass that was not left out, <= 0 */
	double log_infinite
		[2]; /* log of the mass at infinity, with what was left out and without; NAN while that may change */
};

void sotto_measure_init(struct sotto_loss_measure *m);
void sotto_measure_release(struct sotto_loss_measure *m);

/*
 * The next free law, cleared, with this count.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_push(struct sotto_loss_measure *m, uint64_t count, struct sotto_law **law);

/* count events have the largest loss top, which is within an ulp and has this mass. */
void sotto_measure_raise_top(struct sotto_loss_measure *m, double top, double mass,
			     uint64_t count);

/* Each of count events lacks at most this mass: the upper side counts it as infinite loss. */
void sotto_measure_leave_out(struct sotto_loss_measure *m, const mpfr_t mass, uint64_t count);

/* In total variation: what tells less is left out whole, before squares of its losses are no doubles (loss_measure_tiny.c). */
#define SOTTO_TINY 0x1p-400
bool sotto_event_is_tiny(const struct sotto_event *e);

/* Leaves the event out if it is tiny, else returns false; the second knows of it only that it is epsilon-DP. */
bool sotto_measure_leave_out_tiny(struct sotto_loss_measure *m, const struct sotto_event *e,
				  uint64_t count);
bool sotto_measure_leave_out_epsilon(struct sotto_loss_measure *m, mpq_srcptr epsilon,
				     uint64_t count);

/* Each of count events has this mass at infinity; sharp tells its precision, see above. */
void sotto_measure_add_infinite(struct sotto_loss_measure *m, const mpfr_t mass, bool sharp,
				uint64_t count);

/*
 * Everything in t.  m need not be initialised and is released on failure.
 * Fails: SOTTO_ENOMEM; SOTTO_EREFUSED if an event has no loss distribution that
 * can be composed (zcdp, or a black-box group).
 */
SOTTO_MUST_CHECK enum sotto_status sotto_measure_of(struct sotto_loss_measure *m,
						    const struct sotto_terms *t,
						    enum sotto_direction direction);

/*
 * The same with every law a list of atoms.  Fails: SOTTO_EREFUSED if that is not possible with
 * a small number of outcomes in all; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_measure_list(struct sotto_loss_measure *m,
						      const struct sotto_terms *t,
						      enum sotto_direction direction);

/* All Laplace events, as one law.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_add_laplaces(struct sotto_loss_measure *m, const struct sotto_terms *t);

/* One event by its finite pair.  Fails as sotto_pair_of. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_add_as_pair(struct sotto_loss_measure *m, const struct sotto_event *e,
			  uint64_t count, enum sotto_direction direction);

/*
 * The rate of a sampled law as a double, rounded up: sampling more often only costs more.  Of a rate next to 1 rounding may change
 * the rest by much; it is then smaller, which costs more as well.  Fails: SOTTO_EREFUSED if the rate is below 1e-280.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_measure_rate_up(mpq_srcptr rate, double *up);

/* Disjoint cells as one finite pair.  Fails: SOTTO_EREFUSED if they have none that is small. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_add_parallel(struct sotto_loss_measure *m, const struct sotto_term *term,
			   enum sotto_neighbours neighbours, enum sotto_direction direction);

/* Adds everything in t that is not to be cut.  Fails as sotto_measure_of. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_add_terms(struct sotto_loss_measure *m, const struct sotto_terms *t,
			enum sotto_direction direction, enum sotto_cut_extent extent);

/* With everything cut into cells that needs it: bounds on both sides, and one that steers. */
struct sotto_cut_measures {
	struct sotto_loss_measure above, below;
	struct sotto_loss_measure coarse; /* of few atoms; dominates above */
};

/* As sotto_measure_of.  Fails: SOTTO_EREFUSED as sotto_cells_of. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_cut(struct sotto_cut_measures *m, const struct sotto_terms *t,
		  enum sotto_direction direction, const struct sotto_cutting *cutting);
void sotto_cut_measures_release(struct sotto_cut_measures *m);

/* Notes the mass at infinity, once all laws are there: it takes long, and every value needs it. */
void sotto_measure_settle(struct sotto_loss_measure *m);

/* log delta with the infinite losses put back to the finite part's, to the named side. */
double sotto_measure_whole_up(const struct sotto_loss_measure *m, double log_finite);
double sotto_measure_whole_down(const struct sotto_loss_measure *m, double log_finite);

/*
 * The finite part's log delta at which the whole delta is the one given, rounded both
 * ways; -INFINITY where the infinite part uses up all of it.  Returns -1 if the
 * infinite part alone is more, 0 if that cannot be told, 1 else.
 */
int sotto_measure_target(const struct sotto_loss_measure *m, const mpfr_t delta,
			 double *log_down, double *log_up);

/*
 * delta(epsilon) of the finite part lies between mass (1 - e^(epsilon-top)) and
 * 1 - e^(epsilon-top), mass that of the top: true where delta is so small beside the mass that
 * epsilon is the top to all digits.
 */
bool sotto_measure_is_at_top(const struct sotto_loss_measure *m, double log_delta);

/* How many steps (work.h) one node takes, roughly: of one law, and of all. */
double sotto_law_steps(const struct sotto_law *law);
/* Terms that K is a sum of at s. */
double sotto_law_terms(const struct sotto_law *law, double s);
double sotto_measure_node_cost(const struct sotto_loss_measure *m);

/* K, K' and K'' at s > 0, and the steps that they take. */
void sotto_measure_cumulants(const struct sotto_loss_measure *m, double s, double k[3]);
double sotto_measure_cumulant_steps(const struct sotto_loss_measure *m, double s);

/* Adds those of one law. */
void sotto_measure_add_cumulants(const struct sotto_loss_measure *m, size_t law, double s,
				 double k[3]);

/* The same roughly, to steer by: of very many laws those that were chosen stand for all. */
void sotto_measure_steer(const struct sotto_loss_measure *m, double s, double k[3]);

/* Chooses them, once all laws are there.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_measure_choose(struct sotto_loss_measure *m);

/* Atoms of the finite part of a pair, as a law; the infinite part goes to m. */
struct sotto_pair;
SOTTO_MUST_CHECK enum sotto_status sotto_measure_add_pair(struct sotto_loss_measure *m,
							  const struct sotto_pair *pair,
							  uint64_t count);

#endif
