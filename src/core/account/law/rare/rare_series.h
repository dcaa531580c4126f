/*
 * rare_series.h - the sum of many log(1 + sum of w exp(it gap)), as a list of weights and gaps (rare.md)
 */
#ifndef SOTTO_RARE_SERIES_H
#define SOTTO_RARE_SERIES_H

#include <stddef.h>

#include "core/account/integral/compensated_sum.h"
#include "sotto/status.h"

struct sotto_rare_series {
	double least; /* terms that weigh less are left out; set before the first law */
	size_t most; /* terms of one law */
	double *gap, *weight; /* of either sign */
	size_t n, room;
	struct sotto_sum sum; /* of all weights */
	double size; /* of their sizes, rounded up */
	double left_out; /* what else there is, in size */
};

/*
 * Adds count times the logarithm of a law with n outcomes, whose weights sum to sum < 1.  Fails: SOTTO_ENOMEM; SOTTO_EREFUSED if that were too many
 * terms, and the list is as before.
 */
enum sotto_status sotto_rare_series_add(struct sotto_rare_series *s, const double *gap,
					const double *weight, size_t n, double sum,
					double count);
/* Adds one term.  Fails the same way. */
enum sotto_status
sotto_rare_series_push(struct sotto_rare_series *s, double gap, double weight);

void sotto_rare_series_release(struct sotto_rare_series *s);

#endif
