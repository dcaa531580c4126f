/*
 * estimate.h - one estimate: its variance, its interval, its test
 */
#ifndef SOTTO_ESTIMATE_H
#define SOTTO_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/decode.h"

/* A report supports its own value with probability p, any other with q. */
struct sotto_rates {
	double p, q;
};

/*
 * One candidate of a pure protocol: a report supports it with probability p if
 * it is the true value, else q.  Fills count, sd, interval, z and p_value; from the exact law
 * below 1000 reports, and wherever few reports are left to chance.
 *
 * Fails: SOTTO_EINVAL if p = q.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_local_estimate_pure(uint64_t n, uint64_t supports, double p, double q, double alpha,
			  enum sotto_local_target target, struct sotto_local_estimate *out);

/* V_fix and V_pop of a count of n_v among n; n_v is held inside [0, n]. */
double
sotto_local_variance(double n, double n_v, double p, double q, enum sotto_local_target target);

/*
 * The p-value of "nobody": the chance of so many supports among n reports, each with q.  They are
 * one binomial; far in its tail the normal law is wrong for small n q.
 */
double sotto_local_chance_of_nobody(double supports, double n, double q);

/*
 * Whether a law leans too much for the normal one at this alpha: so many supports are drawn, of
 * one kind or the other.
 */
bool sotto_local_leans(double supports, double alpha);

/* Fills count's interval, z and p_value from count, sd and the sd under "nobody". */
void sotto_local_estimate_normal(struct sotto_local_estimate *e, double null_sd, double alpha);

/* Nothing is known: infinite errors, no test passed. */
struct sotto_local_estimate sotto_local_estimate_unknown(void);

/* Decides which p-values are significant among `tests` tests, at least count. */
SOTTO_MUST_CHECK enum sotto_status
sotto_local_decide(struct sotto_local_estimate *e, size_t count, uint64_t tests, double alpha,
		   enum sotto_local_correction correction);

/* Whether options hold together.  Fails: SOTTO_EINVAL. */
SOTTO_MUST_CHECK enum sotto_status
sotto_local_options_check(const struct sotto_local_options *options);

/* The alpha of each interval: shared out if they are simultaneous. */
double sotto_local_interval_alpha(const struct sotto_local_options *options, size_t count);

#endif
