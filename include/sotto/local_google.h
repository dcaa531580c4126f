/*
 * sotto/local_google.h - the files of google/rappor, and our own text of parameters
 *
 * Readers take whole files from memory.  A damaged or foreign file is refused
 * with the line it is wrong in; contents are never shown.
 */
#ifndef SOTTO_LOCAL_GOOGLE_H
#define SOTTO_LOCAL_GOOGLE_H

#include "sotto/client.h"
#include "sotto/error.h"
#include "sotto/local_rappor.h"
#include "sotto/rational.h"

/* params.csv: the header k,h,m,p,q,f and one row. */
struct sotto_local_google {
	uint32_t bits, hashes, cohorts;
	double p, q, f;
};

/* Fails: SOTTO_EPARSE; SOTTO_ERANGE for sizes or probabilities that cannot be. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_google_params(const char *text, size_t n, struct sotto_local_google *out,
			  struct sotto_error *err);

/*
 * counts.csv: a row per cohort, reports then ones per bit.  With fold, a multiple
 * of that many rows is added to row modulo cohorts.  The caller frees both arrays.
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
