/*
 * answer_stretch.h - how much wider the intervals of an answer are if all of them are to hold
 */
#ifndef SOTTO_ANSWER_STRETCH_H
#define SOTTO_ANSWER_STRETCH_H

#include <stddef.h>

struct sotto_plan;
struct sotto_sql_expr;

/*
 * Returns the factor by which all intervals of an answer with so many noisy numbers are stretched, so
 * that they hold together with 95 %; 0 if no factor does: an interval of width 0 that is not wide
 * enough, or one of a quantile, whose ends were chosen and not computed.
 */
double sotto_answer_stretch(const struct sotto_plan *plan, size_t numbers);

/* The same for one output; 0 too if it reads anything else than measures. */
double sotto_output_stretch(const struct sotto_plan *plan, const struct sotto_sql_expr *e,
			    size_t numbers);

#endif
