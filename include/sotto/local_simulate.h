/*
 * sotto/local_simulate.h - people who do not exist, to see how well a design works
 *
 * The population and the fast mode use a seeded generator: nobody's privacy
 * depends on them.  The slow mode runs the real encoder with real randomness.
 */
#ifndef SOTTO_LOCAL_SIMULATE_H
#define SOTTO_LOCAL_SIMULATE_H

#include "sotto/error.h"
#include "sotto/local_aggregate.h"
#include "sotto/rng.h"

/*
 * How many of the users hold each value: unif, exp (rate 5/values), gauss (sd
 * values/6, centred), zipf1, zipf1.5, zipf:S, spike (half on one value).
 *
 * Fails: SOTTO_EPARSE for an unknown distribution, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_population(const char *distribution, size_t values, uint64_t users, uint64_t seed,
		       uint64_t *out, struct sotto_error *err);

/* Whether fast mode has this protocol. */
SOTTO_API bool sotto_local_simulate_fast_has(const struct sotto_client_params *params);

/*
 * Reports of all users into the aggregate.  Value i is the number i, or the
 * string "v<i+1>" (1BITMEAN: i).  fast draws the counters from their exact law;
 * otherwise every user is a client of its own, with randomness from rng.
 *
 * Fails: SOTTO_EINVAL if fast mode does not have the protocol, SOTTO_ENOMEM,
 *        SOTTO_EENTROPY.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_simulate_fast(struct sotto_local_aggregate *a, const uint64_t *holders,
			  size_t values, uint64_t seed, struct sotto_error *err);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_simulate(struct sotto_local_aggregate *a, const uint64_t *holders, size_t values,
		     struct sotto_rng *rng, struct sotto_error *err);

/*
 * Numbers that change over time: values[round * users + user], each at most `most`.
 * "ar1": each user has a level of its own and comes back to it by a tenth of the way
 * each round, with noise; "sticky": a number stays, and one time in twenty is drawn anew.
 *
 * Fails: SOTTO_EPARSE for another name.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_walk(const char *name, size_t users, size_t rounds, uint32_t most, uint64_t seed,
		 uint32_t *values, struct sotto_error *err);

/*
 * The greatest epsilon that trials prove: an event came in hits of trials on one
 * input and in misses of trials on another.  ln of the ratio of Clopper-Pearson
 * bounds, 0 if that is negative.
 *
 * Law: with probability 1 - alpha, at most the epsilon of the mechanism.
 */
SOTTO_API double
sotto_local_epsilon_at_least(uint64_t hits, uint64_t misses, uint64_t trials, double alpha);

#endif
