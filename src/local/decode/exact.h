/*
 * exact.h - intervals from the exact law of the supports, where the normal one leans too much
 *
 * Supports are Bin(n_v, p) + Bin(n - n_v, q), p > q.
 */
#ifndef SOTTO_EXACT_H
#define SOTTO_EXACT_H

#include "sotto/decode.h"

/*
 * Of these users: keeps each n_v whose tails both exceed alpha/2.  The normal interval in e is
 * where the search begins.  The work grows with the lesser of c and n - c, or, if p > 1/2 and
 * q <= 1/2, with the reports that say something else than what is true.
 */
void sotto_exact_sample(struct sotto_local_estimate *e, uint64_t n, uint64_t c, double p,
			double q, double alpha);

/* Of the population that they were drawn from. */
void sotto_exact_population(struct sotto_local_estimate *e, uint64_t n, uint64_t c, double p,
			    double q, double alpha);

#endif
