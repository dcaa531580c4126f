/*
 * oracle_law.h - privacy losses as plain lists of atoms, in many digits
 *
 * Written from the definitions, for tests of the accountant; slow and simple.  A law
 * is that of L = log P/Q under P.  Continuous laws are lists too: the nodes and
 * weights of a quadrature that is exact to far more digits than a double has, as long
 * as what is summed over them is smooth.
 */
#ifndef SOTTO_TESTS_ORACLE_LAW_H
#define SOTTO_TESTS_ORACLE_LAW_H

#include <gmp.h>
#include <mpfr.h>
#include <stddef.h>

#include "testlib/accountant/accounting.h"

enum { ORACLE_BITS = 192 };

struct law {
	size_t n;
	mpfr_t *loss, *mass; /* mass under P */
	mpfr_t only_p, only_q; /* of outcomes that the other one never has */
};

/* Room for n atoms. */
void law_make(struct law *l, size_t n);
void law_release(struct law *l);

/* One outcome of loss 0: what nothing at all reveals. */
void law_nothing(struct law *l);

void law_approx(struct law *l, mpq_srcptr epsilon, mpq_srcptr delta);
void law_response(struct law *l, mpq_srcptr epsilon, unsigned k);
void law_geometric(struct law *l, mpq_srcptr epsilon, unsigned sensitivity);
void law_discrete_gaussian(struct law *l, mpq_srcptr sigma, unsigned sensitivity);
/* The clone pair of n users with local epsilon; each clone has probability p. */
void law_shuffle(struct law *l, mpq_srcptr epsilon, unsigned n, bool binary);

/* Quadratures. */
void law_gaussian(struct law *l, mpq_srcptr sigma);
void law_laplaces(struct law *l, mpq_srcptr epsilon, unsigned k);

/* The same mechanism on a Poisson sample; the law stays that of its direction. */
void law_sample(struct law *l, mpq_srcptr rate, enum direction direction);

/* The least law that dominates both: the larger of two curves.  Finite laws only. */
void law_worst(struct law *l, const struct law *other);

/* One after the other, k times. */
void law_compose(struct law *l, const struct law *other, unsigned k);

#endif
