/*
 * publish.h - adding noise to exact values, for every additive mechanism
 *
 * The only place where the secret of a struct sotto_exact becomes part of a
 * struct sotto_noisy.
 */
#ifndef SOTTO_PUBLISH_H
#define SOTTO_PUBLISH_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/noise.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/* Fills noise[0..n) with independent draws; zeroes it when it fails. */
typedef enum sotto_status (*sotto_noise_source)(const void *law, struct sotto_rng *rng,
						int64_t *noise, size_t n);

/* x + noise, held at the ends of the range: post-processing of the exact sum. */
struct sotto_noisy sotto_publish_sum(struct sotto_exact x, int64_t noise);

/*
 * out[i] = x[i] + fresh noise.  Noise is wiped after use, since with the noisy
 * value it tells the exact one.
 *
 * Fails: as the source; out[0..n) is then zeroed.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_publish_all(sotto_noise_source source, const void *law, struct sotto_rng *rng,
		  const struct sotto_exact *x, struct sotto_noisy *out, size_t n);

#endif
