/*
 * census_transport_unbiased.h - random rounding in which every cell keeps its mean
 */
#ifndef SOTTO_CENSUS_TRANSPORT_UNBIASED_H
#define SOTTO_CENSUS_TRANSPORT_UNBIASED_H

#include "census/whole/census_transport_graph.h"

/* From the floors in x: moves fractions along cycles until none is left, means kept. */
SOTTO_MUST_CHECK enum sotto_status
sotto_transport_round_unbiased(struct sotto_transport_graph *g, struct sotto_rng *rng);

#endif
