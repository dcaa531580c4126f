/*
 * answer_range.h - where an expression lies that turns inside the region, followed part by part
 */
#ifndef SOTTO_ANSWER_RANGE_H
#define SOTTO_ANSWER_RANGE_H

#include "central/session/answer/noise_region.h"

/*
 * A range that holds the expression everywhere in a region of few measures where it is a number.
 * Nothing is known (low above high) of a quotient whose divisor may be 0, and of what the table in
 * answer_range.c does not have.
 */
struct sotto_noise_range sotto_noise_range_of(const struct sotto_noise_region *region,
					      struct sotto_answer_work *w,
					      const struct sotto_sql_expr *e);

#endif
