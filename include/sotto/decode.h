/*
 * sotto/decode.h - local differential privacy: estimates from counted reports, the regression
 * of RAPPOR, and the files of google/rappor
 */
#ifndef SOTTO_DECODE_H
#define SOTTO_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/client.h"
#include "sotto/collect.h"
#include "sotto/rational.h"
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
	double low, high; /* 1 - alpha interval, for any number of reports */
	double bound; /* |error| <= bound with probability 1 - alpha, whatever the data */
};

/* The mean of 1BITMEAN values.  Fails: SOTTO_EINVAL for another protocol or no reports. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_decode_mean(struct sotto_local_aggregate *a, double alpha,
			struct sotto_local_mean *out);

/*
 * ---- RAPPOR: which candidate strings explain the bit counts
 *
 * Each candidate sets known bits in each cohort.  The debiased bit rates are
 * regressed on them.  Method and argument: src/local/rappor/rappor.md.
 */

/* The counts of a collection, borrowed: ones[cohort * bits + bit]. */
struct sotto_local_cohorts {
	uint32_t cohorts, bits;
	double p, q; /* P(1) in a report given a Bloom bit 0 and 1: p* and q* */
	const uint64_t *reports;
	const uint64_t *ones;
};

/* p* and q* of f, p, q. */
SOTTO_API void
sotto_local_rappor_rates(double f, double p, double q, double *p_star, double *q_star);

/*
 * The counts of an aggregate of RAPPOR over strings, or of CMS: a row of that sketch is a
 * cohort whose filter has one hash, and regression on a dictionary of all values removes
 * the collisions, which the decoder of CMS only adds to the errors.
 *
 * Fails: SOTTO_EINVAL for another protocol; SOTTO_ERANGE for a sketch of more than
 *        2^25 cells, which regression cannot hold.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_rappor_cohorts(struct sotto_local_aggregate *a, struct sotto_local_cohorts *out);

#define SOTTO_LOCAL_NO_CELL UINT32_MAX

/* Bits of candidate s in cohort c: cells[(s * cohorts + c) * hashes .. + hashes). */
struct sotto_local_map {
	size_t candidates;
	uint32_t cohorts, hashes;
	uint32_t *cells; /* a bit, or SOTTO_LOCAL_NO_CELL; repeats mean one bit */
};

/*
 * The map of candidate strings for RAPPOR over strings, or CMS.  The caller releases it.
 * Of compat only mode, bits, hashes and cohorts are read.
 * Fails: SOTTO_EINVAL; SOTTO_ERANGE for a map of more than 2 GiB; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_map_native(const struct sotto_client_params *params, const void *const *strings,
		       const size_t *lengths, size_t count, struct sotto_local_map *out);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_map_compat(const struct sotto_compat *compat, const void *const *strings,
		       const size_t *lengths, size_t count, struct sotto_local_map *out);
SOTTO_API void sotto_local_map_release(struct sotto_local_map *map);

/* Below this probability of its residuals a fit counts as bad. */
#define SOTTO_LOCAL_MISFIT_P 1e-3

struct sotto_local_fit {
	double dispersion; /* residual over theoretical variance; well above 1 if candidates are
			      missing */
	double misfit_p; /* probability of such a dispersion if no candidate is missing */
	size_t worst_cohort; /* the cohort farthest from the fit: its reports may be made up */
	double worst_cohort_p; /* probability that any cohort is as far, given the dispersion */
	double other; /* share of users that no candidate explains */
	double explained; /* share of users with a significant candidate */
	/* shares of the variance of the bit rates: explained, missing, noise */
	double explained_variance, missing_variance, noise_variance;
	size_t aliased; /* candidates that the map cannot tell from others */
	size_t used_cohorts;
	bool pooled; /* no regression was needed: one bit, or each candidate has its own bit */
	bool background; /* a constant for unknown strings was needed */
	bool scaled; /* that was not enough, so errors were scaled by the dispersion */
	bool split; /* too many candidates: selected on half of the cohorts, tested on the others */
};

