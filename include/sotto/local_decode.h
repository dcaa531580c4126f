/*
 * sotto/local_decode.h - from counters to estimates
 */
#ifndef SOTTO_LOCAL_DECODE_H
#define SOTTO_LOCAL_DECODE_H

#include "sotto/error.h"
#include "sotto/local_aggregate.h"
#include "sotto/local_estimate.h"

/*
 * What is asked about: numbers, or strings of bytes where the protocol takes
 * them.  Borrowed.
 */
struct sotto_local_candidates {
	size_t count;
	const uint64_t *numbers; /* NULL: 0 .. count-1 */
	const void *const *strings;
	const size_t *lengths;
};

/*
 * Estimates how many users hold each candidate: RR, GRR, SUE, OUE, OLH, FLH, HR,
 * SUBSET, DBITFLIP, CMS, HCMS, and RAPPOR with a size.  out has one estimate per
 * candidate.  With numbers NULL and count the size, the posts sum to n.
 *
 * Fails: SOTTO_EINVAL for options, candidates outside the domain or of the wrong
 *        kind, or a protocol that has its own decoder; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_decode(struct sotto_local_aggregate *a,
		   const struct sotto_local_candidates *candidates,
		   const struct sotto_local_options *options, struct sotto_local_estimate *out,
		   struct sotto_error *err);

struct sotto_local_mean {
	double mean, sd;
	double low, high; /* normal interval */
	double bound; /* |error| <= bound with probability 1 - alpha, whatever the data */
};

/* The mean of 1BITMEAN values.  Fails: SOTTO_EINVAL for another protocol or no reports. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_decode_mean(struct sotto_local_aggregate *a, double alpha,
			struct sotto_local_mean *out);

/*
 * The variance of a count of n_d, for n users and other counts whose squares sum
 * to s2, with m columns and k rows, collisions included.  c = 1/(1 - 2 flip).
 */
SOTTO_API double
sotto_local_variance_cms(double n, double n_d, double s2, double m, double k, double flip);
SOTTO_API double
sotto_local_variance_hcms(double n, double n_d, double s2, double m, double k, double flip);

#endif
