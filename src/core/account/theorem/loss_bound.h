/*
 * loss_bound.h - what the sum of all loss bounds says about delta
 *
 * If every loss is at most its epsilon_i except with probability delta_i, then with E the sum and
 * m = 1 - prod(1 - delta_i), delta(epsilon) <= m + (1 - m)(1 - e^(epsilon - E)) below E and <= m
 * from E on.  Near E, where sums and integrals have lost all their digits, this is the only
 * bound, and it is sharp.
 */
#ifndef SOTTO_LOSS_BOUND_H
#define SOTTO_LOSS_BOUND_H

#include <gmp.h>

#include "core/account/event/workload_terms.h"

/*
 * Returns the log of that bound, rounded up; 0 if an event has no loss bound, -INFINITY if delta
 * is 0.
 */
double sotto_top_log_delta(const struct sotto_terms *t, mpq_srcptr epsilon);

#endif
