/*
 * group_choice.h - the best groups by one measure, chosen by noisy max
 *
 * Choosing k groups costs epsilon with noise that grows with k, whatever number of groups
 * there are and a unit is in; noise on all measures grows with the groups that a unit is
 * in, whatever k is.
 */
#ifndef SOTTO_GROUP_CHOICE_H
#define SOTTO_GROUP_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/cost.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"
#include "sotto/noise.h"

struct sotto_group_choice {
	int64_t count; /* of groups that are asked for; 0: something else is asked for */
	size_t measure; /* whose values order the groups, and are not shown */
	bool least; /* those with the smallest values */
	bool monotone; /* a unit moves all values up, or none */
	double group_count; /* how many groups there can be, if that is known */

	/* the price */
	bool chosen; /* by noisy max; the measure has no noise of its own */
	struct sotto_rational *epsilon; /* of the choice */
	int64_t moved; /* by one unit, of any one value */
	double error95; /* steps */
};

/*
 * Decides between noisy max and noise on every group's measure, which would err by
 * `other`, in what one unit moves; charges noisy max if it is chosen.
 *
 * Privacy:  epsilon-DP if one unit moves each value by at most `moved`.
 * Fails:    SOTTO_ERANGE if the noise cannot be drawn.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_group_choice_price(struct sotto_group_choice *c, int64_t moved,
			 const struct sotto_rational *epsilon, double other,
			 struct sotto_cost *cost);

/*
 * Chooses among n groups, whose order does not depend on data: places of the best first,
 * *count of them.
 *
 * Fails:    SOTTO_EENTROPY, SOTTO_ENOMEM, SOTTO_ERANGE; nothing may be answered.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_group_choice_publish(const struct sotto_group_choice *c, struct sotto_rng *rng,
			   const struct sotto_exact *scores, size_t n, size_t *places,
			   size_t *count);

#endif
