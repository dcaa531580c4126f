/*
 * loss_measure.h - the loss distribution of a whole workload in one direction
 *
 * Apart from infinite losses it is a sum of independent losses: one Gaussian (all real Gaussian
 * events together) and the laws in the list.
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
#include "core/account/law/couples/couples.h"
#include "core/account/law/law.h"
#include "sotto/status.h"

struct sotto_loss_measure {
	double mu2; /* of the Gaussian part; relative error at most 2 u */
	struct sotto_law *laws;
	size_t n, capacity;
	size_t borrowed; /* the first laws, which another measure releases */
	mpfr_t log_finite; /* log of the probability that the loss is finite, <= 0 */
	bool finite_is_sharp; /* log_finite is accurate to 2^-560, not only to 2^-140 */
	/* Bound on the mass that is too small for doubles and missing from the laws. */
	mpfr_t left_out;
	double top, top_low; /* the largest finite loss, rounded both ways; or INFINITY */
	double log_top_mass; /* of the largest loss; -INFINITY if it is not an atom */
	bool of_many; /* so many different events that each may be less sharp, */
	bool of_hundreds; /* or still more */
	bool patient; /* what is slow far out is computed all the same, as of many */
	bool lattice; /* all finite losses lie in offset + spacing * integers */
	mpq_t spacing, offset;
	struct sotto_work *work; /* borrowed, or NULL */
	/* For very many laws: those that weigh most and a sample of the others; or NULL. */
	size_t *leaders;
	size_t n_leaders, n_sampled;
	/* Rough variance that cutting has added or removed: no need to be sharper than that. */
	double grain;
	/* Of all pieces: log of the part that does not fall with t (law_pieces.h). */
	double log_steady;
	bool has_pieces;
	bool has_lists; /* lists of outcomes, and pieces: far out only their size is known */
	bool rough; /* contours as sharp as they can be said too little: be content with less */
	bool has_raised; /* couples of cells raised by what others are above them, which no far node is known of */
	bool has_clones; /* shuffled reports, of which only the size is known far out: to be rough about */
	double shift; /* what was taken off all losses (rare_curve.h) */
	double order_max; /* contours go no higher; 0 for no limit */
	double steepness; /* -d log delta/d epsilon where contours are wanted, if known, or less */
	const struct sotto_rare *
		singles; /* borrowed: all there is, if single outcomes are to be told apart; or NULL */
	double log_kept; /* lower sides: log of the mass that was not left out, <= 0 */
	double log_infinite
		/*
		 * Log of the mass at infinity, with and without what was left out; NAN while it
		 * may change.
		 */
		[2];
};

void sotto_measure_init(struct sotto_loss_measure *m);
void sotto_measure_release(struct sotto_loss_measure *m);

/* Adds a zeroed law with this count.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_push(struct sotto_loss_measure *m, uint64_t count, struct sotto_law **law);

/* Records that count events have the largest loss top, accurate to an ulp, with this mass. */
void sotto_measure_raise_top(struct sotto_loss_measure *m, double top, double mass,
			     uint64_t count);

/*
 * Records that each of count events lacks at most this mass: the upper side counts it as infinite
 * loss.
 */
void sotto_measure_leave_out(struct sotto_loss_measure *m, const mpfr_t mass, uint64_t count);

/*
 * A total variation: an event below it is left out entirely, before the squares of its losses
 * underflow (loss_measure_tiny.c).
 */
#define SOTTO_TINY 0x1p-400
bool sotto_event_is_tiny(const struct sotto_event *e);

/*
 * Leave the event out if it is tiny, else return false; the second knows only that it is
 * epsilon-DP.
 */
bool sotto_measure_leave_out_tiny(struct sotto_loss_measure *m, const struct sotto_event *e,
				  uint64_t count);
bool sotto_measure_leave_out_epsilon(struct sotto_loss_measure *m, mpq_srcptr epsilon,
				     uint64_t count);

