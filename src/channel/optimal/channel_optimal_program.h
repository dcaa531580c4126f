/*
 * channel_optimal_program.h - finds the best mechanism by a linear program
 */
#ifndef SOTTO_INSIDE_CHANNEL_OPTIMAL_PROGRAM_H
#define SOTTO_INSIDE_CHANNEL_OPTIMAL_PROGRAM_H

#include "channel/matrix/channel_eps.h"
#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_matrix.h"
#include "sotto/utility.h"

/* The question, as the steps pass it on. */
struct sotto_task {
	const struct sotto_graph *graph;
	const struct sotto_eps *eps;
	const struct sotto_matrix *prior, *gain;
};

/* Sets lower to the utility of the channel.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_optimal_measure(const struct sotto_task *t, struct sotto_optimal *o);

/* Sets all fields of o.  Fails: as sotto_optimal_find. */
SOTTO_MUST_CHECK enum sotto_status sotto_optimal_by_program(const struct sotto_task *t,
							    struct sotto_optimal *o,
							    struct sotto_error *err);

#endif
