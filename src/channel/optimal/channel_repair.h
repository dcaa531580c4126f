/*
 * channel_repair.h - makes a solver's answer exactly private
 */
#ifndef SOTTO_INSIDE_CHANNEL_REPAIR_H
#define SOTTO_INSIDE_CHANNEL_REPAIR_H

#include "channel/matrix/channel_eps.h"
#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_matrix.h"

/*
 * Sets negative cells to 0, divides rows by their sums, and mixes in as much of the constant row
 * as the worst edge needs (optimal.md).  Fails: SOTTO_EINVAL if a row has no positive cell.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_channel_repair(struct sotto_matrix *channel,
							const struct sotto_graph *graph,
							const struct sotto_eps *eps);

#endif
