/*
 * bernoulli.h - draws coins with an exact probability
 */
#ifndef SOTTO_BERNOULLI_H
#define SOTTO_BERNOULLI_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/*
 * Law:      *out is true with probability exactly num/den.
 * Fails:    SOTTO_EINVAL if den is 0 or num > den; SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_bernoulli_ratio(struct sotto_rng *rng, uint64_t num, uint64_t den, bool *out);

/*
 * Law:      *out is true with probability exactly p, any rational in [0, 1].
 * Fails:    SOTTO_EINVAL if p is outside [0, 1]; SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_bernoulli_rational(struct sotto_rng *rng, const struct sotto_rational *p, bool *out);

/*
 * Law:      *out is true with probability exactly exp(-x), any rational x >= 0.
 * Fails:    SOTTO_EINVAL if x is negative; SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_bernoulli_exp(struct sotto_rng *rng, const struct sotto_rational *x, bool *out);

#endif
