/*
 * variance_turn.h - where a variance is greatest inside the noise of its measures
 */
#ifndef SOTTO_VARIANCE_TURN_H
#define SOTTO_VARIANCE_TURN_H

#include "central/session/answer/answer_work.h"

enum { SOTTO_VARIANCE_TURNS = 3 };

/*
 * The shifts of measure i, between the ends of its noise, at which a variance that reads it may be greatest;
 * returns how many.  `read` has the measures that are moved, all together if there are no more than
 * SOTTO_JOINT_MAX, else one at a time.
 */
size_t sotto_variance_turns(const struct sotto_answer_work *w, size_t row, size_t i,
			    const size_t *read, size_t count, double *shifts);

#endif
