/*
 * census_loops.h - the inner loops of the non-negative optimum, for this processor
 *
 * Rows are children, columns are cells, `width` is the number of columns rounded up to
 * SOTTO_CENSUS_LANES; entries beyond a family's cells are -infinity in u and 0 elsewhere.  Every
 * version does the same operations in the same order: results are equal to the last bit.
 */
#ifndef SOTTO_CENSUS_LOOPS_H
#define SOTTO_CENSUS_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOTTO_CENSUS_LANES = 4 };

/* A row, or a part of one: the cells are max(0, u + shift + step column). */
struct sotto_census_row {
	const double *u, *column;
	double shift, step;
	size_t n;
};

/* Cells that agree on a set of axes and on their place form one atom of that set. */
struct sotto_census_parts {
	uint32_t *atom; /* of each cell */
	uint32_t *start; /* of each part: its first atom; then the number of atoms */
	uint32_t *place; /* of each atom */
	size_t count; /* of parts */
	bool empty; /* no child's kernel has an entry here */
};

/* The same if there is one place: an atom is a part, and all sets are processed at once. */
struct sotto_census_atoms {
	uint32_t *atom; /* of each cell, set by set; atoms are numbered across all sets */
	size_t sets; /* with a kernel; without the set that distinguishes all cells */
	uint32_t *start; /* of each set: its first atom; then the number of atoms */
};

struct sotto_census_loops {
	/* Adds up over rows max(0, u + step column), and the steps of the cells above 0. */
	void (*add_columns)(const double *u, const double *step, const double *column,
			    size_t rows, size_t width, double *sum, double *slope);
	/* Does the same over the cells of one row. */
	void (*add_row)(const struct sotto_census_row *row, double *sum, double *slope);
	/* Computes x = max(0, u + shift + step column). */
	void (*cut)(const struct sotto_census_row *row, double *x);
	/* Computes out = x matrix, where the matrix is width x width and `cells` rows count. */
	void (*multiply)(const double *matrix, size_t cells, size_t width, const double *x,
			 size_t rows, double *out);
	/*
	 * Processes four rows at a time: x and out are cells x 4, mix is places x places x 4.
	 * Adds up the cells of each atom, mixes the atoms of each part, and adds the result to
	 * the cells of out.  scratch has 8 doubles for each cell.
	 */
	void (*add_parts)(const struct sotto_census_parts *parts, size_t cells, size_t places,
			  const double *mix, const double *x, double *scratch, double *out);
	/*
	 * Computes out = x times the matrix; x and out are cells x 4, sums has 4 doubles for each
	 * atom; the weights of each set, then of single cells, are 4 each.
	 */
	void (*mix_atoms)(const struct sotto_census_atoms *atoms, const double *weight,
			  size_t cells, const double *x, double *sums, double *out);
	/* Computes u = from - step (gradient - h). */
	void (*descend)(const double *from, const double *gradient, const double *h,
			double step, size_t n, double *u);
	/* Computes the largest |x - last|, and the sum of (ahead - x)(x - last). */
	void (*compare)(const double *x, const double *last, const double *ahead, size_t n,
			double *change, double *turn);
	/* Computes ahead = x + weight (x - last). */
	void (*lead)(const double *x, const double *last, double weight, size_t n,
		     double *ahead);
};

extern const struct sotto_census_loops sotto_census_loops_portable;
#if defined(__x86_64__)
extern const struct sotto_census_loops sotto_census_loops_avx2;
#endif

const struct sotto_census_loops *sotto_census_loops_choose(void);

#endif
