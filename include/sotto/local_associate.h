/*
 * sotto/local_associate.h - joint distributions of two or three RAPPOR metrics
 *
 * Each user reports all variables in one cohort.  The joint distribution over
 * candidates is the maximum of the likelihood, found by expectation
 * maximization over distinct reports (so that the number of users leaves the
 * cost).  Argument: src/local/associate.md.
 */
#ifndef SOTTO_LOCAL_ASSOCIATE_H
#define SOTTO_LOCAL_ASSOCIATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/error.h"
#include "sotto/local_rappor.h"

#define SOTTO_LOCAL_VARIABLES_MAX 3

/* One metric: bits of a report, rates, and which bits each candidate sets.  Borrowed. */
struct sotto_local_variable {
	uint32_t bits; /* at most 64 */
	double p, q; /* p* and q* */
	const struct sotto_local_map *map;
	bool other; /* one more category: none of the candidates */
};

/* One user: the cohort, and the reported bits of each variable (bit i in bit i). */
struct sotto_local_joint_report {
	uint32_t cohort;
	uint64_t bits[SOTTO_LOCAL_VARIABLES_MAX];
};

/* Cells run over the last variable fastest; "other" is the last category of its variable. */
struct sotto_local_joint {
	size_t cells;
	double *share;
	double *sd;
	double log_likelihood;
	double chi_square,
		degrees; /* likelihood ratio test that the variables are independent */
	double independence_p; /* of a chi_square as great, if they are */
	unsigned iterations;
	bool settled; /* no share moved any more; else the limit of iterations was reached */
	size_t distinct; /* reports after folding */
};

SOTTO_API void sotto_local_joint_release(struct sotto_local_joint *j);

/*
 * reports is sorted in place; at most so many iterations of each maximization.
 *
 * Fails: SOTTO_EINVAL for no reports, a cohort or bits outside the maps, or one
 *        variable; SOTTO_ERANGE past 4096 cells; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_associate(const struct sotto_local_variable *variables, size_t count,
		      struct sotto_local_joint_report *reports, size_t n, unsigned most,
		      struct sotto_local_joint *out, struct sotto_error *err);

/* Expectation maximization stops when no share moves by so much. */
#define SOTTO_LOCAL_EM_CHANGE 1e-6

/*
 * The bare maximization: rows of likelihoods, one number per cell; from equal shares,
 * at most so many iterations.  *settled says whether they were enough.
 *
 * Fails: SOTTO_EINVAL without rows or cells, or for a row that is negative, not
 *        finite or all zero; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_em(double *likelihood, size_t rows, size_t cells, unsigned most, double *share,
	       unsigned *iterations, bool *settled);

#endif
