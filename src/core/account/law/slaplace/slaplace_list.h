/*
 * slaplace_list.h - sampled Laplace noise as a list of outcomes
 *
 * Two atoms, and the points of panels that the density is integrated with (slaplace_panels.h).  A list for an order serves
 * all lower ones.
 */
#ifndef SOTTO_SLAPLACE_LIST_H
#define SOTTO_SLAPLACE_LIST_H

#include <stddef.h>

#include "core/account/law/law.h"

struct sotto_slaplace_list {
	double order; /* |s + 1|, at most; less than was asked for if there would be too many panels */
	double laid; /* the order that its panels were laid for */
	size_t n;
	double *loss, *log_mass; /* the atoms first: x = epsilon0 and -epsilon0 */
	double *mass, *gain; /* exp(log_mass), and 1 - exp(-loss) with its sign turned */
};

/* The loss after sampling where it is x before. */
double sotto_slaplace_loss(const struct sotto_law *law, double x);

/* Panels begin where the loss hardly changes: x there over epsilon0. */
static inline double sotto_slaplace_start(const struct sotto_law *law)
{
	return law->direction == SOTTO_REMOVE ? -1 : 1;
}

/* Makes the list for an order.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_slaplace_list_new(const struct sotto_law *law,
							   double order,
							   struct sotto_slaplace_list **out);
void sotto_slaplace_list_free(struct sotto_slaplace_list *l);

/*
 * K, K' and K'' of one event at a real s + 1 within the order.  *size bounds the rounding error of K in units u; the
 * others are rough.
 */
void sotto_slaplace_list_sum(const struct sotto_slaplace_list *l, const struct sotto_law *law,
			     double s, double k[3], double *size);

/* One of many laws keeps a list for the orders that sums on the real line want most.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_slaplace_keep_list(struct sotto_law *law);

#endif
