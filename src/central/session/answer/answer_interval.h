/*
 * answer_interval.h - the 95 % interval of a noisy number: how far the noise can have moved it
 *
 * The widths are the errors that the mechanism states for its noise; answer.md says what they
 * guarantee.
 */
#ifndef SOTTO_ANSWER_INTERVAL_H
#define SOTTO_ANSWER_INTERVAL_H

#include "central/session/answer/answer_work.h"

/* Of the output e of a row, whose value is given.  Nothing is written if nothing can be moved,
 * or if its extremes cannot be told (noise_region.h). */
void sotto_interval_of_number(struct sotto_answer_work *w, size_t row,
			      const struct sotto_sql_expr *e, double value,
			      struct sotto_value *low, struct sotto_value *high);

/* Does the same for a date or timestamp; both ends have the same type. */
void sotto_interval_of_moment(struct sotto_answer_work *w, size_t row,
			      const struct sotto_sql_expr *e, struct sotto_value *low,
			      struct sotto_value *high);

#endif
