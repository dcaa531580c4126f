/*
 * made_answer.h - any answer of a finished query, for the query around it to read
 *
 * What comes out of a mechanism may be anything: what is compared with it has to be
 * as safe for every answer.
 */
#ifndef SOTTO_TESTS_MADE_ANSWER_H
#define SOTTO_TESTS_MADE_ANSWER_H

#include "central/plan/plan.h"
#include "testlib/question/world.h"

/* Writes such answers of all parts of the plan, the same into both engines. */
bool made_answers_write(struct world *w, const struct sotto_plan *plan);
void made_answers_drop(struct world *w, const struct sotto_plan *plan);

#endif
