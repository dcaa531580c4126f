/*
 * finite_pair.h - a dominating pair (P, Q) with finitely many outcomes, in high precision
 *
 * Outcome i has loss[i] = log P/Q and P-mass mass[i]; only_p is the mass of outcomes that are
 * impossible under Q (loss +infinity), only_q that of outcomes impossible under P.  left_out
 * bounds, for P and for Q, the mass of outcomes that are not listed.
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

struct sotto_pair {
	size_t n;
	mpfr_t *loss, *mass;
	mpfr_t only_p, only_q, left_out;
};

/*
 * Computes the pair of one event (ignoring its count) in one direction.  Losses and masses are
 * accurate to a relative 2^-150; outcomes of a discrete Gaussian with mass below 2^-1000 are left
 * out.  It uses up work, also for what is composed and sampled inside.
 *
 * Fails:    SOTTO_EREFUSED if the event has no finite pair of at most SOTTO_PAIR_MAX outcomes, or no work
 *           is left; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_pair_of(struct sotto_pair *p, const struct sotto_event *e, enum sotto_direction direction,
	      struct sotto_work *work);
void sotto_pair_release(struct sotto_pair *p);

/*
 * Computes the pair of all its repetitions together; refused past SOTTO_PAIR_SMALL outcomes,
 * counted before equal ones are merged.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_pair_of_repeated(struct sotto_pair *p, const struct sotto_event *e,
		       enum sotto_direction direction, struct sotto_work *work);

/* Composes p with one, into p.  Fails as above; p is then unchanged. */
SOTTO_MUST_CHECK enum sotto_status
sotto_pair_compose(struct sotto_pair *p, const struct sotto_pair *one, struct sotto_work *work);

/* Removes outcomes without mass. */
void sotto_pair_drop_empty(struct sotto_pair *p);

/*
 * Computes the pair of a black-box group of k from that of one: finite_pair_group.md.  Fails:
 * SOTTO_EREFUSED if digits get lost, or k is large; SOTTO_ENOMEM.  p is then unchanged.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_pair_group(struct sotto_pair *p, uint64_t k);

/*
 * True if there is a group in e: masses are then accurate only to 2^-59, too little for another
 * group.
 */
bool sotto_pair_has_group(const struct sotto_event *e);

/* True if an event around others has a pair with few outcomes. */
bool sotto_pair_is_small(const struct sotto_event *e);

/* Returns how many outcomes the pair of a discrete Gaussian event has; there may be too many. */
double sotto_pair_gaussian_atoms(const struct sotto_event *e);

/*
 * Computes the pair of shuffled reports, which is the same in both directions, and its number of
 * outcomes.
 * Fails:    SOTTO_EREFUSED past SOTTO_PAIR_USERS users; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_pair_of_clones(struct sotto_pair *p, const struct sotto_event *e);
double sotto_pair_clones_atoms(const struct sotto_event *e);

/* Makes room for n outcomes.  Fails: SOTTO_EREFUSED past SOTTO_PAIR_MAX; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_pair_init(struct sotto_pair *p, size_t n);

/*
 * Computes the least pair that dominates each of the disjoint cells of e, or for replace
 * neighbours every two of them together: its curve is the largest of theirs.
 *
 * Fails:    SOTTO_EREFUSED unless each cell has a small finite pair; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_pair_of_cells(struct sotto_pair *p, const struct sotto_event *e,
		    enum sotto_neighbours neighbours, enum sotto_direction direction,
		    struct sotto_work *work);

#endif
