/*
 * sotto/decode.h - local differential privacy: estimates from counted reports
 */
#ifndef SOTTO_DECODE_H
#define SOTTO_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/collect.h"
#include "sotto/status.h"

/*
 * ---- Estimates with valid intervals
 *
 * The raw count is unbiased, and tests and intervals belong to it; the
 * post-processed value is separate and never used in a test.
 */

/* Whose frequency is estimated: that of these users, or of the population they come from. */
enum sotto_local_target {
	SOTTO_LOCAL_SAMPLE,
	SOTTO_LOCAL_POPULATION,
};

/* X(name, text) */
#define SOTTO_LOCAL_CORRECTIONS(X)                                                             \
	X(BONFERRONI,                                                                          \
	  "bonferroni") /* no false discovery at all, with probability 1 - alpha */            \
	X(HOLM, "holm") /* the same, more power */                                             \
	X(BH, "bh") /* share of false discoveries, independent tests */                        \
	X(BY, "by") /* share of false discoveries, any tests */                                \
	X(NONE, "none")

#define SOTTO_LOCAL_POSTS(X)                                                                   \
	X(NORM_SUB, "norm-sub") /* nearest point of the simplex */                             \
	X(NONE, "none")                                                                        \
	X(BASE_POS, "base-pos") /* negative ones to zero */                                    \
	X(NORM, "norm") /* a constant added to all */                                          \
	X(NORM_MUL, "norm-mul") /* clipped, then scaled */                                     \
	X(NORM_CUT, "norm-cut") /* the largest ones until the total is reached */              \
	X(POWER_LAW, "power-law") /* posterior means under a power-law prior */                \
	X(MLE_APX, "mle-apx") /* most likely counts, by the normal law of the estimates */     \
	X(IBU, "ibu") /* most likely counts, by the law of the reports */

/* How RAPPOR reports of strings are decoded. */
#define SOTTO_LOCAL_METHODS(X)                                                                 \
	X(REGRESSION, "regression") /* weighted least squares, errors from theory */           \
	X(CONSTRAINED, "constrained") /* the same; posts from a fit with possible shares */    \
	X(OLS, "ols") /* ordinary least squares: every bit has the same weight */              \
	X(NNLS, "nnls") /* the same; posts from the best fit without negative counts */        \
	X(REFERENCE, "reference") /* what google/rappor's decode.R does */

enum sotto_local_method {
#define SOTTO_LOCAL_METHOD_ENUM(name, text) SOTTO_LOCAL_METHOD_##name,
	SOTTO_LOCAL_METHODS(SOTTO_LOCAL_METHOD_ENUM)
#undef SOTTO_LOCAL_METHOD_ENUM
};

enum sotto_local_correction {
#define SOTTO_LOCAL_CORRECTION_ENUM(name, text) SOTTO_LOCAL_CORRECT_##name,
	SOTTO_LOCAL_CORRECTIONS(SOTTO_LOCAL_CORRECTION_ENUM)
#undef SOTTO_LOCAL_CORRECTION_ENUM
};

enum sotto_local_post {
#define SOTTO_LOCAL_POST_ENUM(name, text) SOTTO_LOCAL_POST_##name,
	SOTTO_LOCAL_POSTS(SOTTO_LOCAL_POST_ENUM)
#undef SOTTO_LOCAL_POST_ENUM
};

struct sotto_local_options {
	double alpha; /* of tests and intervals, 0 < alpha < 1 */
	enum sotto_local_target target;
	enum sotto_local_correction correction;
	enum sotto_local_post post;
	bool simultaneous; /* intervals that hold for all values together */
	bool selected; /* intervals of which at most a share alpha, among the significant values,
			  is wrong */
	uint64_t tests; /* number of tests to correct for, if larger than that of candidates */
	enum sotto_local_method method; /* of RAPPOR over strings */
	uint64_t seed; /* of the noise that the reference method adds */
	unsigned iterations; /* of IBU, at most; 0: 10000 */
};

struct sotto_local_estimate {
	double count; /* unbiased; may be negative */
	double sd;
	double null_sd; /* what sd would be if nobody held the value */
	double low, high; /* 1 - alpha interval of the count */
	double z, p_value; /* of the test whether anybody holds it */
	double p_adjusted; /* the p-value after the correction */
	bool significant; /* p_adjusted <= alpha */
	double post; /* after post-processing */
};

/* z with P(N <= z) = probability, N standard normal. */
SOTTO_API double sotto_local_normal_quantile(double probability);

/*
 * ---- From counters to estimates
 */

/*
 * The candidates: numbers, or strings of bytes if the collection is of strings.  Borrowed.
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
 * candidate.  If numbers is NULL and count is the size, the posts sum to the number of reports.
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

#endif
