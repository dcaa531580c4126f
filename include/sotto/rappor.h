/*
 * sotto/rappor.h - RAPPOR: which strings explain the bit counts, and the files of
 * google/rappor
 */
#ifndef SOTTO_RAPPOR_H
#define SOTTO_RAPPOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/client.h"
#include "sotto/collect.h"
#include "sotto/decode.h"
#include "sotto/rational.h"
#include "sotto/status.h"

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
 *        or there are no reports; SOTTO_ENOMEM.
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
 * sd has one number per candidate: the root mean square error of its count,
 * for the target in options; options->seed makes it repeatable.
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