/*
 * One estimate per candidate, in users.  Every interval and test is that of a
 * weighted least-squares fit, its errors scaled up where the fit is bad; tests
 * are corrected for all candidates offered.
 *
 * Fails: SOTTO_EINVAL if the map and the counts do not belong together, p* = q*,
 *        there are no reports, or the reference is asked for other intervals than its own,
 *        which are those of alpha 0.05 for each value by itself; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_rappor_decode(const struct sotto_local_cohorts *data,
			  const struct sotto_local_map *map,
			  const struct sotto_local_options *options,
			  struct sotto_local_estimate *out, struct sotto_local_fit *fit,
			  struct sotto_error *err);

/*
 * Checks those standard errors by simulation.  In each of `runs` runs (200 or more) users are
 * drawn from the fitted distribution, with reports from RAPPOR's law, and decoded again.
 * sd has one number per candidate: the standard deviation of the error of its count over the
 * runs, for the target in options; options->seed makes it repeatable.
 *
 * Fails: as sotto_local_rappor_decode; SOTTO_EINVAL for fewer than two runs.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_rappor_bootstrap(const struct sotto_local_cohorts *data,
			     const struct sotto_local_map *map,
			     const struct sotto_local_options *options,
			     const struct sotto_local_estimate *estimates, unsigned runs,
			     double *sd, struct sotto_error *err);

/*
 * ---- The files of google/rappor, and our own text of parameters
 *
 * The functions read whole files from memory.  A damaged or foreign file is refused, and
 * err names the line; contents are never shown.
 */

/* params.csv: the header k,h,m,p,q,f and one row. */
struct sotto_local_google {
	uint32_t bits, hashes, cohorts;
	double p, q, f;
};

/* Fails: SOTTO_EPARSE; SOTTO_ERANGE for impossible sizes or probabilities. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_google_params(const char *text, size_t n, struct sotto_local_google *out,
			  struct sotto_error *err);

/*
 * counts.csv: a row per cohort, with its reports and then the ones of each bit.  With fold,
 * there may be a multiple of that many rows; row i is added to cohort i modulo cohorts.  The
 * caller frees both arrays.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_google_counts(const char *text, size_t n, const struct sotto_local_google *params,
			  bool fold, uint64_t **reports, uint64_t **ones,
			  struct sotto_error *err);

struct sotto_local_names {
	char **names; /* each NUL-terminated */
	size_t count;
};

SOTTO_API void sotto_local_names_release(struct sotto_local_names *names);

/*
 * map.csv: a string, then for each cohort and hash the 1-based cell
 * cohort * k + bit + 1, in any order; blank, NA and repeated cells are hashes that
 * collide.  Repeated strings are dropped after the first; the empty string is
 * called Empty.  The caller releases both.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_google_map(const char *text, size_t n, const struct sotto_local_google *params,
		       struct sotto_local_map *map, struct sotto_local_names *names,
		       struct sotto_error *err);

/*
 * reports.csv: a header such as client,cohort,bloom,prr,irr, of which cohort and
 * irr (or rappor, its older name) are read.  The caller frees both arrays.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_google_reports(const char *text, size_t n, const struct sotto_local_google *params,
			   uint64_t **reports, uint64_t **ones, struct sotto_error *err);

/*
 * The parameters of a collection as text: one "name value" per line, # starts a
 * comment.  protocol, then what the protocol needs: size, width, hashes, groups,
 * grain, memoize (yes or no), salt, and either epsilon (second, gamma), or f, p
 * and q (RAPPOR), or truth and yes (rr).  sotto-local(1) has them all.  A
 * params.csv of google/rappor is read too.
 *
 * Fails: SOTTO_EPARSE, SOTTO_EINVAL, SOTTO_ERANGE; err says which line or why.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_params_parse(const char *text, size_t n, struct sotto_client_params *out,
			 struct sotto_error *err);

#endif
