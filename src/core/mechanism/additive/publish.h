/*
 * publish.h - adds noise to exact values, for every additive mechanism
 *
 * This is the only place where the secret of a struct sotto_exact becomes part of a struct
 * sotto_noisy.
 */
#ifndef SOTTO_PUBLISH_H
#define SOTTO_PUBLISH_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/noise.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/* Fills noise[0..n) with independent draws; zeroes it on failure. */
typedef enum sotto_status (*sotto_noise_source)(const void *law, struct sotto_rng *rng,
						int64_t *noise, size_t n);

/* Returns x + noise, clamped to the range: post-processing of the exact sum. */
struct sotto_noisy sotto_publish_sum(struct sotto_exact x, int64_t noise);

/*
 * Sets out[i] = x[i] + fresh noise.  The noise is wiped after use, because together with the
 * noisy value it reveals the exact one.
 *
 * Fails:    with the status of the source; out[0..n) is then zeroed.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_publish_all(sotto_noise_source source, const void *law, struct sotto_rng *rng,
		  const struct sotto_exact *x, struct sotto_noisy *out, size_t n);

#endif
