/*
 * noise_reach.h - how far noise and rounding can have moved what was measured
 */
#ifndef SOTTO_NOISE_REACH_H
#define SOTTO_NOISE_REACH_H

#include "central/session/answer/answer_work.h"

/*
 * How far rounding to the grid can have moved a sum or a sum of squares: half a step for each row, whose
 * number is known where the answer tells it; with its own noise it is at most so large.  0 where
 * values lie on the grid, or nothing tells how many there are.
 */
double sotto_noise_reach_rounding(const struct sotto_answer_work *w, size_t row, size_t i);

/* How far a measure is moved so that `together` of them hold: steps, or to the end. */
double
sotto_noise_reach(const struct sotto_answer_work *w, size_t row, size_t i, size_t together);

#endif
