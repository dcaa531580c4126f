/*
 * sotto/noisy_max.h - the index of the largest score, after noise
 *
 * Adds one-sided geometric noise to every score and reports where the maximum is,
 * never the maximum itself.  The noise does not grow with the number of outcomes.
 * Algorithm and proofs: src/core/mechanism/choice/noisy_max.{c,md}.
 */
#ifndef SOTTO_NOISY_MAX_H
#define SOTTO_NOISY_MAX_H

#include <stddef.h>

#include "sotto/api.h"
#include "sotto/cost.h"
#include "sotto/error.h"
#include "sotto/rng.h"
#include "sotto/selection.h"
#include "sotto/status.h"
#include "sotto/value.h"

struct sotto_noisy_max; /* immutable, may be shared by threads */

/*
 * Prepares the choice of the best `top` outcomes in order; 1 for the best one.
 * Scores are refined to steps of 2^-bits (bits is 16 or less) so that ties, which
 * go to the lower index, are rare.  The caller frees *out.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, sensitivity > 0 and top > 0;
 *           SOTTO_ERANGE if epsilon is too small or too large for the sensitivity;
 *           SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_noisy_max_new(const struct sotto_selection *s, size_t top, struct sotto_noisy_max **out,
		    struct sotto_error *err);
SOTTO_API void sotto_noisy_max_free(struct sotto_noisy_max *m);

/*
 * Chooses.  indices has room for `top`; the best comes first.
 *
 * Law:      the outcomes with the largest 2^bits q_i + Z_i, equal ones by index, where
 *           P[Z_i = z] = (1-a) a^z for z >= 0 and a = exp(-epsilon / (2 top 2^bits D)),
 *           without the 2 if monotone.
 * Privacy:  epsilon-DP.  Not bounded range.
 * Time:     depends on n and top only.
 * Fails:    SOTTO_EINVAL if n < top; SOTTO_EENTROPY; indices are untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_noisy_max_select(const struct sotto_noisy_max *m, struct sotto_rng *rng,
		       const struct sotto_exact *scores, size_t n, size_t *indices);

/*
 * As _select for top = 1, and tells by how much the winner won: the gap is in steps of
 * 2^-bits (sotto_noisy_max_bits), counted so that 0 is the least win.
 *
 * Law:      *gap = v_i - max over j != i of (v_j + [j < i]) for the winner i, held at
 *           INT64_MAX.
 * Privacy:  index and gap together cost epsilon, no more than the index alone.
 * Fails:    SOTTO_EINVAL if n < 2 or top is not 1; SOTTO_EENTROPY.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_noisy_max_select_gap(const struct sotto_noisy_max *m, struct sotto_rng *rng,
			   const struct sotto_exact *scores, size_t n, size_t *index,
			   struct sotto_noisy *gap);

/* What one choice costs, with or without the gap; the caller makes *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_noisy_max_cost(const struct sotto_noisy_max *m, struct sotto_cost *cost);

/* How many binary digits the refined grid has more than that of the scores. */
SOTTO_API unsigned sotto_noisy_max_bits(const struct sotto_noisy_max *m);

#endif
