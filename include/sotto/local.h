/*
 * sotto/local.h - local differential privacy: design a collection and know its privacy
 *
 * Each device randomizes its own value (sotto/client.h); the server counts reports
 * (sotto/collect.h) and estimates frequencies from the counts (sotto/decode.h).  This
 * header is for the design before that: which protocol, which probabilities, what it costs a
 * device, and how well it works on simulated people.
 * Formulas: src/local/protocol/local.md.
 */
#ifndef SOTTO_LOCAL_H
#define SOTTO_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/client.h"
#include "sotto/collect.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/*
 * ---- From an epsilon to the integers that devices use
 *
 * Probabilities become multiples of 2^-64 (2^-48 for bit vectors, 2^-32 for
 * RAPPOR), each rounded toward more privacy, so that the realised epsilon is
 * never above the one asked for.  Decoders use the same integers.
 */

/* The name, such as "grr"; NULL for an unknown protocol. */
SOTTO_API const char *sotto_local_protocol_name(uint32_t protocol);

/* The probability as an exact fraction, or the nearest double. */
SOTTO_API void
sotto_local_chance_exact(struct sotto_client_chance chance, struct sotto_rational *out);
SOTTO_API double sotto_local_chance(struct sotto_client_chance chance);

/*
 * ---- What a collection really costs each device
 */

/*
 * All epsilons are computed from the integers in the parameters, as doubles rounded
 * up (INFINITY if there is no bound).
 */
struct sotto_local_privacy {
	struct sotto_rational odds; /* e^epsilon of one report, exactly */
	double report; /* one report */
	double after; /* the given number of reports of one value */
	double permanent; /* any number of reports of one value */
	double lifetime; /* any number of reports of any values */
};

SOTTO_API void sotto_local_privacy_init(struct sotto_local_privacy *p);
SOTTO_API void sotto_local_privacy_release(struct sotto_local_privacy *p);

/*
 * Privacy:  for all values x, x' and reports y: P(y|x) <= odds P(y|x'), and no
 *           smaller number holds.  The costs of other metrics of the same device add up.
 * Fails:    SOTTO_EINVAL for inconsistent parameters, SOTTO_ERANGE
 *           for no reports or more than 10^6.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_privacy_state(const struct sotto_client_params *params, uint64_t reports,
			  struct sotto_local_privacy *out);

/* What an analyst who sees only the shuffled reports of users can learn, both rounded up. */
struct sotto_local_shuffled {
	double clone; /* by the accountant's numeric clone pair */
	double closed; /* by the bound in closed form; INFINITY where it does not apply */
};

/*
 * The central epsilon at delta of `users` reports of this epsilon each, shuffled.
 *
 * Privacy:  holds if nothing but the reports reaches the analyst: no ids, no cohort
 *           tags, no order; neighbours replace one user.
 * Fails:    SOTTO_EINVAL unless epsilon > 0 is finite, users > 0 and 0 < delta < 1;
 *           SOTTO_ENOMEM, SOTTO_ERANGE.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_shuffle(double epsilon, uint64_t users, const struct sotto_rational *delta,
		    struct sotto_local_shuffled *out);

/*
 * ---- Which protocol for which question
 */

struct sotto_local_question {
	uint64_t users; /* n */
	uint64_t values; /* d, at least 2 */
	const struct sotto_rational *epsilon; /* of one report */
	uint64_t reports; /* of one value by one device, for the cost over time */
	bool memoize; /* each device draws its answer to a value once and always repeats it */
	double alpha; /* error rate of the tests, with Bonferroni's correction over the values */
};

struct sotto_local_choice {
	struct sotto_client_params params;
	size_t report_bytes;
	double sd; /* of the count of a rare value */
	uint32_t
		cohorts; /* cohorts, rows or seeds that users are divided into; 1: not divided */
	double cohort_sd; /* of the count of a rare value among the users of one of them */
	double detects; /* frequency at which a value is detected half of the time */
	double epsilon, after, permanent; /* as in struct sotto_local_privacy */
	size_t client_bytes; /* what a device must keep between reports */
	double server_bytes; /* counters, or kept reports */
	double decode_steps; /* additions to estimate every value */
	bool best;
};

#define SOTTO_LOCAL_CHOICES 32 /* room for all protocols */

/*
 * All protocols that answer the question; one is marked best: the most accurate,
 * and the smallest report among those within 5 % of it.
 *
 * Fails: SOTTO_EINVAL for a question that makes no sense, SOTTO_ERANGE.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_plan(const struct sotto_local_question *question,
		 struct sotto_local_choice out[SOTTO_LOCAL_CHOICES], size_t *count,
		 struct sotto_error *err);

/*
 * ---- Simulated people, to see how well a design works
 *
 * The population and the fast mode use a seeded generator: nobody's privacy
 * depends on them.  The slow mode runs the real encoder with real randomness.
 */

/*
 * How many of the users hold each value: unif, exp (rate 5/values), gauss (sd
 * values/6, centred), zipf1, zipf1.5, zipf:S, spike (half on one value).
 *
 * Fails: SOTTO_EPARSE for an unknown distribution, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_population(const char *distribution, size_t values, uint64_t users, uint64_t seed,
		       uint64_t *out, struct sotto_error *err);

/*
 * Whether the salt of the parameters chooses hash functions whose collisions are part of the
 * errors.  Intervals then hold over the choice of the salt, not for each salt by itself: to
 * see how often they do, change the salt from one simulation to the next.
 */
SOTTO_API bool sotto_local_is_salted(const struct sotto_client_params *params);

/* Whether fast mode supports this protocol. */
SOTTO_API bool sotto_local_simulate_fast_has(const struct sotto_client_params *params);

/*
 * Adds the reports of all users to the aggregate.  Value i is the number i, or the
 * string "v<i+1>" (1BITMEAN: i).  The fast function draws the counters from their exact law;
 * the other one runs the encoder for every user, with randomness from rng.
 *
 * Fails: SOTTO_EINVAL if fast mode does not support the protocol, SOTTO_ENOMEM,
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
 * "ar1": each user has a level and moves a tenth of the way back to it each round, with
 * noise; "sticky": a number stays the same, but is redrawn in one round out of twenty.
 *
 * Fails: SOTTO_EPARSE for another name.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_walk(const char *name, size_t users, size_t rounds, uint32_t most, uint64_t seed,
		 uint32_t *values, struct sotto_error *err);

/*
 * How well a report fits a value: ln P(report | value) up to a term that is the same for all
 * values.  The value is a number, or `length` bytes if the collection is of strings.  For two
 * values it differs by at most epsilon.  An attacker who adds it up over independent
 * reports and chooses the value with the largest sum makes the best possible guess.
 * -INFINITY for a report that the value never produces; NaN for invalid parameters
 * and for a number outside the domain.
 */
SOTTO_API double sotto_local_likelihood(const struct sotto_client_params *params,
					uint64_t number, const void *bytes, size_t length,
					const uint8_t *report);

#endif
