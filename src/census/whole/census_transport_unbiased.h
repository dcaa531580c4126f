/*
 * census_transport_unbiased.h - rounds at random so that every cell keeps its mean
 */
#ifndef SOTTO_CENSUS_TRANSPORT_UNBIASED_H
#define SOTTO_CENSUS_TRANSPORT_UNBIASED_H

#include "census/whole/census_transport_graph.h"

/*
 * Starts from the floors in x and moves fractions along cycles until none is left, keeping means.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_transport_round_unbiased(struct sotto_transport_graph *g, struct sotto_rng *rng);

#endif
