/*
 * em.h - expectation maximization over a finite table of likelihoods
 */
#ifndef SOTTO_EM_H
#define SOTTO_EM_H

#include <stddef.h>

#include "sotto/discover.h"

/*
 * A cell is one category of each part, the last part fastest, and its likelihood in
 * a row the product of theirs: rows hold the parts, never all cells.
 */
struct sotto_em {
	size_t rows, cells;
	size_t parts, sizes[SOTTO_LOCAL_VARIABLES_MAX]; /* their product is cells */
	double *likelihood; /* row by row, part by part; up to a factor of the row */
	double *weight; /* users per row */
	double *row; /* scratch: a number per cell */
	double users; /* sum of the weights */
};

/* The likelihoods of row i, a number per cell; valid until the next call. */
const double *sotto_em_row(const struct sotto_em *em, size_t i);

/* next = expected share of each cell.  Returns the log-likelihood at share. */
double sotto_em_step(const struct sotto_em *em, const double *share, double *next);

#endif
