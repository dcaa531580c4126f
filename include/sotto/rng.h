/*
 * sotto/rng.h - the random generator that every draw takes as an argument
 *
 * AES-256 in counter mode with fast key erasure, keyed from the operating
 * system.  It cannot be seeded: a generator that somebody can predict
 * protects nobody.  Use one generator per thread; there is no lock inside.  After
 * a fork the child's generator takes a new key before its first byte.
 * Design and argument: src/core/random/generator/rng.{c,md}.
 */
#ifndef SOTTO_RNG_H
#define SOTTO_RNG_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_rng;

/*
 * Makes a generator with a key from getrandom(2).  The caller closes *out.
 *
 * Fails: SOTTO_EENTROPY if the system gives no randomness, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_rng_open(struct sotto_rng **out);

/* Wipes the key and everything drawn ahead.  NULL is allowed. */
SOTTO_API void sotto_rng_close(struct sotto_rng *rng);

/*
 * Mixes fresh system randomness into the key and drops what was drawn ahead.
 * Call it at the start of every release, so that a virtual machine that is resumed
 * twice from one snapshot does not publish the same noise twice.  Takes about 1 us.
 *
 * Fails: SOTTO_EENTROPY; the generator then refuses everything until a reseed
 * succeeds.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_rng_reseed(struct sotto_rng *rng);

/*
 * Law:      n independent uniform bytes.
 * Fails:    SOTTO_EENTROPY; buf is then zeroed and must not be used.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_rng_fill(struct sotto_rng *rng, void *buf, size_t n);

/*
 * ---- Uniform integers, exactly
 */

/*
 * Law:      uniform on 0 .. n - 1, for any n from 1 on.
 * Fails:    SOTTO_EINVAL if n is 0; SOTTO_EENTROPY.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_uniform_below(struct sotto_rng *rng, uint64_t n, uint64_t *out);

#endif
