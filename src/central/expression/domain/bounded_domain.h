/*
 * bounded_domain.h - whole numbers and days between declared bounds, as public values
 *
 * age in [0, 110] has 111 values whether or not the policy lists them.  What lies outside
 * goes to the nearest of them (sensitivity.md, 4).
 */
#ifndef SOTTO_BOUNDED_DOMAIN_H
#define SOTTO_BOUNDED_DOMAIN_H

#include "central/expression/binder.h"

/*
 * With more values between bounds, keys are private.  A key that is computed may be computed
 * from a column that has more of them: of 33,000 days there are 1,100 months.
 */
enum { SOTTO_BOUNDED_MAX = 10000, SOTTO_COMPUTED_MAX = 100000 };

/*
 * How many values there are between the bounds of a whole number or a date; days: a
 * timestamp counts as its day.  0: it has no bounds, or there are more than most.
 */
int64_t sotto_bounded_count(const struct sotto_bound *x, bool days, int64_t most);

/* Those values, and NULL if x may be that. */
SOTTO_MUST_CHECK enum sotto_status sotto_bounded_domain(struct sotto_arena *a,
							const struct sotto_bound *x, bool days,
							const struct sotto_domain **out);

/* x, and the nearest bound where it lies outside.  NULL stays NULL, a NaN is one. */
const struct sotto_expression *
sotto_bounded_value(struct sotto_arena *a, const struct sotto_bound *x);

#endif
