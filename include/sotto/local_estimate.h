/*
 * sotto/local_estimate.h - estimates with intervals that hold
 *
 * The raw value is unbiased, and tests and intervals belong to it; the
 * post-processed value is apart and never an input to a test.
 */
#ifndef SOTTO_LOCAL_ESTIMATE_H
#define SOTTO_LOCAL_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/status.h"

/* Whose frequency is meant: that of these users, or of the people they were drawn from. */
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
	X(CONSTRAINED, "constrained") /* the same; posts from a fit that shares can have */    \
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
	bool simultaneous; /* intervals that hold all together */
	bool selected; /* intervals of the significant ones are wrong in a share alpha of them */
	uint64_t tests; /* candidates that could have been asked about, if more than were */
	enum sotto_local_method method; /* of RAPPOR over strings */
	uint64_t seed; /* of the noise that the reference method adds */
	unsigned iterations; /* of IBU, at most; 0: 10000 */
};

struct sotto_local_estimate {
	double count; /* unbiased; may be negative */
	double sd;
	double null_sd; /* what sd would be if nobody had it */
	double low, high; /* 1 - alpha interval of the count */
	double z, p_value; /* against "nobody has it" */
	double p_adjusted; /* the p-value after the correction */
	bool significant; /* p_adjusted <= alpha */
	double post; /* after post-processing */
};

/*
 * One candidate of a pure protocol: a report supports it with probability p if
 * it is the true value, else q.  extra is variance from elsewhere (collisions).
 * Fills count, sd, interval, z and p_value; below 1000 reports from the exact law.
 *
 * Fails: SOTTO_EINVAL if p = q.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_estimate_pure(uint64_t n, uint64_t supports, double p, double q, double extra,
			  double alpha, enum sotto_local_target target,
			  struct sotto_local_estimate *out);

/* V_fix and V_pop of a count of n_v among n; n_v is held inside [0, n]. */
SOTTO_API double
sotto_local_variance(double n, double n_v, double p, double q, enum sotto_local_target target);

/* Fills count's interval, z and p_value from count, sd and the sd under "nobody". */
SOTTO_API void
sotto_local_estimate_normal(struct sotto_local_estimate *e, double null_sd, double alpha);

/* Nothing is known: infinite errors, no test passed. */
SOTTO_API struct sotto_local_estimate sotto_local_estimate_unknown(void);

/* Decides which p-values are significant among `tests` tests, at least count. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_decide(struct sotto_local_estimate *e, size_t count, uint64_t tests, double alpha,
		   enum sotto_local_correction correction);

/*
 * post from count, so that the posts sum to total (NORM_SUB, NORM, NORM_MUL,
 * MLE_APX), or to at most that (NORM_CUT).
 * Fails: SOTTO_EINVAL for IBU, which needs the reports (sotto_local_decode);
 *        SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_postprocess(struct sotto_local_estimate *e, size_t count, double total,
			enum sotto_local_post method);

/* Whether options hold together.  Fails: SOTTO_EINVAL. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_options_check(const struct sotto_local_options *options);

/* The alpha of each interval: shared out if they are simultaneous. */
SOTTO_API double
sotto_local_interval_alpha(const struct sotto_local_options *options, size_t count);

/* z with P(N <= z) = probability, N standard normal. */
SOTTO_API double sotto_local_normal_quantile(double probability);

#endif
