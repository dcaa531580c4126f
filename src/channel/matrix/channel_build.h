/*
 * channel_build.h - the parts of building channels that other files use
 *
 * A channel is a matrix: p(z|y) in row y (the exact answer) and column z (the output), no cell
 * negative, every row summing to exactly one.  If e^-epsilon (or its root) is not a fraction, a
 * fraction just above it is used, so the channel has a little less epsilon than asked for, never
 * more.
 */
#ifndef SOTTO_INSIDE_CHANNEL_BUILD_H
#define SOTTO_INSIDE_CHANNEL_BUILD_H

#include "channel/matrix/channel_eps.h"
#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_matrix.h"

/*
 * Makes a channel with weights exp(-times epsilon d), rows divided by their sums.  Fails:
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_exponential(const struct sotto_graph *graph, const struct sotto_eps *eps,
			  const mpq_t times, struct sotto_matrix **out);

/*
 * Make mechanisms on 0 .. n-1 at an epsilon: truncated geometric, rounded and truncated Laplace,
 * k-ary randomized response.  Fail: SOTTO_ERANGE, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_geometric_at(size_t n, const struct sotto_eps *eps, struct sotto_matrix **out);
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_laplace(size_t n, const struct sotto_eps *eps, struct sotto_matrix **out);
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_response(size_t n, const struct sotto_eps *eps, struct sotto_matrix **out);

/* Makes Phi diag(c).  Fails: SOTTO_EINVAL if there is none; err says why. */
SOTTO_MUST_CHECK enum sotto_status
sotto_channel_tight(const struct sotto_graph *graph, const struct sotto_eps *eps,
		    struct sotto_matrix **out, struct sotto_error *err);

#endif
