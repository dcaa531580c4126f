/*
 * law_group_inside.h - the law of a group in sampled Gaussian noise, for law_group.c and the files that it is made of
 */
#ifndef SOTTO_LAW_GROUP_INSIDE_H
#define SOTTO_LAW_GROUP_INSIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/integral/complex.h"
#include "core/account/law/law.h"
#include "core/account/law/law_sgauss.h"
#include "core/account/law/sgauss_cumulants.h"

enum { SOTTO_GROUP_PEOPLE_MAX = 8 };

/* The law of the inner event; law has the same parameters. */
static inline struct sotto_law sotto_group_inner(const struct sotto_law *law)
{
	struct sotto_law one = *law;

	one.class = &sotto_law_sampled_gaussian;
	one.count = 1;
	return one;
}

/* The highest order at which the inner M counts. */
static inline double sotto_group_order(const struct sotto_law *law, double s)
{
	double k = (double)law->people;

	return k * s + k - 1;
}

/* Whether K is a sum over the list there. */
static inline bool sotto_group_is_listed(const struct sotto_law *law, double s)
{
	return law->loss && sotto_group_order(law, s) <= SOTTO_SGAUSS_LISTED_REACH;
}

/* k s(s+1)/((ks+j)(ks+j+1)): at most 1 in size, and of sum 1 over j */
static inline struct cx sotto_group_share(double k, double j, struct cx s)
{
	struct cx a = cx_of(k * s.re + j, k * s.im), b = cx_of(a.re + 1, a.im);
	struct cx top = cx_mul(cx_scale(s, k), cx_of(s.re + 1, s.im));

	return cx_div(top, cx_mul(a, b));
}

/* As the class's (law.h). */
void sotto_group_cumulants(const struct sotto_law *law, double s, double k[3]);
double sotto_group_terms(const struct sotto_law *law, double s);

/* A few real losses, times k, that stand for all points at |t| up to one: weights for each order, over a number of which log_m is the logarithm. */
struct sotto_group_near {
	double *loss; /* one allocation with the weights: free loss */
	double *weight[SOTTO_GROUP_PEOPLE_MAX];
	double whole[SOTTO_GROUP_PEOPLE_MAX]; /* their sums */
	size_t n; /* 0 if there are none */
	double t, error, by_t; /* what the sums are wrong by, and for each unit of t */
	double rule, growth; /* and rule e^(growth t) */
};

/* Lists are made to so many digits, or to fewer where they would be long: then there are no such losses. */
#define SOTTO_GROUP_DIGITS 33.0

/* For at least this t, and farther where that takes no more losses.  None where the law has no list for that order.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_group_near_of(const struct sotto_law *law, double c,
						       double t, double log_m,
						       struct sotto_group_near *out);

/* Sums of weights times exp(i t loss) - 1 at the nodes of a block, one for each order. */
void sotto_group_near_sum(const struct sotto_law *law, const struct sotto_group_near *near,
			  const struct sotto_block *b,
			  struct cx sums[SOTTO_GROUP_PEOPLE_MAX][SOTTO_BLOCK]);

#endif
