/*
 * answer_range.h - bounds an expression that turns inside the region, part by part
 */
#ifndef SOTTO_ANSWER_RANGE_H
#define SOTTO_ANSWER_RANGE_H

#include "central/session/answer/noise_region.h"

/*
 * Returns a range that contains the expression wherever it is a number, in a region of few measures.
 * Nothing is known (low above high) about a quotient whose divisor may be 0, and about functions
 * that the table in answer_range.c does not have.
 */
struct sotto_noise_range sotto_noise_range_of(const struct sotto_noise_region *region,
					      struct sotto_answer_work *w,
					      const struct sotto_sql_expr *e);

#endif
