/*
 * finite_pair.h - a dominating pair (P, Q) with finitely many outcomes, in high precision
 *
 * Outcome i has loss[i] = log P/Q and P-mass mass[i]; only_p is the mass of outcomes
 * that Q cannot give (loss +infinity), only_q that of outcomes that P cannot.  left_out
 * bounds, for P and for Q, the mass of outcomes that are not listed at all.
 */
#ifndef SOTTO_FINITE_PAIR_H
#define SOTTO_FINITE_PAIR_H

#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/account/integral/work.h"
#include "core/account/law/law.h"
#include "sotto/account.h"
#include "sotto/status.h"

enum {
	SOTTO_PAIR_BITS = 192,
	SOTTO_PAIR_MAX = 1 << 12,
	SOTTO_PAIR_USERS = 30,
	SOTTO_PAIR_SMALL = 512
};

/* What an outcome takes (work.h). */
#define SOTTO_PAIR_STEPS 8e3

struct sotto_pair {
	size_t n;
	mpfr_t *loss, *mass;
	mpfr_t only_p, only_q, left_out;
};

/*
 * The pair of one event (its count is not looked at) in one direction.  Losses and
 * masses are good to a relative 2^-150; a discrete Gaussian's outcomes of mass below 2^-1000
 * are left out.
 *
 * Fails: SOTTO_EREFUSED if the event has no finite pair of at most SOTTO_PAIR_MAX
 * outcomes; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_pair_of(struct sotto_pair *p,
						 const struct sotto_event *e,
						 enum sotto_direction direction);
void sotto_pair_release(struct sotto_pair *p);

/* The same of all its repetitions together; past SOTTO_PAIR_SMALL outcomes, before equal ones are one, refused. */
SOTTO_MUST_CHECK enum sotto_status sotto_pair_of_repeated(struct sotto_pair *p,
							  const struct sotto_event *e,
							  enum sotto_direction direction);

/* p becomes p and one, one after the other.  Fails as above, and p stays. */
SOTTO_MUST_CHECK enum sotto_status
sotto_pair_compose(struct sotto_pair *p, const struct sotto_pair *one);

/* Outcomes without mass go. */
void sotto_pair_drop_empty(struct sotto_pair *p);

/*
 * The pair of a black-box group of k, from that of one: finite_pair_group.md.  Fails: SOTTO_EREFUSED where digits get lost, or k is large;
 * SOTTO_ENOMEM.  p stays then.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_pair_group(struct sotto_pair *p, uint64_t k);

/* Whether there is a group in e: masses are then good to 2^-59 only, and not for another group. */
bool sotto_pair_has_group(const struct sotto_event *e);

/* Whether an event around others has a pair of a few outcomes. */
bool sotto_pair_is_small(const struct sotto_event *e);

/* How many outcomes the pair of a discrete Gaussian event has; they may be too many. */
double sotto_pair_gaussian_atoms(const struct sotto_event *e);

/*
 * The pair of shuffled reports, which is its own in the other direction, and how many outcomes it has.
 * Fails: SOTTO_EREFUSED past SOTTO_PAIR_USERS users; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_pair_of_clones(struct sotto_pair *p, const struct sotto_event *e);
double sotto_pair_clones_atoms(const struct sotto_event *e);

/* Room for n outcomes.  Fails: SOTTO_EREFUSED past SOTTO_PAIR_MAX; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_pair_init(struct sotto_pair *p, size_t n);

/*
 * The least pair that dominates each of the disjoint cells of e, or for replace neighbours every two of them
 * together: its curve is the largest of theirs.
 *
 * Fails: SOTTO_EREFUSED unless each cell has a small finite pair; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_pair_of_cells(struct sotto_pair *p, const struct sotto_event *e,
		    enum sotto_neighbours neighbours, enum sotto_direction direction,
		    struct sotto_work *work);

#endif
