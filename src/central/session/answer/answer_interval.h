/*
 * answer_interval.h - the 95 % interval of a noisy number: how far the noise can have moved it
 *
 * The widths are the errors that the mechanism states for its noise; answer.md says what they
 * guarantee.
 */
#ifndef SOTTO_ANSWER_INTERVAL_H
#define SOTTO_ANSWER_INTERVAL_H

#include "central/session/answer/answer_work.h"

/*
 * Computes the interval of the output e of a row with this value.  Writes nothing if no measure
 * can be moved, or if the extremes cannot be found (answer_box.h).
 */
void sotto_interval_of_number(struct sotto_answer_work *w, size_t row,
			      const struct sotto_sql_expr *e, double value,
			      struct sotto_value *low, struct sotto_value *high);

/* Does the same for a date or timestamp; both ends have the same type. */
void sotto_interval_of_moment(struct sotto_answer_work *w, size_t row,
			      const struct sotto_sql_expr *e, struct sotto_value *low,
			      struct sotto_value *high);

#endif
