/*
 * planes.h - geometric noise as independent bits, each with a certified probability
 *
 * With a = exp(-eps), the bits of a geometric G are independent (planes.md): bit k is 1 with
 * probability p_k = 1/(1 + exp(eps 2^k)).  A scale is therefore a short list of planes: K value
 * bits, a sign bit with probability p_0 (discrete Laplace only), and a tail bit with probability
 * exp(-eps 2^K) that says G >= 2^K.  K is the least k with eps 2^k >= 45, so the tail has
 * probability below 2^-64.
 */
#ifndef SOTTO_PLANES_H
#define SOTTO_PLANES_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

enum {
	SOTTO_PLANES_MAX = 58, /* 56 value bits at eps = 2^-50, sign, tail */
	SOTTO_PLANE_BYTES = 33, /* certified digits kept: 264 */
};

struct sotto_block_path;

struct sotto_planes {
	unsigned value_bits; /* K */
	unsigned count; /* K + 1, plus 1 with a sign; the tail is the last */
	bool has_sign;
	uint8_t head[SOTTO_PLANES_MAX]; /* digits 0..7 */
	uint64_t after_head[SOTTO_PLANES_MAX]; /* digits 8..71 */
	uint64_t first[SOTTO_PLANES_MAX]; /* digits 0..63 */
	uint8_t digits[SOTTO_PLANES_MAX][SOTTO_PLANE_BYTES];
	/*
	 * The accumulator byte of the block sampler that gets a plane's bit, and the bit's place
	 * in it.
	 */
	uint8_t slot[SOTTO_PLANES_MAX], bit[SOTTO_PLANES_MAX];
	const struct sotto_block_path *path; /* the kernels of this CPU */
	mpq_t eps;
};

/* Prepares the planes.  Fails: SOTTO_ERANGE unless 2^-50 <= eps <= 2^10. */
SOTTO_MUST_CHECK enum sotto_status
sotto_planes_init(struct sotto_planes *p, const struct sotto_rational *eps, bool has_sign);
void sotto_planes_release(struct sotto_planes *p);

/* Returns digits offset to offset + 63 of plane k's probability, for any offset. */
uint64_t sotto_planes_digits(const struct sotto_planes *p, unsigned k, unsigned offset);

/*
 * Continues a comparison of random digits with plane k's probability that is still tied after
 * `offset` digits: *bit = [random < probability].  Takes words from rng until they differ.
 * Fails: SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_planes_continue(const struct sotto_planes *p,
							 struct sotto_rng *rng, unsigned k,
							 unsigned offset, bool *bit);

/* Makes one draw by the core of planes_core_kernel.h; the generator must be ready. */
SOTTO_MUST_CHECK enum sotto_status
sotto_planes_draw(const struct sotto_planes *p, struct sotto_rng *rng, int64_t *out);

/* Makes n draws: in blocks of at most 4096, the rest by the core.  On failure out is zeroed. */
SOTTO_MUST_CHECK enum sotto_status
sotto_planes_fill(const struct sotto_planes *p, struct sotto_rng *rng, int64_t *out, size_t n);

#endif
