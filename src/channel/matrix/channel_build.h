/*
 * channel_build.h - the parts of building channels that other files use
 *
 * A channel is a matrix: p(z|y) in row y (the exact answer) and column z (the output), no
 * cell negative, every row summing to exactly one.  Where e^-epsilon (or its root) is no
 * fraction, a fraction just above it is taken, so the channel has a little less epsilon
 * than asked for, never more.
 */
#ifndef SOTTO_INSIDE_CHANNEL_BUILD_H
#define SOTTO_INSIDE_CHANNEL_BUILD_H

#include "channel/matrix/channel_eps.h"
#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_matrix.h"

/* The truncated geometric mechanism on 0 .. n-1 for a given alpha, 0 <= alpha <= 1. */
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_geometric(size_t n, const mpq_t alpha, struct sotto_matrix **out);

/*
 * The weights c with Phi c = 1, Phi_ij = alpha(d(i,j)): the tight channel is Phi diag(c).
 * *exists is false if one is negative.  Fails: SOTTO_EINVAL if Phi is singular.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_tight_weights(const struct sotto_graph *graph, const struct sotto_eps *eps,
		    struct sotto_matrix **phi, struct sotto_matrix **c, bool *exists);

/* Weights exp(-times epsilon d), rows divided by their sums.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_exponential(const struct sotto_graph *graph, const struct sotto_eps *eps,
			  const mpq_t times, struct sotto_matrix **out);

/*
 * Mechanisms on 0 .. n-1 at an epsilon: truncated geometric, rounded and truncated Laplace,
 * k-ary randomized response.  Fails: SOTTO_ERANGE, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_geometric_at(size_t n, const struct sotto_eps *eps, struct sotto_matrix **out);
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_laplace(size_t n, const struct sotto_eps *eps, struct sotto_matrix **out);
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_response(size_t n, const struct sotto_eps *eps, struct sotto_matrix **out);

/* Phi diag(c).  Fails: SOTTO_EINVAL if there is none, err says why. */
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_tight(const struct sotto_graph *graph, const struct sotto_eps *eps,
		    struct sotto_matrix **out, struct sotto_error *err);

#endif
