/*
 * answer_box.h - the box that contains the exact measures of a row, and expressions over it
 */
#ifndef SOTTO_ANSWER_BOX_H
#define SOTTO_ANSWER_BOX_H

#include "central/session/answer/answer_work.h"

/* The measures that an output reads, each moved to both ends of an interval. */
struct sotto_noise_box {
	size_t row;
	size_t read[SOTTO_JOINT_MAX]; /* the first ones */
	size_t count; /* above SOTTO_JOINT_MAX they are moved one at a time */
};

void sotto_noise_box_find(struct sotto_noise_box *box, const struct sotto_answer_work *w,
			  size_t row, const struct sotto_sql_expr *e);

/*
 * Returns how far a measure is moved so that `together` intervals hold at once: steps, or to the
 * end.
 */
double
sotto_noise_box_reach(const struct sotto_answer_work *w, size_t row, size_t i, size_t together);

/* Returns the expression with every measure moved by its shift; NaN where it is not a number. */
double
sotto_noise_box_value(struct sotto_answer_work *w, size_t row, const struct sotto_sql_expr *e);

/* The values of an expression at the corners and the centre of the box. */
struct sotto_noise_range {
	double low, high; /* of the values that are numbers */
	bool is_number; /* at all of them */
};

struct sotto_noise_range sotto_noise_box_survey(const struct sotto_noise_box *box,
						struct sotto_answer_work *w,
						const struct sotto_sql_expr *e);

/*
 * True if its extremes can be found at the corners of the box.  False for a quotient whose
 * divisor may be 0, a root or logarithm of what may be negative and, with few measures, a
 * function that turns inside the box.
 */
bool sotto_noise_box_tells(const struct sotto_noise_box *box, struct sotto_answer_work *w,
			   const struct sotto_sql_expr *e);

#endif
