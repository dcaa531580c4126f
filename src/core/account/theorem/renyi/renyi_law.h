/*
 * renyi_law.h - which events enter a Renyi curve by a law of their own, and not by rho alone
 *
 * Most have a loss distribution.  Shuffled reports and disjoint cells have K(s) on the real line only: no loss distribution
 * is made of that, but a Renyi curve needs no more.
 */
#ifndef SOTTO_RENYI_LAW_H
#define SOTTO_RENYI_LAW_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/loss/measure/loss_measure.h"

/* By its loss distribution. */
bool sotto_renyi_has_law(const struct sotto_event *e);

/* By K on the real line. */
bool sotto_renyi_has_real_law(const struct sotto_event *e, enum sotto_neighbours neighbours);

/* Adds all such terms of t.  Fails: SOTTO_EREFUSED without work left; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_renyi_add_real_laws(struct sotto_loss_measure *m,
							     const struct sotto_terms *t,
							     enum sotto_direction direction);

/* K(s) of a measure, rounded up; INFINITY if it could not be computed.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_renyi_measure_up(const struct sotto_loss_measure *m, double s, double *up);

#endif
