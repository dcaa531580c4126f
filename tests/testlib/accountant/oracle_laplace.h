/*
 * oracle_laplace.h - the loss of k equal Laplace events, exactly
 *
 * The law is e^((x - k e)/2) times the k-fold convolution of 1/2 at e, 1/2 at -e and
 * 1/4 dx between: atoms at (2i - k) e, and between neighbours of these a polynomial,
 * whose coefficients are kept as fractions (Irwin and Hall).
 */
#ifndef SOTTO_TESTS_ORACLE_LAPLACE_H
#define SOTTO_TESTS_ORACLE_LAPLACE_H

#include "testlib/accountant/oracle_law.h"

struct laplaces {
	unsigned k;
	mpq_t e;
	mpq_t *coefficient; /* of panel j and power i at j k + i, from the panel's left end */
};

void laplaces_init(struct laplaces *s, mpq_srcptr epsilon, unsigned k);
void laplaces_release(struct laplaces *s);

/*
 * Atoms, and quadrature nodes of the density above from (NULL: all of it).  What is summed
 * over the nodes may have a kink at from.
 */
void laplaces_nodes(const struct laplaces *s, const mpfr_t from, struct law *l);

#endif
