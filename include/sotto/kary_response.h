/*
 * sotto/kary_response.h - one of k answers, told truthfully or else at random
 *
 * Keeps the truth with probability e^epsilon / (e^epsilon + k - 1) and else says one of
 * the other k - 1, all alike: the likeliest truth for a given epsilon.  For k = 2 this is
 * randomized response with r = 1/2 and p = tanh(epsilon/2).
 */
#ifndef SOTTO_KARY_RESPONSE_H
#define SOTTO_KARY_RESPONSE_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/cost.h"
#include "sotto/error.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"
#include "sotto/value.h"

struct sotto_kary_response; /* immutable, may be shared by threads */

/*
 * epsilon is copied; the caller frees *out.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0 and k >= 2; SOTTO_ERANGE if epsilon is
 *           above 1000; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_kary_response_new(const struct sotto_rational *epsilon, uint64_t k,
			struct sotto_kary_response **out, struct sotto_error *err);
SOTTO_API void sotto_kary_response_free(struct sotto_kary_response *m);

/*
 * Answers for one person; truth is one of 0 .. k-1.
 *
 * Law:      P[truth] = e^epsilon / (e^epsilon + k - 1), each other answer
 *           1 / (e^epsilon + k - 1), exactly.
 * Privacy:  epsilon-DP in the local model.
 * Time:     the coin and the other answer are always drawn.
 * Fails:    SOTTO_EINVAL unless 0 <= truth < k; SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_kary_response_publish(const struct sotto_kary_response *m, struct sotto_rng *rng,
			    struct sotto_exact truth, struct sotto_noisy *out);

/* The probability of the truth, rounded down to a multiple of 2^-digits. */
SOTTO_API void sotto_kary_response_keep_down(const struct sotto_kary_response *m,
					     unsigned digits, struct sotto_rational *keep);

/* What one answer costs the person who gives it; the caller makes *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_kary_response_cost(const struct sotto_kary_response *m, struct sotto_cost *cost);

/* How many people have one truth, from the count of its answers. */
struct sotto_kary_estimate {
	double count;
	double deviation; /* standard error */
	double low; /* the interval covers the count with probability 1 - beta */
	double high;
};

/*
 * Estimates how many people have each truth from the count of each answer;
 * estimates has room for k.
 *
 * Law:      count = (answers[v] - n q) / (p - q) with p the probability of the truth and
 *           q that of another answer; without bias, and not held at 0.
 *           deviation = sqrt(n q (1-q) + c (p-q) (1-p-q)) / (p-q), c the
 *           estimate held within 0 .. n: its standard error.
 *           low and high: the interval of Clopper and Pearson for the rate of the
 *           answer, carried through the same line.  It treats the people as a sample,
 *           so for these n people it is wider than needed, never narrower.
 * Fails:    SOTTO_EINVAL if no answer was given or unless 0 < beta < 1;
 *           SOTTO_ERANGE past 2^40 answers.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_kary_response_estimate(const struct sotto_kary_response *m, const uint64_t *answers,
			     double beta, struct sotto_kary_estimate *estimates);

#endif
