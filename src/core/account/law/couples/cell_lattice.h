/*
 * cell_lattice.h - one cell's loss at equal distances: a law above it, and runs of outcomes for one below it (couples.md)
 */
#ifndef SOTTO_CELL_LATTICE_H
#define SOTTO_CELL_LATTICE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/integral/work.h"
#include "core/account/law/between/clone_lists.h"
#include "core/account/law/couples/couple_block.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* One cell of an event: an event that exchanging P and Q leaves as it is. */
struct sotto_couple_cell {
	const struct sotto_event *event;
	double top; /* no loss beside what is left out is larger, rounded up */
	struct sotto_clone_lists lists; /* of shuffled reports */
};

/* Whether e is such an event, and its losses are not too large. */
bool sotto_couple_cell_possible(const struct sotto_event *e);

/* About how many outcomes it has; INFINITY if it is not of few. */
double sotto_couple_cell_outcomes(const struct sotto_event *e);

/* Prepares it; the lists of shuffled reports have so many places, and are made from so many outcomes.  Fails as sotto_clone_lists_of. */
SOTTO_MUST_CHECK enum sotto_status
sotto_couple_cell_of(const struct sotto_event *e, size_t places, double outcomes,
		     struct sotto_work *work, struct sotto_couple_cell *out);
void sotto_couple_cell_release(struct sotto_couple_cell *c);

/*
 * Both, with distance d.  Above: P-masses at j d for j from -n to n.  Below: P-masses of the losses from k d to (k + 1) d for k from -n to
 * n - 1, and as Q-masses the same the other way round.
 */
struct sotto_cell_lattice {
	double d;
	size_t n;
	double *above, *below; /* 2n + 1 and 2n; one allocation: free above */
	struct sotto_couple_run run_above, run_below; /* of Laplace noise; or none */
	double left_out; /* P-mass that is in neither, at most */
	double wrong; /* what lists are wrong by, relative */
};

/* Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_cell_lattice_of(const struct sotto_couple_cell *c,
							 double d,
							 struct sotto_cell_lattice *out);

#endif
