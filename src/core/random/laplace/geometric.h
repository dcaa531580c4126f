/*
 * geometric.h - draws exact one-sided geometric noise
 *
 * It is the building block of the discrete Laplace and of noisy max; the two-sided geometric
 * mechanism is the discrete Laplace (core/random/laplace/dlaplace.h).
 */
#ifndef SOTTO_GEOMETRIC_H
#define SOTTO_GEOMETRIC_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

struct sotto_geometric; /* immutable; threads may share it */

/* Prepares the law like sotto_dlaplace_new. */
SOTTO_MUST_CHECK enum sotto_status
sotto_geometric_new(const struct sotto_rational *eps, struct sotto_geometric **out);
void sotto_geometric_free(struct sotto_geometric *g);

/*
 * Law:      P[*out = x] = (1-a) a^x for x >= 0, a = exp(-eps); clamped to INT64_MAX.
 * Time:     the same for every outcome, except with probability below 2^-57.
 * Fails:    SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_geometric_draw(const struct sotto_geometric *g, struct sotto_rng *rng, int64_t *out);

/* Makes n independent draws.  Fails: SOTTO_EENTROPY; out[0..n) is then zeroed. */
SOTTO_MUST_CHECK enum sotto_status sotto_geometric_fill(const struct sotto_geometric *g,
							struct sotto_rng *rng, int64_t *out,
							size_t n);

#endif
