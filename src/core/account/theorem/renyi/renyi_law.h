/*
 * renyi_law.h - which events enter a Renyi curve by a law of their own, and not only by rho
 *
 * Most have a loss distribution.  Shuffled reports and disjoint cells have K(s) only on the real
 * line: that gives no loss distribution, but it is all that a Renyi curve needs.
 */
#ifndef SOTTO_RENYI_LAW_H
#define SOTTO_RENYI_LAW_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/loss/measure/loss_measure.h"

/* True if the event enters by its loss distribution. */
bool sotto_renyi_has_law(const struct sotto_event *e);

/* True if the event enters by K on the real line. */
bool sotto_renyi_has_real_law(const struct sotto_event *e, enum sotto_neighbours neighbours);

/* Adds all such terms of t.  Fails: SOTTO_EREFUSED if no work is left; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_renyi_add_real_laws(struct sotto_loss_measure *m,
							     const struct sotto_terms *t,
							     enum sotto_direction direction);

/*
 * Computes K(s) of a measure, rounded up; INFINITY if that is impossible.  Fails: SOTTO_EREFUSED if it takes more steps (work.h)
 * than a value may, however many are left; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_renyi_measure_up(const struct sotto_loss_measure *m, double s, double *up);

#endif
