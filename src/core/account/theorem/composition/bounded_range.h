/*
 * bounded_range.h - bounded-range mechanisms (exponential, Gumbel noisy max); bounded_range.md
 */
#ifndef SOTTO_BOUNDED_RANGE_H
#define SOTTO_BOUNDED_RANGE_H

#include <gmp.h>

#include "core/account/event/workload_terms.h"

/* Adds count times K, K', K'' of the worst pair at each order to k[0..2]; only for steering. */
void sotto_bounded_range_cumulants(const struct sotto_term *term, double s, double k[3]);

/* Returns count K(s), rounded up. */
double sotto_bounded_range_cumulant_up(const struct sotto_term *term, double s);

/* For more events the optimum takes too long. */
enum { SOTTO_RANGE_EVENTS = 1000 };

/*
 * Returns the least epsilon for k <= SOTTO_RANGE_EVENTS events of range e at delta, for queries
 * fixed in advance; rounded up.
 */
double sotto_bounded_range_nonadaptive_up(mpq_srcptr e, uint64_t k, mpq_srcptr delta);

/*
 * Returns min(k e, k (x - 1 - log x) + e sqrt(k log(1/delta)/2)), x = e/(1 - exp(-e)); rounded
 * up.
 */
double sotto_bounded_range_closed_up(mpq_srcptr e, uint64_t k, mpq_srcptr delta);

#endif
