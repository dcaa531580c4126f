/*
 * law_clones.h - how many clones hide a shuffled report, with what probability (shuffle_curve.md)
 */
#ifndef SOTTO_LAW_CLONES_H
#define SOTTO_LAW_CLONES_H

#include <stddef.h>

#include "sotto/account.h"
#include "sotto/status.h"

struct sotto_clones {
	double users; /* others than the one who changes */
	double p; /* that one of them is a clone */
	double a, b; /* e^e0/(1+e^e0) and 1 minus that */
	double reach; /* standard deviations that are kept */
	double low, high; /* the fewest and the most clones kept */
	double *mass; /* of low, low + 1, ... clones; they sum to 1 */
	size_t count;
};

/*
 * Without masses yet.  Of more users the most are counted: the others only help.  Clones beyond what is
 * kept have a probability of at most 4 exp(-tail).
 */
struct sotto_clones sotto_clones_of(const struct sotto_event *e, double most, double tail);

/*
 * The masses, each good to 4 u count of itself before they are made to sum to 1.  Release them with free().
 * Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_clones_weigh(struct sotto_clones *s);

#endif
