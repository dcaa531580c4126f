/*
 * workload_terms.h - a workload in its simplest equivalent form
 *
 * Groups are carried into the mechanisms, nested sampling is multiplied out, and events that cost
 * nothing and parallel cells that another one dominates are dropped.  The result is sorted and
 * equal events are merged, so every later sum runs in one canonical order.
 */
#ifndef SOTTO_WORKLOAD_TERMS_H
#define SOTTO_WORKLOAD_TERMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/account/event/workload_state.h"
#include "core/account/integral/work.h"
#include "sotto/account.h"

struct sotto_term {
	struct sotto_event *event; /* simplified, with count 1 */
	uint64_t count;
};

struct sotto_terms {
	enum sotto_neighbours neighbours;
	struct sotto_term *list;
	size_t n, capacity;
	double *laplace; /* real Laplace events added in bulk: distinct epsilons, ascending */
	uint64_t *laplace_count;
	size_t n_laplace;
	bool has_cells; /* some events, as they were written, are about disjoint parts of the data */
	bool exact_pair; /* every event's loss distribution is its own, not only an upper bound */
	struct sotto_work *work; /* limit of the work on them; borrowed, or NULL for no limit */
	double ceiling; /* a theorem proves that epsilon is no larger: above it nothing need be sharp */
};

void sotto_terms_init(struct sotto_terms *t, enum sotto_neighbours neighbours);
void sotto_terms_release(struct sotto_terms *t);

/* Adds an event.  Fails: SOTTO_ENOMEM; SOTTO_ERANGE if a count exceeds 2^53. */
SOTTO_MUST_CHECK enum sotto_status
sotto_terms_add(struct sotto_terms *t, const struct sotto_event *e, uint64_t count);

/* Makes the sorted terms of w.  t need not be initialized and is released on failure. */
SOTTO_MUST_CHECK enum sotto_status
sotto_terms_of(struct sotto_terms *t, const struct sotto_workload *w);

/* Sorts and merges; needed after calls of _add. */
void sotto_terms_sort(struct sotto_terms *t);

/*
 * Adds Laplace events by their epsilons; only once, and while the lists are empty.  Fails:
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_terms_add_laplaces(struct sotto_terms *t, const double *epsilon, size_t n);

/* True if removing and adding a unit differ, which happens if there is sampling. */
bool sotto_terms_are_one_sided(const struct sotto_terms *t);

#endif
