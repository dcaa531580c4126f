/*
 * sotto/workload.h - many events, to be priced together
 *
 * Equal events are kept once with a count, whatever the order in which they come:
 * the order of events never changes a bit of an answer.  The privacy parameters of
 * a workload are fixed before the first answer; a ledger that takes requests as
 * they come needs sotto/filter.h instead.
 */
#ifndef SOTTO_WORKLOAD_H
#define SOTTO_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/error.h"
#include "sotto/event.h"
#include "sotto/status.h"

/*
 * Which datasets count as neighbours.  Most mechanisms hold for both relations,
 * given the sensitivity for it; Poisson sampling is about adding and removing one
 * unit, shuffling about replacing one.
 */
enum sotto_neighbours { SOTTO_ANY_NEIGHBOURS, SOTTO_ADD_REMOVE, SOTTO_REPLACE };

SOTTO_API const char *sotto_neighbours_name(enum sotto_neighbours neighbours);

struct sotto_workload;

/* Fails: SOTTO_ENOMEM. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_workload_new(struct sotto_workload **out);
SOTTO_API void sotto_workload_free(struct sotto_workload *w);

/*
 * Declares the relation.  Without it, the first event that needs one decides, and
 * parallel cells alone mean add/remove.
 * Fails: SOTTO_EINVAL if the events added so far need the other one.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_set_neighbours(struct sotto_workload *w, enum sotto_neighbours neighbours,
			      struct sotto_error *err);
SOTTO_API enum sotto_neighbours sotto_workload_neighbours(const struct sotto_workload *w);

/*
 * Adds count * e->count times the event, which is copied.
 *
 * Fails: SOTTO_EINVAL or SOTTO_ERANGE as sotto_event_check; SOTTO_EINVAL when the two
 * neighbour relations would be mixed; SOTTO_ERANGE past 2^53 of one event;
 * SOTTO_ENOMEM.  The workload is unchanged then.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_add(struct sotto_workload *w, const struct sotto_event *e, uint64_t count,
		   struct sotto_error *err);

/* Reads the event with sotto_event_parse (no "?") and adds it once. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_add_text(struct sotto_workload *w, const char *text, struct sotto_error *err);

/* Adds everything in other. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_merge(struct sotto_workload *w, const struct sotto_workload *other,
		     struct sotto_error *err);

/*
 * n events at once, each parameter being the dyadic fraction that its double holds.
 * Laplace: epsilon.  Gaussian: mu = sensitivity/sigma, kept as the exact sum of
 * mu^2, that is as one Gaussian event.  zCDP: rho, kept as the exact sum.
 *
 * Fails: SOTTO_EINVAL if a parameter is negative, infinite or NaN; SOTTO_ERANGE if a
 * nonzero one is outside 2^-480 .. 2^480; SOTTO_ENOMEM.  Nothing is added then.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_add_laplaces(struct sotto_workload *w, const double *epsilon, size_t n);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_add_gaussians(struct sotto_workload *w, const double *mu, size_t n);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_add_zcdps(struct sotto_workload *w, const double *rho, size_t n);

/* How many different events there are; the i-th one, borrowed, and its count. */
SOTTO_API size_t sotto_workload_size(const struct sotto_workload *w);
SOTTO_API const struct sotto_event *
sotto_workload_at(const struct sotto_workload *w, size_t i, uint64_t *count);

#endif
