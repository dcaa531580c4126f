/*
 * answer_picked.h - intervals of rows that noise picked
 *
 * Of two hundred groups the one with the greatest noisy count is mostly one whose noise is large.
 */
#ifndef SOTTO_ANSWER_PICKED_H
#define SOTTO_ANSWER_PICKED_H

#include "central/session/answer/answer_work.h"

/* Does noise decide which rows are shown: by HAVING, or by LIMIT after ORDER BY? */
bool sotto_answer_is_picked(const struct sotto_plan *plan);

/*
 * Widens the intervals of the rows that are to be shown, whose cells are filled in the order of w->chosen, so
 * that on average 95 % of those that are shown hold (answer.md).  Only what shares noise with the conditions
 * that pick is widened.  An interval of which no wider one is known is taken away.
 */
void sotto_answer_widen(struct sotto_answer_work *w);

#endif