/*
 * Records that each of count events has this mass at infinity; sharp says how precise it is, see
 * above.
 */
void sotto_measure_add_infinite(struct sotto_loss_measure *m, const mpfr_t mass, bool sharp,
				uint64_t count);

/*
 * Makes the measure of everything in t.  m need not be initialized and is released on failure.
 * Fails:    SOTTO_ENOMEM; SOTTO_EREFUSED if an event has no loss distribution that can be
 *           composed (zcdp, or a black-box group).
 */
SOTTO_MUST_CHECK enum sotto_status sotto_measure_of(struct sotto_loss_measure *m,
						    const struct sotto_terms *t,
						    enum sotto_direction direction);

/* The same with each law as it is of many events, and far nodes of all of them, up to so many terms. */
enum { SOTTO_PATIENT_TERMS = 64 };
SOTTO_MUST_CHECK enum sotto_status sotto_measure_of_patient(struct sotto_loss_measure *m,
							    const struct sotto_terms *t,
							    enum sotto_direction direction);

/*
 * Does the same with every law as a list of atoms.  Fails: SOTTO_EREFUSED if that takes too many
 * outcomes in total; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_measure_list(struct sotto_loss_measure *m,
						      const struct sotto_terms *t,
						      enum sotto_direction direction);

/* Adds all real Gaussian events, which are one: mu^2 adds. */
void sotto_measure_add_gaussians(struct sotto_loss_measure *m, const struct sotto_terms *t);

/* Adds all Laplace events as one law.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_add_laplaces(struct sotto_loss_measure *m, const struct sotto_terms *t);

/* Adds one event by its own law; Laplace and Gaussian events are added all at once.  Fails as sotto_measure_of. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_add_event(struct sotto_loss_measure *m, const struct sotto_event *e,
			uint64_t count, enum sotto_direction direction);

/* Adds one event by its finite pair.  Fails as sotto_pair_of. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_add_as_pair(struct sotto_loss_measure *m, const struct sotto_event *e,
			  uint64_t count, enum sotto_direction direction);

/*
 * The rate of a sampled law as a double, rounded up: sampling more often only costs more.  Of a rate next to 1 rounding may change
 * the rest by much; it is then smaller, which costs more as well.  Fails: SOTTO_EREFUSED if the rate is below 1e-280.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_measure_rate_up(mpq_srcptr rate, double *up);

/* Adds disjoint cells as one finite pair.  Fails: SOTTO_EREFUSED if they have no small one. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_add_parallel(struct sotto_loss_measure *m, const struct sotto_term *term,
			   enum sotto_neighbours neighbours, enum sotto_direction direction);

/*
 * Adds everything in t that is not cut, and notes for each term whether it is: is_cut may be NULL if nothing is.  Those without a law of
 * their own are also the ones whose law is refused.  Fails as sotto_measure_of.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_add_terms(struct sotto_loss_measure *m, const struct sotto_terms *t,
			enum sotto_direction direction, enum sotto_cut_extent extent,
			bool *is_cut);

/*
 * Makes out the terms of t, with two of its cells in the place of each event that costs as much as these; m leaves out what it may cost more.  The events stay
 * those of t: free out->list alone.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_measure_settle_couples(struct sotto_loss_measure *m,
								const struct sotto_terms *t,
								struct sotto_terms *out);

/* Whether an event is disjoint cells that have the law of their largest couple beside so many others; and what each of these may take. */
bool sotto_measure_is_couples(const struct sotto_terms *t, const struct sotto_event *e);
struct sotto_couples_share sotto_measure_share_couples(const struct sotto_terms *t);

/* Adds that law; the scale is that of all shuffled reports.  Fails as sotto_measure_of. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_add_couples(struct sotto_loss_measure *m, const struct sotto_terms *t,
			  const struct sotto_term *term, enum sotto_direction direction,
			  const struct sotto_couples_share *share, double clone_scale);

/* Makes m, which is released before from, a copy that borrows the laws of from.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_borrow(struct sotto_loss_measure *m, const struct sotto_loss_measure *from);

/*
 * The measures with everything cut into cells that needs it: bounds on both sides, and one for
 * steering.
 */
