/*
 * convolved_table.h - the curve of two events together, as bounds on a grid of losses that give a value at once
 *
 * For cells of which some are shuffled reports: values of such a curve take long one by one, and very many are wanted (convolved.md).
 */
#ifndef SOTTO_CONVOLVED_TABLE_H
#define SOTTO_CONVOLVED_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/law.h"
#include "sotto/status.h"

struct sotto_convolved_table;

/* Whether a table is of use for t: there are shuffled reports, all of which have lists. */
bool sotto_convolved_table_fits(const struct sotto_terms *t);

/* On so many points, a power of two.  Fails: SOTTO_EREFUSED if an event has no curve, or no work is left; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_convolved_table_new(const struct sotto_terms *t, enum sotto_direction direction,
			  size_t points, struct sotto_convolved_table **out);
void sotto_convolved_table_free(struct sotto_convolved_table *x);

/* Bounds of log delta at epsilon >= 0. */
void sotto_convolved_table_delta(const struct sotto_convolved_table *x, double epsilon,
				 double *log_low, double *log_high);

#endif
