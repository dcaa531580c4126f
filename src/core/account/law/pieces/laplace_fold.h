/*
 * laplace_fold.h - the loss of a few equal draws of Laplace noise: atoms, and a density that is piecewise polynomial
 *
 * With losses in units of epsilon the law of n draws is e^((x-n) epsilon/2) times a measure with atoms at n, n-2, ..., -n and between each
 * two of these a polynomial (law_pieces.md).
 */
#ifndef SOTTO_LAPLACE_FOLD_H
#define SOTTO_LAPLACE_FOLD_H

#include <stdbool.h>
#include <stddef.h>

enum { SOTTO_FOLD_MAX = 8 };

/* The epsilons that the bounds were made for. */
#define SOTTO_FOLD_EPSILON 8.0

struct sotto_laplace_fold {
	double a; /* epsilon of one draw */
	size_t n;
	double atom[SOTTO_FOLD_MAX + 1]; /* P-mass at (n - 2j) a */
	/* Below atom j: the density in units of a is their sum of power[j][i] u^i times e^((loss - n a)/2), u from -1 to 1. */
	double power[SOTTO_FOLD_MAX][SOTTO_FOLD_MAX];
	double mass_p[SOTTO_FOLD_MAX], mass_q[SOTTO_FOLD_MAX]; /* of each stretch */
	double growth; /* a polynomial within 2.2 of the middle, over its least value */
	double most, variation; /* of all polynomials */
	double bend; /* an eighth of their second derivatives, over their least values */
};

/* n draws, at least 1 and at most SOTTO_FOLD_MAX. */
void sotto_laplace_fold_of(struct sotto_laplace_fold *f, double a, size_t n);

/* P- and Q-mass of the losses above x. */
void sotto_laplace_fold_tails(const struct sotto_laplace_fold *f, double x, double *p,
			      double *q);

/* The place of atom j, and the polynomial at x, which is no such place, divided by a. */
double sotto_laplace_fold_place(const struct sotto_laplace_fold *f, size_t j);
double sotto_laplace_fold_polynomial(const struct sotto_laplace_fold *f, double x);

#endif