struct sotto_cut_measures {
	struct sotto_loss_measure above, below;
	struct sotto_loss_measure coarse; /* with few atoms; dominates above */
};

/* More laws that are cut would not fit into memory, nor into the work. */
enum { SOTTO_CUT_LAWS_MAX = 1 << 12 };

/* How many cells, or of many laws outcomes, each of so many laws gets. */
size_t sotto_cutting_cells(size_t laws, bool of_many);

/* Makes them like sotto_measure_of.  Fails: SOTTO_EREFUSED as sotto_cells_of, and if too many are cut. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_cut(struct sotto_cut_measures *m, const struct sotto_terms *t,
		  enum sotto_direction direction, const struct sotto_cutting *cutting);
void sotto_cut_measures_release(struct sotto_cut_measures *m);

/* Stores the mass at infinity once all laws are added: it takes long, and every value needs it. */
void sotto_measure_settle(struct sotto_loss_measure *m);

/* Combine the finite part's log delta with the infinite losses, rounded to the named side. */
double sotto_measure_whole_up(const struct sotto_loss_measure *m, double log_finite);
double sotto_measure_whole_down(const struct sotto_loss_measure *m, double log_finite);

/*
 * Computes the finite part's log delta at which the whole delta is the given one, rounded both
 * ways; -INFINITY if the infinite part uses up all of it.  Returns -1 if the infinite part alone
 * is more, 0 if that cannot be decided, else 1.
 */
int sotto_measure_target(const struct sotto_loss_measure *m, const mpfr_t delta,
			 double *log_down, double *log_up);

/*
 * True if delta is so small beside the mass of the top that epsilon equals the top to all digits:
 * delta(epsilon) of the finite part lies between mass (1 - e^(epsilon-top)) and 1 -
 * e^(epsilon-top).
 */
bool sotto_measure_is_at_top(const struct sotto_loss_measure *m, double log_delta);

/*
 * Computes a lower side of epsilon from the largest loss alone, 0 if that says nothing, where the finite part's log delta is between the two.  Returns
 * true if epsilon is at most upper, because no other loss is above it.
 */
bool sotto_measure_near_top(const struct sotto_loss_measure *m, double log_down, double log_up,
			    double *lower, double *upper);

/* Return roughly how many steps (work.h) one node takes: for one law, and for all. */
double sotto_law_steps(const struct sotto_law *law);
/* Returns how many terms K sums at s. */
double sotto_law_terms(const struct sotto_law *law, double s);
double sotto_measure_node_cost(const struct sotto_loss_measure *m);

/* Compute K, K' and K'' at s > 0, and the steps that this takes.  K is INFINITY, and the others may lack laws, if no work is left. */
void sotto_measure_cumulants(const struct sotto_loss_measure *m, double s, double k[3]);
double sotto_measure_cumulant_steps(const struct sotto_loss_measure *m, double s);

/* Adds those of one law. */
void sotto_measure_add_cumulants(const struct sotto_loss_measure *m, size_t law, double s,
				 double k[3]);

/*
 * Computes them roughly, for steering: if there are very many laws, the chosen ones represent
 * all.
 */
void sotto_measure_steer(const struct sotto_loss_measure *m, double s, double k[3]);

/* Chooses those laws, once all are added.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_measure_choose(struct sotto_loss_measure *m);

/* Adds the atoms of the finite part of a pair as a law; the infinite part goes to m. */
struct sotto_pair;
SOTTO_MUST_CHECK enum sotto_status sotto_measure_add_pair(struct sotto_loss_measure *m,
							  const struct sotto_pair *pair,
							  uint64_t count);

#endif
