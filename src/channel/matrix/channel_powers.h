/*
 * channel_powers.h - e^(-epsilon d) for all distances of a graph, as powers of one fraction
 *
 * If each were rounded separately, the power of a long distance might differ from the product of
 * the powers along the way, and a tight mechanism made of them would not be private.
 */
#ifndef SOTTO_INSIDE_CHANNEL_POWERS_H
#define SOTTO_INSIDE_CHANNEL_POWERS_H

#include "channel/matrix/channel_eps.h"
#include "channel/matrix/channel_graph.h"
#include "sotto/utility.h"

struct sotto_powers {
	mpq_t unit; /* every length is a whole number of these */
	mpq_t alpha; /* replaces e^(-epsilon times unit), on the requested side */
	bool exact; /* alpha equals it */
};

/* Bits of a fraction that replaces an irrational e^-epsilon. */
enum { SOTTO_CHANNEL_BITS = 64 };

/*
 * Prepares the powers; pair a success with _release.  Fails: SOTTO_ERANGE if lengths have no
 * common unit of moderate size.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_powers_init(struct sotto_powers *p, const struct sotto_graph *graph,
		  const struct sotto_eps *eps, const mpq_t times, enum sotto_alpha_side side);
void sotto_powers_release(struct sotto_powers *p);

/* Computes the power for a distance d >= 0. */
void sotto_powers_of(const struct sotto_powers *p, const mpq_t d, mpq_t out);

#endif
