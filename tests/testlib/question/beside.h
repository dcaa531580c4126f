/*
 * beside.h - random joins with rows that are written out, with queries over public tables, and with one row
 * for each unit; and questions for the first groups by an aggregate that is not shown
 */
#ifndef SOTTO_TESTS_BESIDE_H
#define SOTTO_TESTS_BESIDE_H

#include "testlib/question/expression.h"

/* t and one of them in FROM; t only has the former where each row is a unit. */
void writer_beside(struct writer *q);

/* " group by ... order by ... limit ..."; what SELECT lists, the key, goes to key. */
void writer_top(struct writer *q, char *key, size_t size);

#endif
