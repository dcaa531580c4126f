/*
 * collide.h - what it does to an estimate that users of one value share hash functions
 *
 * Rows (or seeds) are drawn; in each of them a value meets another one in a cell with
 * chance 1/columns, and then all its users in the row count for the other one together.
 */
#ifndef SOTTO_COLLIDE_H
#define SOTTO_COLLIDE_H

#include "sotto/decode.h"

struct sotto_collisions {
	double rows, columns;
	double pairs; /* the sum of n_v (n_v - 1) over all values v, also of those not asked about */
};

enum { SOTTO_MEETINGS = 128 };

/* In how many rows one value meets another: the law of it, and how far it goes at an alpha. */
struct sotto_meetings {
	double reach; /* more than the mean, with chance alpha/2 */
	double usual; /* the same of a normal law */
	double beyond; /* the chance of more than the last */
	int count;
	double excess[SOTTO_MEETINGS], chance[SOTTO_MEETINGS]; /* over the mean */
};

struct sotto_meetings sotto_meetings_of(const struct sotto_collisions *x, double alpha);

/*
 * Adds collisions to a pure estimate from so many of n supports.  Of all populations with so many
 * pairs the one in which a single value has them leans most: it bounds how much too high
 * an estimate may be, in low and p_value.  Too low it is by no more than a normal law says.
 */
void sotto_local_estimate_collide(struct sotto_local_estimate *e,
				  const struct sotto_collisions *x,
				  const struct sotto_meetings *m, uint64_t n, uint64_t supports,
				  double p, double q);

#endif
