/*
 * convolved_events.h - each event of a small workload as lists of outcomes above and below it
 */
#ifndef SOTTO_CONVOLVED_EVENTS_H
#define SOTTO_CONVOLVED_EVENTS_H

#include <stddef.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/cells/law_cells.h"
#include "core/account/law/law.h"
#include "sotto/status.h"

struct sotto_convolved_event {
	struct sotto_cuts cuts;
	double count;
};

struct sotto_convolved_events {
	struct sotto_convolved_event *list;
	size_t n;
	double total; /* events, repetitions counted */
};

/*
 * Cuts every event of t.  Release it in any case.  Fails: SOTTO_EREFUSED if one of them has no curve, or no work is left;
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_convolved_events_of(struct sotto_convolved_events *e, const struct sotto_terms *t,
			  enum sotto_direction direction, const struct sotto_cutting *cutting);
void sotto_convolved_events_release(struct sotto_convolved_events *e);

/* The list of one side. */
const struct sotto_cells *
sotto_convolved_side(const struct sotto_convolved_event *e, enum sotto_side side);

/*
 * Leaves out outcomes of the lower side whose losses lie so far below, or above, the event's own mean, tilted by e^(order loss): farther than the grid
 * reaches from where delta is asked for.
 */
void sotto_convolved_events_trim(struct sotto_convolved_events *e, double order, double below,
				 double above);

/* The sum over all events of log E e^(sL) on that side, without infinite losses; any real s. */
double sotto_convolved_cumulant(const struct sotto_convolved_events *e, enum sotto_side side,
				double s);

#endif
