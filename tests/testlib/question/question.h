/*
 * question.h - a random query over a world
 *
 * Typed expressions, filters, keys of every kind, aggregates, subqueries, WITH,
 * UNION ALL, joins with public tables and of private ones, sets of keys.  Most of
 * them plan; the rest must be
 * refused with words.
 */
#ifndef SOTTO_TESTS_QUESTION_H
#define SOTTO_TESTS_QUESTION_H

#include "testlib/question/expression.h"

enum { QUESTION_MAX = 16000 };

struct question {
	char text[QUESTION_MAX];
};

void question_make(struct question *q, struct world *w, enum question_focus focus);

/* Leaves words out, repeats, swaps and replaces them: what nobody thought of. */
void question_mutate(struct question *q, struct world *w);

#endif
