/*
 * sotto/truncated.h - the geometric mechanism, its result held within a range
 *
 * All mass outside the range moves to its ends.  Holding is done after the noise, so it
 * is free; the range must be public.  On a grid of a finer step this is the truncated
 * Laplace mechanism.
 */
#ifndef SOTTO_TRUNCATED_H
#define SOTTO_TRUNCATED_H

#include <stdint.h>

#include "sotto/api.h"
#include "sotto/cost.h"
#include "sotto/error.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"
#include "sotto/value.h"

struct sotto_truncated; /* immutable, may be shared by threads */

struct sotto_range {
	int64_t low;
	int64_t high;
};

/*
 * epsilon is copied; the caller frees *out.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, sensitivity >= 1 and low <= high;
 *           SOTTO_ERANGE unless 2^-50 <= epsilon / sensitivity <= 2^10; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_truncated_new(const struct sotto_rational *epsilon, int64_t sensitivity,
		    struct sotto_range range, struct sotto_truncated **out,
		    struct sotto_error *err);
SOTTO_API void sotto_truncated_free(struct sotto_truncated *m);

/*
 * Publish x, which may lie outside the range.
 *
 * Law:      *out = min(max(x + Z, low), high), P[Z = z] = (1-a)/(1+a) a^|z|, a =
 *           exp(-epsilon / sensitivity).
 * Privacy:  epsilon-DP if neighbours move x by at most the sensitivity.
 * Fails:    SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_truncated_publish(const struct sotto_truncated *m, struct sotto_rng *rng,
			struct sotto_exact x, struct sotto_noisy *out);

/* What a release costs; the caller makes *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_truncated_cost(const struct sotto_truncated *m, struct sotto_cost *cost);

/*
 * The law itself for a value that is no secret: a row of the channel.
 * *out is the probability of the outcome z when the exact value is y.
 *
 * Law:      *out <= P[z given y] < *out + 2^(1-digits), a multiple of 2^-digits.
 * Privacy:  none.  The probabilities tell y.
 * Fails:    SOTTO_EINVAL unless z is in the range; SOTTO_ERANGE if digits > 4096.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_truncated_probability_down(const struct sotto_truncated *m, int64_t y, int64_t z,
				 unsigned digits, struct sotto_rational *out);

#endif
