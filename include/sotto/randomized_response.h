/*
 * sotto/randomized_response.h - answering yes or no with the help of two coins
 *
 * The first coin says "tell the truth" with probability p; if it does not, the second
 * one answers, YES with probability r.  Classic: p = r = 1/2 and epsilon = ln 3
 * (Warner 1965).  For more than two answers, or to start from epsilon, see
 * sotto/kary_response.h.
 */
#ifndef SOTTO_RANDOMIZED_RESPONSE_H
#define SOTTO_RANDOMIZED_RESPONSE_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/cost.h"
#include "sotto/error.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"
#include "sotto/value.h"

struct sotto_randomized_response {
	struct sotto_rational truth; /* p */
	struct sotto_rational yes; /* r */
};

/*
 * Copies p and r.  Pair each successful _init with one _release.
 *
 * Fails:    SOTTO_EINVAL unless 0 < p < 1 and 0 < r < 1: at the ends an answer
 *           either is the truth for sure or says nothing.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_randomized_response_init(struct sotto_randomized_response *m,
			       const struct sotto_rational *p, const struct sotto_rational *r,
			       struct sotto_error *err);
SOTTO_API void sotto_randomized_response_release(struct sotto_randomized_response *m);

/*
 * Answers for one person; 1 is yes and 0 is no, before and after.
 *
 * Law:      P[1 given 1] = p + (1-p) r and P[1 given 0] = (1-p) r, exactly.
 * Privacy:  epsilon-DP in the local model: no two truths can be told apart better.
 * Time:     both coins are always tossed.
 * Fails:    SOTTO_EINVAL unless truth is 0 or 1; SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_randomized_response_publish(const struct sotto_randomized_response *m,
				  struct sotto_rng *rng, struct sotto_exact truth,
				  struct sotto_noisy *out);

/* e^epsilon, exactly: the larger likelihood ratio of the two answers. */
SOTTO_API void sotto_randomized_response_odds(const struct sotto_randomized_response *m,
					      struct sotto_rational *odds);

/* epsilon, rounded up to a multiple of 2^-96. */
SOTTO_API void sotto_randomized_response_epsilon_up(const struct sotto_randomized_response *m,
						    struct sotto_rational *epsilon);

/* What one answer costs the person who gives it; the caller makes *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_randomized_response_cost(const struct sotto_randomized_response *m,
			       struct sotto_cost *cost);

/*
 * What many answers tell about the share of people whose truth is yes.  Nothing is held
 * at 0 or 1: an estimate outside says that the sample is too small, and averaging held
 * estimates would be biased.
 */
struct sotto_share_estimate {
	double share;
	double deviation; /* standard error */
	double low; /* the interval covers the share with probability 1 - beta */
	double high;
	bool outside; /* share is below 0 or above 1 */
};

/*
 * Estimates from `yes` YES among n answers: share = (yes/n - (1-p) r) / p, deviation =
 * sqrt(l (1-l) / n) / p with l = yes/n; the interval is that of Clopper and Pearson for
 * l, carried through the same line.
 *
 * Fails:    SOTTO_EINVAL unless 0 < n, yes <= n and 0 < beta < 1; SOTTO_ERANGE if
 *           n > 2^40.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_randomized_response_estimate(const struct sotto_randomized_response *m, uint64_t yes,
				   uint64_t n, double beta, struct sotto_share_estimate *out);

#endif
