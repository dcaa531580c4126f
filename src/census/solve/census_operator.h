/*
 * census_operator.h - the matrices P of a family's children, ready to be multiplied by
 *
 * Written out where that is small; else by parts: for each set of axes the cells that agree on
 * it are added up, mixed over the places, and handed back.
 */
#ifndef SOTTO_CENSUS_OPERATOR_H
#define SOTTO_CENSUS_OPERATOR_H

#include "census/solve/census_solve.h"

/* The cells that agree on a set of axes and on their place are one atom of that set. */
struct sotto_census_parts {
	uint32_t *atom; /* of each cell */
	uint32_t *start; /* of each part: its first atom; then the number of atoms */
	uint32_t *place; /* of each atom */
	size_t count; /* of parts */
	bool empty; /* no child's kernel has anything here */
};

struct sotto_census_operator {
	const struct sotto_census_family *f;
	const struct sotto_census_loops *loops;
	size_t width; /* cells, rounded up to whole vectors */
	size_t kinds; /* of kernels */
	uint32_t *kind; /* of each child */
	const double **given; /* the kernel of each kind, as given */
	double *step; /* of each kind: 1 / (at least its largest eigenvalue) */
	double *kernels; /* of each kind, without what the constraints make constant */
	double *matrices; /* of each kind, width x width; NULL: by parts */
	struct sotto_census_parts *parts;
	double *scratch;
	void *memory;
};

/*
 * `settled`: every group of every child has a fixed total.  Pair with _release in any case.
 * Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_operator_init(struct sotto_census_operator *o, const struct sotto_census_family *f,
			   const struct sotto_census_loops *loops, size_t width, bool settled);
void sotto_census_operator_release(struct sotto_census_operator *o);

/* out_c = P_c x_c for every child; rows of `width` doubles. */
void sotto_census_operator_apply(const struct sotto_census_operator *o, const double *x,
				 double *out);

#endif
