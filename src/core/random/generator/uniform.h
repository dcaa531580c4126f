/*
 * uniform.h - draws exactly uniform words and permutations
 */
#ifndef SOTTO_UNIFORM_H
#define SOTTO_UNIFORM_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/rng.h"

/* Law: uniform on 0 .. 2^64 - 1.  Fails: SOTTO_EENTROPY. */
SOTTO_MUST_CHECK enum sotto_status sotto_uniform_word(struct sotto_rng *rng, uint64_t *out);

/*
 * Law:      out[0..n) is each order of 0 .. n-1 with probability 1/n!.
 * Fails:    SOTTO_EENTROPY; out is then zeroed.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_uniform_permutation(struct sotto_rng *rng, size_t *out, size_t n);

#endif
