/*
 * sotto/exponential.h - the exponential mechanism, sampled exactly
 *
 * Better outcomes are exponentially more likely.  Algorithm and argument:
 * src/core/mechanism/choice/exponential.{c,md}.
 */
#ifndef SOTTO_EXPONENTIAL_H
#define SOTTO_EXPONENTIAL_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/cost.h"
#include "sotto/error.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/selection.h"
#include "sotto/status.h"
#include "sotto/value.h"

struct sotto_exponential; /* immutable, may be shared by threads */

/*
 * Prepares one choice.  The caller frees *out.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0 and sensitivity > 0; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_exponential_new(const struct sotto_selection *s, struct sotto_exponential **out,
		      struct sotto_error *err);
SOTTO_API void sotto_exponential_free(struct sotto_exponential *m);

/*
 * Chooses one of n outcomes.
 *
 * Law:      P[*index = i] proportional to exp(epsilon q_i / (2 D)), without the 2 if
 *           monotone (-q_i if least); any range of scores.
 * Privacy:  epsilon-DP, and epsilon-bounded range.
 * Time:     depends on n only, but with probability below n^3 2^-117.
 * Fails:    SOTTO_EINVAL if n is 0; SOTTO_ENOMEM; SOTTO_EENTROPY; *index is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_exponential_select(const struct sotto_exponential *m, struct sotto_rng *rng,
			 const struct sotto_exact *scores, size_t n, size_t *index);

/* What one choice costs, whatever it is; the caller makes *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_exponential_cost(const struct sotto_exponential *m, struct sotto_cost *cost);

/*
 * The law itself, for scores that are no secret: teaching, checking, planning.
 * out[0..n) are made by the caller (sotto_rational_init).
 *
 * Law:      out[i] <= P[i] < out[i] + 2^(1-digits), a multiple of 2^-digits.
 * Privacy:  none.  The probabilities tell the scores.
 * Fails:    SOTTO_EINVAL if n is 0; SOTTO_ERANGE if digits > 4096; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_exponential_probabilities_down(const struct sotto_exponential *m, const int64_t *scores,
				     size_t n, unsigned digits, struct sotto_rational *out);

#endif
