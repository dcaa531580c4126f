/*
 * sgauss_block.h - inside this folder: the complex atoms of a sampled Gaussian's rule at blocks of nodes (sample.md)
 */
#ifndef SOTTO_SGAUSS_BLOCK_H
#define SOTTO_SGAUSS_BLOCK_H

#include <stddef.h>

#include "core/account/law/law.h"

/* The most terms of a polynomial in t. */
enum { SOTTO_SGAUSS_TERMS = 26 };

/*
 * Atoms in the order of Re z.  Those of small losses come first, as far as there are any: together they are a polynomial in t, made for
 * t up to 1/reach.
 */
struct sotto_sgauss_atoms {
	size_t n;
	double *lr, *li; /* losses; li >= 0: no atom grows with t */
	double *wr, *wi; /* weights, which sum to 1 */
	double *size; /* their absolute values */
	double *wrong; /* what each is wrong by, relative to itself */
	double *turn_r, *turn_i; /* exp(i h loss), once there is an h */
	double h; /* 0 if there is none */
	double least; /* an atom that adds less is left out, and charged */
	/* the polynomial: sum of (re + i im)[k] x^(k+1), x = t reach */
	size_t near; /* atoms in it */
	int terms;
	double reach;
	double re[SOTTO_SGAUSS_TERMS], im[SOTTO_SGAUSS_TERMS];
	double near_error; /* what it is wrong by, at most, for each t reach <= 1 */
	double far_error; /* and what all other atoms are */
	size_t last; /* of these, those up to it are not faded at t >= faded */
	double faded;
};

/* Room for n atoms.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sgauss_atoms_init(struct sotto_sgauss_atoms *a, size_t n, double least);
void sotto_sgauss_atoms_release(struct sotto_sgauss_atoms *a);

/*
 * Adds the sum of weight (exp(i t loss) - 1) at each node of the block.  Returns a bound of what that is wrong by because of rounding, of errors
 * of the weights, and of what is left out; errors of losses are the caller's.
 */
double sotto_sgauss_atoms_add(struct sotto_sgauss_atoms *a, const struct sotto_block *b,
			      double *dr, double *di);

/* How many steps (work.h) that takes for a block. */
double
sotto_sgauss_atoms_steps(const struct sotto_sgauss_atoms *a, const struct sotto_block *b);

#endif
