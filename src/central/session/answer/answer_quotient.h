/*
 * answer_quotient.h - intervals of averages, ratios, sums and differences of two measures
 */
#ifndef SOTTO_ANSWER_QUOTIENT_H
#define SOTTO_ANSWER_QUOTIENT_H

#include "central/session/answer/noise_region.h"

/*
 * The 95 % interval of an output that is a quotient of two linear forms of two measures (answer.md).
 * False if it is none, or if its divisor may be 0: nothing is then written.
 */
bool sotto_quotient_interval(const struct sotto_answer_work *w,
			     const struct sotto_noise_region *region,
			     const struct sotto_sql_expr *e, double *low, double *high);

#endif
