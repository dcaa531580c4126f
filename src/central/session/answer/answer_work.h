/*
 * answer_work.h - the state of computing an answer row by row
 */
#ifndef SOTTO_ANSWER_WORK_H
#define SOTTO_ANSWER_WORK_H

#include "central/session/answer/answer_inside.h"
#include "central/session/answer/evaluate.h"

/* The state of computing one row after another. */
struct sotto_answer_work {
	struct sotto_answer_owned *owned;
	const struct sotto_plan *plan;
	const struct sotto_release *release;
	struct sotto_value *aggregates,
		*moved; /* of the row as it is, and with one measure moved */
	double *shift;
	size_t *chosen; /* rows of the release that are shown, in order */
	size_t chosen_count;
};

/*
 * Removes the digits that arithmetic on doubles adds at the end of a noisy number: 25493.85, not
 * 25493.850000000002.
 */
void sotto_cell_drop_dust(struct sotto_value *v);

/* Returns what expressions over a row of the release see, and what aggregates are computed from. */
struct sotto_evaluation sotto_cell_row(const struct sotto_answer_work *w, size_t row,
				       const struct sotto_value *aggregates);
struct sotto_group_values sotto_cell_values(const struct sotto_answer_work *w, size_t row);

/* Returns how many values can be moved: measures, then outcomes. */
size_t sotto_cell_movable(const struct sotto_plan *plan);

#endif
