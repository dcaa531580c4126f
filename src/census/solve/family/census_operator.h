/*
 * census_operator.h - the matrices P of a family's children, ready for multiplication
 *
 * They are written out if that is small; otherwise by parts: for each set of axes the cells that
 * agree on it are added up, mixed over the places, and distributed again.
 */
#ifndef SOTTO_CENSUS_OPERATOR_H
#define SOTTO_CENSUS_OPERATOR_H

#include "census/solve/family/census_solve.h"

struct sotto_census_operator {
	const struct sotto_census_family *f;
	const struct sotto_census_loops *loops;
	size_t width; /* cells, rounded up to whole vectors */
	size_t kinds; /* number of different kernels */
	uint32_t *kind; /* of each child */
	const double **given; /* the kernel of each kind, as given */
	double *step; /* for each kind: 1 / (at least its largest eigenvalue) */
	double *kernels; /* for each kind, without what the constraints make constant */
	double *matrices; /* for each kind, width x width; NULL: by parts */
	struct sotto_census_parts *parts; /* of each set of axes */
	struct sotto_census_atoms atoms; /* of all sets at once, if there is one place */
	uint32_t *set; /* the set of axes of each of the atoms' sets */
	double *sums; /* of atoms */
	/* By parts: the kernels of four children interleaved; one if all share it. */
	double *mixes;
	double *scratch;
	void *memory;
};

struct sotto_census_operator_options {
	bool settled; /* every group of every child has a fixed total */
	bool by_parts; /* nothing is written out */
};

/* Prepares the matrices.  Pair with _release in any case.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_operator_init(struct sotto_census_operator *o, const struct sotto_census_family *f,
			   const struct sotto_census_loops *loops, size_t width,
			   struct sotto_census_operator_options options);
void sotto_census_operator_release(struct sotto_census_operator *o);

/* Computes out_c = P_c x_c for every child; rows have `width` doubles. */
void sotto_census_operator_apply(const struct sotto_census_operator *o, const double *x,
				 double *out);

/* ---- census_operator_parts_bulk.c ------------------------------------------------------------------------------------ */

/* Returns how many interleaved kernels are kept. */
size_t sotto_census_parts_mixes(const struct sotto_census_operator *o);

/* Numbers the atoms, interleaves the kernels, and sets the steps.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_parts_init(struct sotto_census_operator *o);

/* Computes out = P x for up to four rows, with their kernels interleaved in mix. */
void sotto_census_parts_apply(const struct sotto_census_operator *o, const double *mix,
			      const double *x, size_t rows, double *out);

/* Computes the categories of a cell on the regular axes. */
void sotto_census_digits(const struct sotto_census_schema *s, size_t cell, uint32_t *digits);

#endif
