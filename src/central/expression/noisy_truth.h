/*
 * noisy_truth.h - conditions on noisy values: do they surely hold, or possibly?
 *
 * The numbers behind noisy ones lie between their ends.  A condition on them is sure where it
 * holds for all numbers between the ends, and possible where it holds for some.  Where all the
 * intervals hold their numbers, a sure condition holds for these and an impossible one does not.
 */
#ifndef SOTTO_NOISY_TRUTH_H
#define SOTTO_NOISY_TRUTH_H

#include "central/expression/binder.h"

/* x op y; sets out->sure and out->possible, or neither if they are not known. */
SOTTO_MUST_CHECK enum sotto_status
sotto_truth_compare(struct sotto_binder *b, enum sotto_sql_op op, const struct sotto_bound *x,
		    const struct sotto_bound *y, struct sotto_bound *out);

/* AND, OR or NOT of conditions, of which parts without noise are as sure as they are possible. */
SOTTO_MUST_CHECK enum sotto_status
sotto_truth_logic(struct sotto_binder *b, enum sotto_sql_op op, const struct sotto_bound *parts,
		  size_t count, struct sotto_bound *out);

/* Is it known of the condition where it holds: by its own value, or by what is sure and possible? */
bool sotto_truth_is_known(const struct sotto_bound *x);

/* The condition at its sure or possible end; its value if there is no noise in it. */
const struct sotto_expression *sotto_truth_sure(const struct sotto_bound *x);
const struct sotto_expression *sotto_truth_possible(const struct sotto_bound *x);

#endif
