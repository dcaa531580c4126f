/*
 * laplace_draws.h - inside this folder: all draws of Laplace noise at once
 *
 * With losses in units of epsilon the law of n draws is e^((x-n) epsilon/2) times a measure with atoms at n, n-2, ..., -n and a polynomial of degree n - 1
 * between each two of these, here by its Bernstein coefficients, which are positive (outcomes.md).
 */
#ifndef SOTTO_LAPLACE_DRAWS_H
#define SOTTO_LAPLACE_DRAWS_H

#include <stddef.h>

#include "sotto/status.h"

enum { SOTTO_LAPLACE_DRAWS_MAX = 16 };

struct sotto_laplace_draws {
	double a; /* epsilon of one draw */
	size_t n;
	double atom[SOTTO_LAPLACE_DRAWS_MAX + 1]; /* at n - 2j */
	/* The polynomial below atom j; the first coefficient is its value at the lower end. */
	double bernstein[SOTTO_LAPLACE_DRAWS_MAX][SOTTO_LAPLACE_DRAWS_MAX];
};

/* n draws, from 1 to the most. */
void sotto_laplace_draws_of(struct sotto_laplace_draws *d, double a, size_t n);

/* The polynomial below atom j, x from 0 at its lower end to 1 at its upper one; good to a relative 8n u. */
double sotto_laplace_draws_at(const struct sotto_laplace_draws *d, size_t j, double x);

#endif
