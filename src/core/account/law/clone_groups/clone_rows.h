/*
 * clone_rows.h - the outcomes of a clone pair in the order of their losses, for the hull of a group's curve
 *
 * For each number of clones the outcomes are a row; rows interleave (clone_group.md).
 */
#ifndef SOTTO_CLONE_ROWS_H
#define SOTTO_CLONE_ROWS_H

#include <stddef.h>

#include "core/account/law/clones/clone_pair.h"
#include "sotto/status.h"

/*
 * Outcomes with a difference d >= 0 of n reports: v = d/n, each value once, growing; and their P-masses, of which that of v = 0 is a half.  The others
 * have -v (clone_points.h).
 */
struct sotto_clone_rows {
	double *v, *mass; /* one allocation: free v */
	size_t n;
	double error; /* of a mass, relative */
	double left_out; /* sum of P-mass times k y^(k-1) over what is not listed, at most, y = e^loss */
};

/* How many outcomes will be listed for k people, roughly. */
double sotto_clone_rows_estimate(const struct sotto_clone_pair *p, double k);

/* Lists them.  Fails: SOTTO_EREFUSED if they are more than the most; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_clone_rows_of(const struct sotto_clone_pair *p,
						       double k, size_t most,
						       struct sotto_clone_rows *out);

#endif
