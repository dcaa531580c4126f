/*
 * sotto/audit.h - the largest epsilon that runs of a mechanism prove
 *
 * A mechanism runs many times on two neighbouring inputs.  Some of the runs choose an event,
 * a set of outputs that is likely on one input and unlikely on the other; other runs count
 * it.  The bounds of Clopper and Pearson on its two probabilities then prove an epsilon that
 * the mechanism has at least.  A proof above the claim breaks the claim; a lower one says
 * nothing, since no number of runs can show that a mechanism is private.
 *
 *	int64_t *of[2] = ...;                  outputs on either input, as whole numbers
 *	struct sotto_audit_outcomes runs = {{of[0], of[1]}, count};
 *	struct sotto_audit_level level = {.alpha = 0.01};
 *	sotto_audit_prove(&runs, &level, &proof);
 *	if (proof.epsilon > claim) ...         broken
 *
 * Argument: src/audit/audit.md.
 */
#ifndef SOTTO_AUDIT_H
#define SOTTO_AUDIT_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

/* How sure a proof is, and what it is about. */
struct sotto_audit_level {
	double alpha; /* a proof may be wrong with this probability; inside 0 .. 1 */
	double delta; /* of the claimed (epsilon, delta); 0 for pure privacy */
};

/*
 * What counts prove: an event occurred in `hits` of the trials on one input and in `misses`
 * of as many on the other.  0 if they prove nothing, or if the counts or the level are not valid.
 *
 * Law:   at most the epsilon of the mechanism at this delta, except with probability alpha,
 *        if the event was chosen without these trials.  Rounded down, for at most 10^8.
 */
SOTTO_API double sotto_audit_epsilon_down(uint64_t hits, uint64_t misses, uint64_t trials,
					  const struct sotto_audit_level *level);

/*
 * ---- Outputs as whole numbers
 *
 * Any function of the output will do, a hash for example: what can be proved about it is
 * true of the output.  Numbers in order and numbers that only are names are both tried.
 */

/* The outputs on the two inputs, in the order of the runs; borrowed. */
struct sotto_audit_outcomes {
	const int64_t *of[2];
	size_t count; /* on each input */
};

struct sotto_audit_proof {
	double epsilon; /* the mechanism has at least this; 0 if nothing is proved */
	uint64_t hits; /* the event, on the input where it is likelier, */
	uint64_t misses; /* and on the other, */
	uint64_t trials; /* in so many runs on each that did not choose it */
};

/*
 * The first half of the runs chooses the event, the second half proves.
 *
 * Law:   proof->epsilon is at most the epsilon of the mechanism at this delta, except with
 *        probability alpha, if the runs are independent.
 * Fails: SOTTO_EINVAL for fewer than 8 runs, or unless 0 < alpha < 1 and 0 <= delta < 1;
 *        SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_audit_prove(const struct sotto_audit_outcomes *runs,
		  const struct sotto_audit_level *level, struct sotto_audit_proof *proof);

/*
 * ---- Outputs with a score
 *
 * For an auditor who knows how much an output speaks for the one input or the other: its
 * logarithm of a likelihood ratio, say.  Choose on some runs and try on others.
 */

/* The scores of outputs on the two inputs; borrowed.  No score is NaN. */
struct sotto_audit_scores {
	const double *of[2];
	size_t count; /* on each input */
};

/* The score is at least so much: large scores speak for the first input. */
struct sotto_audit_event {
	unsigned favours; /* 0 or 1: the input on which it is likelier */
	double least; /* of the score, or of its negative if the second is favoured */
};

/*
 * The event that will prove most in the given number of trials if they are like these;
 * *epsilon gets how much.
 *
 * Fails: SOTTO_EINVAL if count or trials is 0 or the level is as above; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_audit_choose(const struct sotto_audit_scores *scores, uint64_t trials,
		   const struct sotto_audit_level *level, struct sotto_audit_event *event,
		   double *epsilon);

/*
 * What scores that the event was not chosen on prove.  Law: as sotto_audit_epsilon_down.
 */
SOTTO_API struct sotto_audit_proof sotto_audit_try(const struct sotto_audit_scores *scores,
						   const struct sotto_audit_event *event,
						   const struct sotto_audit_level *level);

#endif
