/*
 * output_date.h - computing with dates that aggregates choose
 */
#ifndef SOTTO_OUTPUT_DATE_H
#define SOTTO_OUTPUT_DATE_H

#include "central/plan/plan.h"

/*
 * A rewritten expression becomes one over numbers where it is the time between two chosen
 * dates: MAX(d) - MIN(d) and date_diff('day', MIN(d), MAX(d)) in days, and
 * EXTRACT(EPOCH FROM MAX(t) - MIN(t)) in seconds.  Anything else with such a date is refused.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_output_span(struct sotto_plan *plan, struct sotto_binder *b, struct sotto_sql_expr *e);

/* Is it the seconds or the days between two moments, whatever these are? */
bool sotto_output_is_span(const struct sotto_sql_expr *e);

/* Is it a date that was chosen, or the day of a chosen timestamp? */
bool sotto_output_is_moment(const struct sotto_sql_expr *e);

#endif
