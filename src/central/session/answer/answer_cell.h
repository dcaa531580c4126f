/*
 * answer_cell.h - fills the cells of an answer
 */
#ifndef SOTTO_ANSWER_CELL_H
#define SOTTO_ANSWER_CELL_H

#include "central/session/answer/answer_work.h"

/* Computes the value and the interval of one output of a row, for one place of the answer. */
SOTTO_MUST_CHECK enum sotto_status
sotto_cell_fill(struct sotto_answer_work *w, size_t row, size_t column, size_t at);

#endif
