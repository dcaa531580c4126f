/*
 * by_unit.h - random relations that use the privacy unit inside a query
 */
#ifndef SOTTO_TESTS_BY_UNIT_H
#define SOTTO_TESTS_BY_UNIT_H

#include "testlib/question/expression.h"

/* Makes a name visible. */
void writer_show(struct writer *q, const char *text, enum world_kind kind);

/* The private table, with its columns visible. */
void writer_table(struct writer *q);

/* Groups by unit, different rows, windows and joins of the table with itself. */
void writer_by_unit(struct writer *q);

/* GROUP BY two columns of the last public table; false if there is none. */
bool writer_public_pair(struct writer *q);

#endif
