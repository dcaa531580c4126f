/*
 * sotto/permute_and_flip.h - a choice whose expected loss is never above that of the
 * exponential mechanism
 *
 * McKenna and Sheldon 2020.  Algorithm and argument:
 * src/core/mechanism/choice/permute_and_flip.{c,md}.
 */
#ifndef SOTTO_PERMUTE_AND_FLIP_H
#define SOTTO_PERMUTE_AND_FLIP_H

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

struct sotto_permute_and_flip; /* immutable, may be shared by threads */

/* As sotto_exponential_new. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_permute_and_flip_new(const struct sotto_selection *s, struct sotto_permute_and_flip **out,
			   struct sotto_error *err);
SOTTO_API void sotto_permute_and_flip_free(struct sotto_permute_and_flip *m);

/*
 * Chooses one of n outcomes.
 *
 * Law:      the outcomes are taken in a random order and each is accepted with
 *           probability w_i = exp(epsilon (q_i - max q) / (2 D)), without the 2 if
 *           monotone; the first accepted one is chosen.
 * Privacy:  epsilon-DP.  Not bounded range.
 * Time:     depends on n only, but with probability below n 2^-62.
 * Fails:    SOTTO_EINVAL if n is 0; SOTTO_ENOMEM; SOTTO_EENTROPY; *index is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_permute_and_flip_select(const struct sotto_permute_and_flip *m, struct sotto_rng *rng,
			      const struct sotto_exact *scores, size_t n, size_t *index);

/* What one choice costs, whatever it is; the caller makes *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_permute_and_flip_cost(const struct sotto_permute_and_flip *m, struct sotto_cost *cost);

/*
 * The law itself, for scores that are no secret; out[0..n) are made by the caller.
 *
 * Law:      out[i] <= P[i] < out[i] + 2^(1-digits), a multiple of 2^-digits.
 * Privacy:  none.  The probabilities tell the scores.
 * Fails:    SOTTO_EINVAL if n is 0; SOTTO_ERANGE if digits > 4096 or n > 1000;
 *           SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_permute_and_flip_probabilities_down(const struct sotto_permute_and_flip *m,
					  const int64_t *scores, size_t n, unsigned digits,
					  struct sotto_rational *out);

#endif
