/*
 * clone_rule.h - wide steps for a sum over outcomes of the clone pair, and what they are wrong by (clone_points.md)
 */
#ifndef SOTTO_CLONE_RULE_H
#define SOTTO_CLONE_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/law/clones/clone_pair.h"

/* The middles of n steps, from the edge on; the error of the sum, relative to M(c), with what lies beyond the edges. */
struct sotto_clone_rule {
	double edge, step, error;
	size_t n;
};

/* What the points are for, and -log of what they may be wrong by. */
struct sotto_clone_order {
	double c, t, digits;
};

#define SOTTO_CLONE_DIGITS 34.0
#define SOTTO_CLONE_DIGITS_OF_MANY 31.0

/*
 * For the difference d between the two numbers of reports that sum to n, for all n from few to most: places in pairs d and -d.  False if the
 * window would leave no room.
 */
bool sotto_clone_rule_difference(const struct sotto_clone_pair *p,
				 const struct sotto_clone_order *order, double few, double most,
				 struct sotto_clone_rule *out);

/*
 * For the number of clones, beside the differences of a rule; what the edges add is left to the caller, a reach times the
 * sum at each edge.  False as above.
 */
bool sotto_clone_rule_clones(const struct sotto_clone_pair *p,
			     const struct sotto_clone_order *order,
			     const struct sotto_clone_rule *difference, double few, double most,
			     struct sotto_clone_rule *out, double *reach);

/* -log of what may be left out on each side. */
static inline double sotto_clone_tail(const struct sotto_clone_order *order)
{
	return order->digits + 2;
}

/* Clones that count, fewest and most: others add about exp(-tail) to M(c) on either side. */
void sotto_clone_window(const struct sotto_clone_pair *p, const struct sotto_clone_order *order,
			double *fewest, double *most);

/* log of a bound of M(c) given n reports. */
double sotto_clone_log_given_up(const struct sotto_clone_pair *p, double c, double n);

/* log of a bound of E[e^(c loss)] given n reports where the loss is above a given one. */
double
sotto_clone_log_beyond(const struct sotto_clone_pair *p, double c, double n, double loss);

/* What the numbers of clones outside the window add to M(c), relative to it. */
double
sotto_clone_outside(const struct sotto_clone_pair *p, double c, double fewest, double most);

#endif
